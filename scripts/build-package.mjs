// Builds the published package: the command line tool, the library, the plugins and the SDKs.
import { join } from "node:path";
import { bundleConstructs } from "./bundle-cdk.mjs";
import { bundlePackage } from "./bundle-package.mjs";
import { bundlePlugin, bundlePulumiSdk } from "./bundle-pulumi.mjs";
import { bundleTerraform } from "./bundle-terraform.mjs";

/** Writes what the package has in `dist/` into a folder. */
export async function buildPackage(outdir) {
  await bundlePackage(outdir);
  await bundleTerraform(join(outdir, "terraform"), "terraform-provider-svc");
  await bundlePlugin(join(outdir, "pulumi", "plugin"));
  await bundlePulumiSdk(join(outdir, "pulumi", "sdk"));
  await bundleConstructs(join(outdir, "cdk"));
}
