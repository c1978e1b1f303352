// Generates the SDKs if they are missing or older than the sources that they come from.
// Plain JavaScript for Node 20, because npm may start it with the system's Node.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { nodeForSources, root, SetupError } from "./install.mjs";

/** The folders whose sources determine the SDKs. */
const sources = [
  "api",
  "client",
  "core",
  "files",
  "lifecycle",
  "promotion",
  "provider",
  "reconciler/manifest",
  "reconciler/model/windows",
  "resources",
  "scripts",
];
const generated = /[/\\]sdk[/\\]/;
const sdks = ["pulumi", "manifests", "cdktf", "cdktn"].map(
  (name) => `provider/${name}/sdk/index.ts`,
);

/** Generates the SDKs if necessary. Throws a SetupError if that fails. */
export function ensureSdks() {
  if (areCurrent()) return;
  console.error("Generating the SDKs in provider/*/sdk from their sources; some ten seconds ...");
  const script = join(root, "scripts", "generate-sdks.ts");
  const run = spawnSync(nodeForSources(), [script], { cwd: root, encoding: "utf8" });
  if (run.status === 0) return;
  throw new SetupError(
    `Cannot generate the SDKs in provider/*/sdk:\n${run.stderr}${run.error?.message ?? ""}`,
  );
}

/** Returns whether every SDK of a repository exists and is newer than the sources. */
export function areCurrent(folder = root) {
  const files = sources.flatMap((name) => filesBelow(join(folder, name)));
  const written = [...files.filter((file) => !generated.test(file)), join(folder, "package.json")];
  const outputs = [
    ...files.filter((file) => generated.test(file)),
    ...sdks.map((file) => join(folder, file)),
  ];
  return oldest(outputs) >= Math.max(...written.map(timeOf));
}

/** Returns the time of the oldest file; -Infinity if one is missing. */
function oldest(files) {
  return Math.min(...files.map(timeOf));
}

export function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
}

/** Returns the source files below a folder, without tests. */
export function filesBelow(folder, pattern = /\.ts$/) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => pattern.test(name) && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name));
}
