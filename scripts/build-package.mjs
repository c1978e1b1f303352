// Builds the published package: the command line tool, the library, the plugins and the SDKs.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleConstructs } from "./bundle-cdk.mjs";
import { bundlePackage } from "./bundle-package.mjs";
import { bundlePlugin, bundlePulumiSdk } from "./bundle-pulumi.mjs";
import { writeAllLicenses } from "./bundled-licenses.mjs";
import { bundleTerraform } from "./bundle-terraform.mjs";
import { bundleControllerPage } from "./bundle-web.mjs";
import { root } from "./install.mjs";

const terraformModules = join(root, "provider", "terraform", "modules");

/** Writes the contents of the package's `dist/` into a folder. */
export async function buildPackage(outdir) {
  await Promise.all([
    bundlePackage(outdir),
    bundleControllerPage(join(outdir, "page")),
    buildProvider(join(outdir, "terraform")),
    buildPlugin(join(outdir, "pulumi", "plugin")),
    bundlePulumiSdk(join(outdir, "pulumi", "sdk")),
    bundleConstructs(join(outdir, "cdk")),
  ]);
  writeAllLicenses(outdir);
}

async function buildProvider(folder) {
  await bundleTerraform(folder, "terraform-provider-svc");
  compressPrograms(folder);
  cpSync(terraformModules, join(folder, "modules"), { recursive: true });
}

async function buildPlugin(folder) {
  await bundlePlugin(folder);
  compressPrograms(folder);
}

/**
 * Replaces each program of a folder by `FILE.gz`, a third of its size: `svc plugin install` writes it to the place
 * where an engine starts it.
 */
function compressPrograms(folder) {
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".mjs"))) {
    const file = join(folder, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    rmSync(file);
  }
}

const [, script, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) await buildPackage(folder);
