// Runs sources on the pinned Node.js, and shows errors of the set-up without a stack trace.
// Plain JavaScript for Node 20, because it may run on the system's Node.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { nodeForSources, root, SetupError } from "./install.mjs";

/** Runs a step of the set-up. If the user can fix its error, prints only the message. */
export async function runSetup(step) {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

/** Starts a script with arguments on the pinned Node.js. This process ends with it, with the same exit code. */
export function runSources(args) {
  const node = nodeForSources();
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
