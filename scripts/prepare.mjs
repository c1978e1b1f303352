// npm's `prepare` script: generates the SDKs and builds dist/ if the build tool is installed (a clone, `npm pack`). Does
// nothing in an installation without development packages.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureSdks } from "./ensure-sdks.mjs";
import { root } from "./install.mjs";
import { runSetup, runSources } from "./run-sources.mjs";

if (existsSync(join(root, "node_modules", "esbuild"))) {
  await runSetup(() => {
    ensureSdks();
    console.error("Building dist/, service/dist/ and web/embed/dist/ ...");
    runSources([join(root, "scripts", "build.mjs")]);
  });
}
