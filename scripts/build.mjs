// Builds both published packages: dist/ and service/dist/.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { bundleConstructs } from "./bundle-cdk.mjs";
import { bundlePackage } from "./bundle-package.mjs";
import { bundlePlugin, bundlePulumiSdk } from "./bundle-pulumi.mjs";
import { bundleService } from "./bundle-service.mjs";
import { bundleTerraform } from "./bundle-terraform.mjs";
import { root } from "./install.mjs";

const outdir = join(root, "dist");

for (const folder of [outdir, join(root, "service", "dist")]) {
  rmSync(folder, { recursive: true, force: true });
}
try {
  await bundlePackage(outdir);
  await bundleService(join(root, "service", "dist"));
  await bundleTerraform(join(outdir, "terraform"), "terraform-provider-svc");
  await bundlePlugin(join(outdir, "pulumi", "plugin"));
  await bundlePulumiSdk(join(outdir, "pulumi", "sdk"));
  await bundleConstructs(join(outdir, "cdk"));
} catch (error) {
  if (!error.errors) console.error(error);
  console.error("dist/ was not built, for the reasons above.");
  // `npm start` and `npm test` run the sources: a broken bundle does not keep them from installing.
  process.exitCode = process.env.SVC_BOOTSTRAP ? 0 : 1;
}
