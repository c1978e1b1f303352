// Bundles the command line tool, the library and the builders for manifests, with all their packages. The tool is one
// small entry with a chunk for each command.
import { build } from "esbuild";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeTypes } from "./bundle-sdk.mjs";
import { withLicenses } from "./bundled-licenses.mjs";
import { root } from "./install.mjs";
import { isNewEnough, moduleCheck, tooOldText } from "./node-version-check.mjs";
import { validatorFiles, writeValidators } from "./precompiled-plugin.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Options for bundling modules of Node.js. */
export const moduleOptions = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: "chunks/[name]-[hash]",
  format: "esm",
  platform: "node",
  target: "node22.19",
  // Prefers the ES module of a package, because CommonJS may look up its own files at run time.
  mainFields: ["module", "main"],
  // Bundled CommonJS calls `require` for modules of Node.js and optional packages; an ES module does not have one.
  banner: {
    js: 'const require = (name) => process.getBuiltinModule(name) ?? process.getBuiltinModule("module").createRequire(import.meta.url)(name);',
  },
  legalComments: "linked",
  logLevel: "warning",
};

/** The service is a separate package: the client imports the installed one by name. */
const servicePackage = {
  name: "service-package",
  setup({ onResolve }) {
    onResolve({ filter: /\/service\/cli\/commands\.ts$/ }, () => ({
      path: "svc-as-code-service/commands",
      external: true,
    }));
  },
};

const options = {
  ...moduleOptions,
  // An optional binding that pg looks for; this program does not use it.
  external: [...Object.keys(manifest.peerDependencies), "pg-native"],
  plugins: [servicePackage],
};

/** Writes `svc.js` into a folder, with all files that it needs. */
async function bundleTool(outdir) {
  await writeValidators(join(outdir, "validators"));
  await build({
    ...options,
    plugins: [...options.plugins, validatorFiles("../validators"), withLicenses(outdir)],
    entryPoints: { main: "cli/main.ts" },
    outdir,
  });
  writeLauncher(join(outdir, "svc.js"));
}

/** Writes `svc.js` and `library/` into a folder. */
export async function bundlePackage(outdir) {
  await Promise.all([bundleTool(outdir), bundleLibrary(join(outdir, "library"))]);
}

/** Writes the modules that programs import, with their types. */
async function bundleLibrary(folder) {
  const entryPoints = {
    reconciler: "reconciler/index.ts",
    promotion: "promotion/index.ts",
    controller: "controller/index.ts",
    manifests: "provider/manifests/sdk/index.ts",
  };
  await Promise.all([
    build({
      ...options,
      banner: { js: `${moduleCheck}\n${options.banner.js}` },
      plugins: [...options.plugins, validatorFiles("../../validators"), withLicenses(folder)],
      entryPoints,
      outdir: folder,
    }),
    writeTypes(join(folder, "types"), Object.values(entryPoints)),
  ]);
}

/**
 * Writes the launcher, which any Node.js can read. One that is too old prints one clear line and loads nothing else.
 */
function writeLauncher(file) {
  const text = `#!/usr/bin/env node
if (${isNewEnough}) {
  const module = process.getBuiltinModule("node:module");
  const { XDG_CACHE_HOME: cache, HOME: home } = process.env;
  // Node.js compiles the program once for each version. NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE take
  // precedence.
  if (cache || home) module.enableCompileCache(cache ? cache + "/svc" : home + "/.cache/svc");
  import("./main.js");
} else {
  process.stderr.write("error: " + ${tooOldText("svc")} + "\\n");
  process.exitCode = 1;
}
`;
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
