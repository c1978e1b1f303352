// Bundles the modules that user programs import: a CommonJS module for each entry, with its types.
import { build } from "esbuild";
import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { withLicenses } from "./bundled-licenses.mjs";
import { root } from "./install.mjs";
import { moduleCheck } from "./node-version-check.mjs";

/** Writes the modules of `entries` (names without extension) into `folder`. The user installs the `external` packages. */
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
    banner: { js: `"use strict";\n${moduleCheck}` },
    plugins: [withLicenses(folder)],
    logLevel: "warning",
  });
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  await writeTypes(folder, Object.values(entries));
}

/** Writes the types of these sources, and of all that they import, into a folder. */
export async function writeTypes(folder, entries) {
  const compiler = join(root, "node_modules", ".bin", "tsc");
  // Several checkers infer the same types again, which takes twice the processor time.
  const flags =
    "--singleThreaded --declaration --emitDeclarationOnly --noEmit false --module nodenext --target es2024 --strict --skipLibCheck --allowImportingTsExtensions --types node";
  const sources = entries.map((entry) => join(root, entry));
  const args = [...flags.split(" "), "--ignoreConfig", "--outDir", folder, ...sources];
  await promisify(execFile)(compiler, args, { cwd: root }).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}${error.message}`);
  });
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".d.ts"));
  const texts = files.map((file) => [join(folder, file), readFileSync(join(folder, file), "utf8")]);
  if (texts.some(([, text]) => text.includes(schemaImport)))
    copySchemaTypes(join(folder, "typebox"));
  for (const [file, text] of texts) writeFileSync(file, resolvable(text, { file, folder }));
}

/** The package whose types appear in the types of the library. Users do not install it. */
const schemaImport = 'from "typebox"';

/** Makes imports refer to compiled modules and to the copy of the schema types. */
function resolvable(text, { file, folder }) {
  const types = relative(dirname(file), join(folder, "typebox", "index.mjs"));
  const local = types.startsWith(".") ? types : `./${types}`;
  return text
    .replace(/(from "\.[^"]*)\.ts";/g, '$1.js";')
    .replaceAll(schemaImport, `from "${local}"`);
}

function copySchemaTypes(folder) {
  const source = join(root, "node_modules", "typebox");
  cpSync(join(source, "build"), folder, {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || path.endsWith(".d.mts"),
  });
  cpSync(join(source, "license"), join(folder, "license"));
}
