// Bundles what programs of users import: a CommonJS module for each entry, as the engines' own packages are, and its types.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

/** Writes the modules of `entries`, by their names without endings, into `folder`; `external` packages are the user's own. */
export async function bundleSdk(folder, { entries, external }) {
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: folder,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22.19",
    external,
    logLevel: "warning",
  });
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  writeTypes(folder, Object.values(entries));
}

/** Writes the types of these sources, and of all that they import, into a folder. */
export function writeTypes(folder, entries) {
  const compiler = join(root, "node_modules", ".bin", "tsc");
  const flags =
    "--declaration --emitDeclarationOnly --noEmit false --module nodenext --target es2024 --strict --skipLibCheck --allowImportingTsExtensions --types node";
  const sources = entries.map((entry) => join(root, entry));
  const args = [...flags.split(" "), "--ignoreConfig", "--outDir", folder, ...sources];
  const told = spawnSync(compiler, args, { cwd: root, encoding: "utf8" });
  if (told.status !== 0) throw new Error(`${told.stdout}${told.stderr}${told.error ?? ""}`);
  for (const file of readdirSync(folder, { recursive: true })) {
    if (file.endsWith(".d.ts")) compiled(join(folder, file));
  }
}

/** Types name each other as what is there: the compiled modules. */
function compiled(file) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/(from "\.[^"]*)\.ts";/g, '$1.js";'));
}
