// Bundles the Terraform provider: one file that needs nothing beside it, with a launcher that says so where Node is missing.
import { build } from "esbuild";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";
import { launcherOf } from "./launcher.mjs";

/** The engine shows the first line of standard output of a provider that does not start. */
const launcher = launcherOf({ what: "provider", file: "provider.cjs", tell: 1, caches: true });

/** Writes `provider.cjs` and the launcher, called \`name\`, into a folder. */
export async function bundleTerraform(folder, name) {
  await build({
    absWorkingDir: root,
    entryPoints: ["provider/terraform/main.ts"],
    outfile: join(folder, "provider.cjs"),
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node22.19",
    legalComments: "none",
    // Only Node's own modules have it, and they are not what runs here.
    logOverride: { "empty-import-meta": "silent" },
    logLevel: "warning",
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), launcher);
  chmodSync(join(folder, name), 0o755);
}

const [, script, folder, name] = process.argv;
if (script === import.meta.filename && folder !== undefined && name !== undefined) {
  await bundleTerraform(folder, name);
}
