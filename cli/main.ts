// Entry point of `svc`. A command's module is loaded only when the command runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "./program.ts";
import { ignoreClosedPipes } from "./shared/streams.ts";

const packageFile = join(import.meta.dirname, "..", "package.json");
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };

async function run(args: readonly string[]): Promise<void> {
  const notice =
    process.stderr.isTTY && process.stdout.isTTY
      ? (await import("./shared/release/release-notice.ts")).startReleaseCheck(args, version)
      : undefined;
  const exitCode = await runProgram(args, version);
  process.exitCode = exitCode;
  // A command that a signal ended ends immediately.
  if (exitCode < 128) await notice?.();
}

ignoreClosedPipes();
void run(process.argv.slice(2));
