// Bundles the builders for TypeScript manifests with their types, and the child process that runs such manifests.
import { build } from "esbuild";
import { withLicenses } from "./bundled-licenses.mjs";
import { writeTypes } from "./bundle-sdk.mjs";
import { root } from "./install.mjs";
import { moduleCheck } from "./node-version-check.mjs";

const builders = "provider/manifests/sdk/index.ts";

/** Writes the modules `index.js` and `script-child.js`. */
export async function bundleManifests(folder) {
  await build({
    absWorkingDir: root,
    entryPoints: { index: builders, "script-child": "reconciler/manifest/script-child.ts" },
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22.19",
    banner: { js: moduleCheck },
    plugins: [withLicenses(folder)],
    logLevel: "warning",
  });
}

/** Writes the types of `index.js`. */
export function writeManifestTypes(folder) {
  return writeTypes(`${folder}/types`, [builders]);
}
