// Bundles what users call themselves: the command line tool, one small entry with a chunk for each command that is loaded only
// when the command is used; the library; and what manifests in TypeScript import.
import { build } from "esbuild";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeTypes } from "./bundle-sdk.mjs";
import { bundleManifests } from "./bundle-manifests.mjs";
import { root } from "./install.mjs";

const manifest = packageOf(root);

const options = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  format: "esm",
  platform: "node",
  target: "node22.19",
  external: [
    ...Object.keys(manifest.dependencies).filter((name) => !isEsm(name)),
    ...Object.keys(manifest.peerDependencies),
  ],
  // ajv is CommonJS and loaded when first needed; a bundle of ES modules has no require of its own.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module";\nconst require = requireFrom(import.meta.url);',
  },
  legalComments: "linked",
  logLevel: "warning",
};

/** Writes `svc.js`, `library/` and `manifests/` into a folder. */
export async function bundlePackage(outdir) {
  await build({ ...options, entryPoints: { svc: "cli/main.ts" }, outdir });
  chmodSync(join(outdir, "svc.js"), 0o755);
  await bundleManifests(join(outdir, "manifests"));
  const library = "reconciler/index.ts";
  await build({ ...options, entryPoints: { index: library }, outdir: join(outdir, "library") });
  writeTypes(join(outdir, "library", "types"), [library]);
}

/**
 * Packages of ES modules are bundled, for some are hundreds of small files. CommonJS stays outside:
 * bundled it loses its named exports on dynamic import, and native code finds its binary by path.
 */
function isEsm(name) {
  return packageOf(join(root, "node_modules", name)).type === "module";
}

function packageOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

const [, script, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) await bundlePackage(folder);
