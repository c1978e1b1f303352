// Before and after all tests: a folder for temporary files, in memory where possible, and in it one for what is built for
// them; and a limit on the time of the whole run, SVC_TEST_MINUTES or an hour. At the limit, the run shows the files and cases
// that did not end, stops its workers, and reports the results that it has. A run whose results do not show all that went wrong,
// because of that or because of errors outside of tests, makes the file SVC_TEST_INCOMPLETE.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { TestProject, Vitest } from "vitest/node";
import { memoryFolder } from "./memory-folder.ts";

const minutes = Number(process.env["SVC_TEST_MINUTES"] ?? 60);
let timer: NodeJS.Timeout | undefined;
let isStopped = false;
let hasErrors = (): boolean => false;
/** Undefined in a run that a test of another run starts, which uses and keeps the folder of that run. */
let cleaner: ChildProcess | undefined;

/** Starts the clock and makes the folders, once for all projects. The workers get the variables with the environment. */
export function setup({ vitest }: TestProject): void {
  if (process.env["SVC_TEST_BUILDS"] === undefined) {
    const memory = memoryFolder();
    const folder = mkdtempSync(join(memory ?? tmpdir(), "svc-test-"));
    cleaner = startCleaner(folder);
    const builds = join(folder, "builds");
    mkdirSync(builds);
    process.env["SVC_TEST_BUILDS"] = builds;
    if (memory !== undefined) process.env["TMPDIR"] = folder;
  }
  hasErrors = () => vitest.state.getUnhandledErrors().length > 0;
  timer ??= setTimeout(() => void stopRun(vitest), minutes * 60_000).unref();
}

/** Stops the clock and removes the folder. */
export async function teardown(): Promise<void> {
  clearTimeout(timer);
  const incomplete = process.env["SVC_TEST_INCOMPLETE"];
  if (incomplete !== undefined && (isStopped || hasErrors())) writeFileSync(incomplete, "");
  if (cleaner === undefined) return;
  cleaner.ref();
  const ended = once(cleaner, "exit");
  cleaner.stdin?.end();
  await ended;
}

/** Starts a process that removes a folder when its input ends, and therefore also when this process is killed. */
function startCleaner(folder: string): ChildProcess {
  // A separate process group, so that a signal to the test process does not end it before its work is done.
  const command = ["-c", 'cat >/dev/null; rm -rf "$1"', "sh", folder];
  const started = spawn("sh", command, { detached: true, stdio: ["pipe", "ignore", "inherit"] });
  started.unref();
  return started;
}

async function stopRun(vitest: Vitest): Promise<void> {
  isStopped = true;
  const running = vitest.state.getTestModules().filter((file) => file.state() === "pending");
  vitest.logger.error(`\nTIME LIMIT: the tests did not end in ${minutes} minutes. Running:`);
  for (const file of running) {
    vitest.logger.error(`  ${file.project.name} ${relative(vitest.config.root, file.moduleId)}`);
    for (const test of file.children.allTests("pending")) {
      vitest.logger.error(`    ${test.fullName}`);
    }
  }
  process.exitCode = 1;
  // The first request waits for the running cases; the second stops the workers that do not answer.
  void vitest.cancelCurrentRun("keyboard-input");
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await vitest.cancelCurrentRun("keyboard-input");
}
