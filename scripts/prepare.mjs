// npm's `prepare` script: builds dist/ if the build tool is installed (a clone, `npm pack`), and does nothing in an
// installation without development packages.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

if (existsSync(join(root, "node_modules", "esbuild"))) await import("./build.mjs");
