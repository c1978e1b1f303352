// Bundles the Terraform provider and its launcher.
import { bundleProgram } from "./bundle-program.mjs";

/** Writes `provider.mjs` and the launcher `name` into a folder. */
export async function bundleTerraform(folder, name) {
  const entry = "provider/terraform/main.ts";
  // Terraform shows the first line of standard output of a provider that does not start.
  await bundleProgram(folder, {
    entry,
    file: "provider.mjs",
    name,
    what: "provider",
    errorStream: 1,
  });
}

const [, script, folder, name] = process.argv;
if (script === import.meta.filename && folder !== undefined && name !== undefined) {
  await bundleTerraform(folder, name);
}
