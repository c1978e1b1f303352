// Runs the `svc` commands of `npm start` one after the other in one process, which loads the sources once. A message
// contains the arguments of a command, and the answer its exit code.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../cli/program.ts";

const packageFile = join(import.meta.dirname, "..", "package.json");
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };

process.on("message", (args: readonly string[]) => void runCommand(args));

async function runCommand(args: readonly string[]): Promise<void> {
  process.exitCode = undefined;
  process.send?.(await runProgram(args, version));
}
