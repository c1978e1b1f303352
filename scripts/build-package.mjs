// Builds the published package: the command line tool, the library, the plugins and the SDKs.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleConstructs } from "./bundle-cdk.mjs";
import { bundlePackage } from "./bundle-package.mjs";
import { bundlePlugin, bundlePulumiSdk } from "./bundle-pulumi.mjs";
import { bundleTerraform } from "./bundle-terraform.mjs";
import { root } from "./install.mjs";

const terraformModules = join(root, "provider", "terraform", "modules");

/** Writes what the package has in `dist/` into a folder. */
export async function buildPackage(outdir) {
  await bundlePackage(outdir);
  await bundleTerraform(join(outdir, "terraform"), "terraform-provider-svc");
  compressPrograms(join(outdir, "terraform"));
  cpSync(terraformModules, join(outdir, "terraform", "modules"), { recursive: true });
  await bundlePlugin(join(outdir, "pulumi", "plugin"));
  compressPrograms(join(outdir, "pulumi", "plugin"));
  await bundlePulumiSdk(join(outdir, "pulumi", "sdk"));
  await bundleConstructs(join(outdir, "cdk"));
}

/** Replaces each program of a folder by `FILE.gz`, a third of its size: `svc plugin install` writes it where an engine starts it. */
function compressPrograms(folder) {
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".cjs"))) {
    const file = join(folder, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    rmSync(file);
  }
}

const [, script, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) await buildPackage(folder);
