// npm's `prepare`: builds dist/ where the build tool is installed (a clone, `npm pack`), and does
// nothing in an installation without development packages.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

if (existsSync(join(root, "node_modules", "esbuild"))) {
  try {
    await import("./build.mjs");
  } catch (error) {
    // `npm start` and `npm test` run the sources: a bundle that fails must not keep the tests from telling why.
    if (!process.env.SVC_BOOTSTRAP) throw error;
    console.error("dist/ was not built; `npm run build` tells more.");
  }
}
