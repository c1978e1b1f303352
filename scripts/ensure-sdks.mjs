// Generates the SDKs if they are missing or older than the sources that they come from.
// Plain JavaScript for Node 20, because npm may start it with the system's Node.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { nodeForSources, root, SetupError } from "./install.mjs";

/** The folders whose sources decide what the SDKs contain. */
const sources = ["api", "client", "core", "lifecycle", "provider", "resources", "scripts"];
const generated = /[/\\]sdk[/\\]/;

/** Generates the SDKs if required. Throws a SetupError if that fails. */
export function ensureSdks() {
  if (areCurrent()) return;
  const script = join(root, "scripts", "generate-sdks.ts");
  const run = spawnSync(nodeForSources(), [script], { cwd: root, encoding: "utf8" });
  if (run.status === 0) return;
  throw new SetupError(
    `Cannot generate the SDKs in provider/*/sdk:\n${run.stderr}${run.error?.message ?? ""}`,
  );
}

function areCurrent() {
  const times = [...sources.flatMap(filesOf), join(root, "package.json")].map((file) => ({
    isGenerated: generated.test(file),
    time: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity,
  }));
  const [made, written] = [true, false].map((isGenerated) =>
    times.filter((file) => file.isGenerated === isGenerated).map(({ time }) => time),
  );
  return (
    sdks.every((file) => statSync(file, { throwIfNoEntry: false })) &&
    Math.min(...made) >= Math.max(...written)
  );
}

const sdks = ["pulumi", "manifests", "cdktf", "cdktn"].map((name) =>
  join(root, "provider", name, "sdk", "index.ts"),
);

/** Returns the TypeScript files below a folder of the repository. */
function filesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(root, folder, name));
}
