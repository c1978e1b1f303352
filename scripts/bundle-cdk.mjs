// Bundles the typed CDK constructs: one module for each library, with its types.
import { bundleSdk } from "./bundle-sdk.mjs";

/** Writes `cdktf/sdk/` and `cdktn/sdk/` into a folder. */
export async function bundleConstructs(folder) {
  const names = ["cdktf/sdk/index", "cdktn/sdk/index"];
  const entries = Object.fromEntries(names.map((name) => [name, `provider/${name}.ts`]));
  await bundleSdk(folder, { entries, external: ["cdktf", "cdktn", "constructs"] });
}

const [, script, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) await bundleConstructs(folder);
