// Bundles the Terraform provider: one file that needs nothing beside it, with a launcher that says so where Node is missing.
import { build } from "esbuild";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

/** What starts the provider; the engine shows the first line of standard output of one that does not start. */
const launcher = `#!/bin/sh
# Starts the provider that lies beside this file.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
node=\${SVC_NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
  echo "The provider svc needs Node.js 22.19 or newer: none was found. Install it, or set SVC_NODE to its path."
  exit 1
fi
exec "$node" --no-warnings "$here/provider.cjs"
`;

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
