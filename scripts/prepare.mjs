// npm's `prepare`: builds dist/ where the build tool is installed (a clone, `npm pack`), and does
// nothing in an installation without development packages.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

if (existsSync(join(root, "node_modules", "esbuild"))) {
  try {
    await import("./build.mjs");
  } catch (error) {
    if (!error.errors) throw error;
    console.error("dist/ was not built, for the reasons above.");
    // `npm start` and `npm test` run the sources, so that a broken bundle does not keep them from running.
    process.exitCode = process.env.SVC_BOOTSTRAP ? 0 : 1;
  }
}
