// npm's `prepare` script: generates the SDKs and builds dist/ if the build tool is installed (a clone, `npm pack`). Does
// nothing in an installation without development packages.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureSdks } from "./ensure-sdks.mjs";
import { root } from "./install.mjs";

if (existsSync(join(root, "node_modules", "esbuild"))) {
  ensureSdks();
  console.error("Building dist/ and service/dist/ ...");
  await import("./build.mjs");
}
