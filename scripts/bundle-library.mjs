// Bundles the library: one module, with what its users install beside it left out, and its types.
import { build } from "esbuild";
import { writeTypes } from "./bundle-sdk.mjs";
import { root } from "./install.mjs";

/** Writes `index.js`, a module, and the types of all that it shows, below `types/`. */
export async function bundleLibrary(folder, options) {
  const entry = "reconciler/index.ts";
  await build({ ...options, absWorkingDir: root, entryPoints: { index: entry }, outdir: folder });
  writeTypes(`${folder}/types`, [entry]);
}
