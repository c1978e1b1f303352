// Entry point of `svc`. A command's module is loaded only when the command runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "./program.ts";
import { ignoreClosedPipes } from "./shared/streams.ts";

const packageFile = join(import.meta.dirname, "..", "package.json");
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };

async function run(args: readonly string[]): Promise<void> {
  process.exitCode = await runProgram(args, version);
}

ignoreClosedPipes();
void run(process.argv.slice(2));
