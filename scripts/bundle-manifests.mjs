// Bundles the builders for TypeScript manifests with their types, and the child process that runs such manifests.
import { build } from "esbuild";
import { writeTypes } from "./bundle-sdk.mjs";
import { root } from "./install.mjs";

/** Writes the modules `index.js` and `script-child.js`, and the types of `index.js` in `types/`. */
export async function bundleManifests(folder) {
  const builders = "provider/manifests/sdk/index.ts";
  await build({
    absWorkingDir: root,
    entryPoints: { index: builders, "script-child": "reconciler/manifest/script-child.ts" },
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22.19",
    logLevel: "warning",
  });
  writeTypes(`${folder}/types`, [builders]);
}
