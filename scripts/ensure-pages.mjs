// Bundles the pages of web/ if they are missing or older than their sources, so that the sources of the service and
// the controller can serve them.
// Plain JavaScript for Node 20, because npm may start it with the system's Node.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { filesBelow, timeOf } from "./ensure-sdks.mjs";
import { nodeForSources, root, SetupError } from "./install.mjs";

const sources = ["charts", "core", "web"];
const folders = [join(root, "service", "dist", "web"), join(root, "dist", "page")];

/** Bundles the pages if necessary. Throws a SetupError if that fails. */
export function ensurePages() {
  const files = sources.flatMap((name) => filesBelow(join(root, name), /\.(?:css|json|tsx?)$/));
  const newest = Math.max(...[...files, join(root, "package.json")].map(timeOf));
  if (folders.every((folder) => timeOf(join(folder, "manifest.json")) >= newest)) return;
  const script = join(root, "scripts", "bundle-web.mjs");
  const run = spawnSync(nodeForSources(), [script, ...folders], { cwd: root, encoding: "utf8" });
  if (run.status === 0) return;
  throw new SetupError(
    `Cannot bundle the pages of web/:\n${run.stderr}${run.error?.message ?? ""}`,
  );
}
