// Installs missing packages, generates stale SDKs, then runs a script or an installed tool on the pinned Node.js:
// `node scripts/run.mjs scripts/start.ts --once`, `node scripts/run.mjs vitest run core`.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { ensureSdks } from "./ensure-sdks.mjs";
import { ensureInstalled, nodeForSources, root, SetupError } from "./install.mjs";

try {
  const [what, ...args] = process.argv.slice(2);
  if (!what) throw new SetupError("usage: node scripts/run.mjs SCRIPT|TOOL [ARGUMENT...]");
  await ensureInstalled();
  ensureSdks();
  run(nodeForSources(), [entryOf(what), ...args]);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

/** Returns a path inside the repository, or the program of an installed package. */
function entryOf(what) {
  if (what.includes("/")) return join(root, what);
  const folder = join(root, "node_modules", what);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[what]);
}

function run(node, args) {
  const env = {
    // Compiles the sources once instead of for each command of a script.
    NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node"),
    ...process.env,
    PATH: [dirname(node), process.env.PATH].join(delimiter),
  };
  const child = spawn(node, args, { cwd: root, stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child too, so forwarding it would send it twice.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on("error", (error) => {
    console.error(`cannot start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}
