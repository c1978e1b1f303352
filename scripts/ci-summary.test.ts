// The summary line of continuous integration counts every kind of failure.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const green = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };

function count(tests: unknown, checks: unknown, exits: readonly [string, string]) {
  const folder = mkdtempSync(join(tmpdir(), "count-"));
  try {
    if (tests !== undefined) writeFileSync(join(folder, "tests.json"), JSON.stringify(tests));
    if (checks !== undefined) writeFileSync(join(folder, "checks.json"), JSON.stringify(checks));
    const script = join(import.meta.dirname, "ci-summary.mjs");
    const run = spawnSync(process.execPath, [script, folder, ...exits], { encoding: "utf8" });
    return [run.stdout.trim(), run.status];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("sums tests and checks and shows skipped tests", () => {
  expect(count(green, { passed: 7, failed: 0 }, ["0", "0"])).toEqual(["12 passed, 0 failed", 0]);
  const some = { ...green, numPendingTests: 2, numTodoTests: 1 };
  expect(count(some, { passed: 7, failed: 0 }, ["0", "0"])).toEqual([
    "12 passed, 0 failed, 3 skipped",
    0,
  ]);
});

it("counts failed tests, failed checks and files that fail to load", () => {
  const testResults = [
    { status: "failed", assertionResults: [] },
    { status: "failed", assertionResults: [{ status: "failed" }] },
    { status: "passed", assertionResults: [{ status: "passed" }] },
  ];
  const red = { ...green, numFailedTests: 1, testResults };
  expect(count(red, { passed: 6, failed: 1 }, ["1", "1"])).toEqual(["11 passed, 3 failed", 1]);
});

it("counts a run with an error exit code or without results as one failure", () => {
  expect(count(green, { passed: 7, failed: 0 }, ["1", "0"])).toEqual(["12 passed, 1 failed", 1]);
  expect(count(undefined, undefined, ["1", "0"])).toEqual(["0 passed, 2 failed", 1]);
});
