// Bundles the command line tool into dist/: one small entry, and a chunk for each command that is
// loaded only when the command is used.
import { build } from "esbuild";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundleConstructs } from "./bundle-cdk.mjs";
import { bundleLibrary } from "./bundle-library.mjs";
import { bundleManifests } from "./bundle-manifests.mjs";
import { bundlePlugin, bundlePulumiSdk } from "./bundle-pulumi.mjs";
import { bundleTerraform } from "./bundle-terraform.mjs";
import { root } from "./install.mjs";

const outdir = join(root, "dist");
const manifest = packageOf(root);

const options = {
  absWorkingDir: root,
  entryPoints: { svc: "cli/main.ts" },
  outdir,
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

rmSync(outdir, { recursive: true, force: true });
try {
  await build(options);
  await bundleTerraform(join(outdir, "terraform"), "terraform-provider-svc");
  await bundlePlugin(join(outdir, "pulumi", "plugin"));
  await bundlePulumiSdk(join(outdir, "pulumi", "sdk"));
  await bundleConstructs(join(outdir, "cdk"));
  await bundleManifests(join(outdir, "manifests"));
  await bundleLibrary(join(outdir, "library"), options);
  chmodSync(join(outdir, "svc.js"), 0o755);
} catch (error) {
  if (!error.errors) console.error(error);
  console.error("dist/ was not built, for the reasons above.");
  // `npm start` and `npm test` run the sources: a broken bundle does not keep them from installing.
  process.exitCode = process.env.SVC_BOOTSTRAP ? 0 : 1;
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
