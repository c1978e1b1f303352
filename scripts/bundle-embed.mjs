// Bundles the package svc-embed: a module with its types, and a script that defines the global `svcEmbed`.
import { build } from "esbuild";
import { join } from "node:path";
import { writeTypes } from "./bundle-sdk.mjs";
import { root } from "./install.mjs";

const entry = "web/embed/index.ts";

/** Writes `index.js`, its types and `svc-embed.js` into a folder. */
export async function bundleEmbed(folder) {
  await Promise.all([
    bundle({ format: "esm", outfile: join(folder, "index.js") }),
    bundleEmbedScript(folder),
    writeTypes(folder, [entry]),
  ]);
}

/** Writes `svc-embed.js`, which pages load without a bundler, into a folder. */
export async function bundleEmbedScript(folder) {
  await bundle({ format: "iife", globalName: "svcEmbed", outfile: join(folder, "svc-embed.js") });
}

async function bundle(options) {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: "browser",
    target: ["chrome111", "firefox113", "safari16.4"],
    logLevel: "warning",
    ...options,
  });
}

const [, script, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) await bundleEmbed(folder);
