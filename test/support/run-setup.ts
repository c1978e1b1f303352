// Before and after all tests: a folder for what is built for them, and a limit on the time of the whole run, SVC_TEST_MINUTES or
// an hour. At the limit, the run shows the files and cases that did not end, stops its workers, and reports the results that
// it has.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { TestProject, Vitest } from "vitest/node";

const minutes = Number(process.env["SVC_TEST_MINUTES"] ?? 60);
let timer: NodeJS.Timeout | undefined;
/** Undefined in a run that a test of another run starts: it uses that run's folder and leaves it. */
let madeFolder: string | undefined;

/** Starts the clock and makes the folder, once for all projects. The workers get the variable with the environment. */
export function setup({ vitest }: TestProject): void {
  if (process.env["SVC_TEST_BUILDS"] === undefined) {
    madeFolder = mkdtempSync(join(tmpdir(), "svc-test-builds-"));
    process.env["SVC_TEST_BUILDS"] = madeFolder;
  }
  timer ??= setTimeout(() => void stopRun(vitest), minutes * 60_000).unref();
}

/** Stops the clock and removes the folder. */
export function teardown(): void {
  clearTimeout(timer);
  if (madeFolder !== undefined) rmSync(madeFolder, { recursive: true, force: true });
}

async function stopRun(vitest: Vitest): Promise<void> {
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
