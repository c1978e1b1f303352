// Bundles the command line tool into dist/: one small entry, and a chunk for each command that is
// loaded only when the command is used.
import { build } from "esbuild";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

// Kept outside the bundle: native code, worker threads found by path, and the engines' own SDKs.
const external = ["better-sqlite3", "pino", "fastify", "@pulumi/pulumi", "cdktf", "constructs"];

const outdir = join(root, "dist");
rmSync(outdir, { recursive: true, force: true });
const options = {
  absWorkingDir: root,
  entryPoints: { svc: "cli/main.ts" },
  outdir,
  bundle: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  format: "esm",
  platform: "node",
  target: "node22.19",
  external,
  legalComments: "linked",
  logLevel: "warning",
  // Bundled CommonJS packages call require for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
};

try {
  await build(options);
  chmodSync(join(outdir, "svc.js"), 0o755);
} catch (error) {
  if (!error.errors) throw error;
  console.error("dist/ was not built, for the reasons above.");
  // `npm start` and `npm test` run the sources: a broken bundle does not keep them from installing.
  process.exitCode = process.env.SVC_BOOTSTRAP ? 0 : 1;
}
