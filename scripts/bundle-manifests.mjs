// Bundles what manifests in TypeScript import, the builders with their types, and what runs such manifests.
import { build } from "esbuild";
import { writeTypes } from "./bundle-sdk.mjs";
import { root } from "./install.mjs";

/** Writes `index.js` and `script-child.js`, modules, and the types of the first below `types/`. */
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
