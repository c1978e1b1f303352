// Builds both packages, and bundles the programs that tests start, in one process, which compiles the validators once.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { buildPackage } from "../../scripts/build-package.mjs";
import { moduleOptions } from "../../scripts/bundle-package.mjs";
import { bundleService, serviceProcesses } from "../../scripts/bundle-service.mjs";
import { root } from "../../scripts/install.mjs";
import { validatorFiles } from "../../scripts/precompiled-plugin.mjs";

const [, , client, service, children, ...sources] = process.argv;
const readPackage = (...path) => JSON.parse(readFileSync(join(root, ...path, "package.json")));

await Promise.all([buildPackage(client), bundleService(service)]);
await build({
  ...moduleOptions,
  legalComments: "none",
  plugins: [validatorFiles(relative(join(children, "chunks"), join(service, "validators")))],
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
