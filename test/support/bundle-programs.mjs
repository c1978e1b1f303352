// Bundles all that tests start as programs of their own, in one process, which compiles the validators once.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { bundleTool, moduleOptions } from "../../scripts/bundle-package.mjs";
import { bundleService, serviceProcesses } from "../../scripts/bundle-service.mjs";
import { root } from "../../scripts/install.mjs";
import { validatorFiles } from "../../scripts/precompiled-plugin.mjs";
import { slimPackages } from "../../scripts/slim-packages.mjs";

const [, , tool, service, children, ...sources] = process.argv;
const readPackage = (...path) => JSON.parse(readFileSync(join(root, ...path, "package.json")));

await Promise.all([bundleTool(tool), bundleService(service)]);
await build({
  ...moduleOptions,
  legalComments: "none",
  plugins: [
    slimPackages,
    validatorFiles(relative(join(children, "chunks"), join(service, "validators"))),
  ],
  external: [
    ...Object.keys(readPackage("service").dependencies),
    ...Object.keys(readPackage().peerDependencies),
    "pg-native",
  ],
  entryPoints: {
    ...serviceProcesses,
    ...Object.fromEntries(sources.map((source) => [basename(source, ".ts"), source])),
  },
  outdir: children,
});
