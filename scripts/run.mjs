// Installs missing packages, generates stale SDKs and pages, then runs a script or an installed tool on the pinned Node.js:
// `node scripts/run.mjs scripts/start.ts --once`, `node scripts/run.mjs vitest run core`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePages } from "./ensure-pages.mjs";
import { ensureSdks } from "./ensure-sdks.mjs";
import { ensureInstalled, root, SetupError } from "./install.mjs";
import { runSetup, runSources } from "./run-sources.mjs";

await runSetup(async () => {
  const [what, ...args] = process.argv.slice(2);
  if (!what) throw new SetupError("usage: node scripts/run.mjs SCRIPT|TOOL [ARGUMENT...]");
  await ensureInstalled();
  ensureSdks();
  ensurePages();
  runSources([entryOf(what), ...args]);
});

/** Returns a path inside the repository, or the program of an installed package. */
function entryOf(what) {
  if (what.includes("/")) return join(root, what);
  const folder = join(root, "node_modules", what);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[what]);
}
