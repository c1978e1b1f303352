// Bundles the service package: its commands, its library and the pages that it serves. Packages with native code or that load their own files
// stay outside and are its dependencies; the sources it shares with the client are bundled.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withLicenses } from "./bundled-licenses.mjs";
import { moduleOptions } from "./bundle-package.mjs";
import { bundleWeb } from "./bundle-web.mjs";
import { root } from "./install.mjs";
import { validatorFiles, writeValidators } from "./precompiled-plugin.mjs";

/** The processes and threads that the service starts, from files next to its own. */
export const serviceProcesses = {
  "compile-worker": "service/rollups/compile-worker.ts",
  "duckdb-process": "service/engine/duckdb-process.ts",
  "draw-process": "service/delivery/draw-process.ts",
  "starter-process": "git/starter-process.ts",
};

/** Writes `commands.js`, `index.js`, the worker of the compiler, the processes of DuckDB and of drawing, the validators and `web/` into a folder. */
export async function bundleService(outdir) {
  const manifest = JSON.parse(readFileSync(join(root, "service", "package.json"), "utf8"));
  await writeValidators(join(outdir, "validators"));
  await bundleWeb(join(outdir, "web"));
  await build({
    ...moduleOptions,
    plugins: [validatorFiles("../validators"), withLicenses(outdir)],
    external: Object.keys(manifest.dependencies),
    entryPoints: {
      commands: "service/cli/commands.ts",
      index: "service/index.ts",
      ...serviceProcesses,
    },
    outdir,
  });
}

const [, script, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) await bundleService(folder);
