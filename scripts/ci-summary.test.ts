// The summary line of continuous integration counts every kind of failure.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const green = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };

function count(
  tests: unknown,
  checks: unknown,
  [testsExit, checksExit, growthExit = "0"]: readonly [string, string, string?],
  repeated?: unknown,
) {
  const folder = mkdtempSync(join(tmpdir(), "count-"));
  try {
    if (tests !== undefined) writeFileSync(join(folder, "tests.json"), JSON.stringify(tests));
    if (checks !== undefined) writeFileSync(join(folder, "checks.json"), JSON.stringify(checks));
    if (growthExit !== "none")
      writeFileSync(join(folder, "growth.json"), JSON.stringify({ passed: 1, failed: 0 }));
    if (repeated !== undefined)
      writeFileSync(join(folder, "repeated.json"), JSON.stringify(repeated));
    const script = join(import.meta.dirname, "ci-summary.mjs");
    const run = spawnSync(process.execPath, [script, folder, testsExit, checksExit, growthExit], {
      encoding: "utf8",
    });
    return [run.stdout.trim(), run.status];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("sums tests and checks and shows skipped tests", () => {
  expect(count(green, { passed: 7, failed: 0 }, ["0", "0"])).toEqual(["13 passed, 0 failed", 0]);
  const some = { ...green, numPendingTests: 2, numTodoTests: 1 };
  expect(count(some, { passed: 7, failed: 0 }, ["0", "0"])).toEqual([
    "13 passed, 0 failed, 3 skipped",
    0,
  ]);
});

it("counts failed tests, failed checks and files that fail to load", () => {
  const testResults = [
    { name: "a.test.ts", status: "failed", assertionResults: [] },
    { name: "b.test.ts", status: "failed", assertionResults: [{ status: "failed" }] },
    { name: "c.test.ts", status: "passed", assertionResults: [{ status: "passed" }] },
  ];
  const red = { ...green, numFailedTests: 1, testResults };
  expect(count(red, { passed: 6, failed: 1 }, ["1", "1"])).toEqual(["12 passed, 3 failed", 1]);
});

it("counts a run with an error exit code or without results as one failure", () => {
  expect(count(green, { passed: 7, failed: 0 }, ["1", "0"])).toEqual(["13 passed, 1 failed", 1]);
  expect(count(green, { passed: 7, failed: 0 }, ["0", "0", "1"])).toEqual([
    "13 passed, 1 failed",
    1,
  ]);
  expect(count(undefined, undefined, ["1", "0"])).toEqual(["1 passed, 2 failed", 1]);
  expect(count(undefined, undefined, ["1", "0", "none"])).toEqual(["0 passed, 3 failed", 1]);
});

it("counts a test that passes when it is repeated as passed, and names it; one that fails again as failed", () => {
  const report = (statuses: readonly string[]) => ({
    ...green,
    numFailedTests: 2,
    testResults: [
      {
        name: join(process.cwd(), "a.test.ts"),
        status: "failed",
        assertionResults: statuses.map((status, index) => ({ fullName: `case ${index}`, status })),
      },
    ],
  });
  const first = report(["failed", "failed", "passed"]);
  const checks = { passed: 7, failed: 0 };
  expect(count(first, checks, ["1", "0"], report(["passed", "failed", "passed"]))).toEqual([
    "unstable: a.test.ts > case 0\n14 passed, 1 failed",
    1,
  ]);
  const [text, exit] = count(first, checks, ["0", "0"], report(["passed", "passed", "passed"]));
  expect(String(text).split("\n").at(-1)).toBe("15 passed, 0 failed");
  expect(exit).toBe(0);
  // A test that did not run again has failed.
  expect(count(first, checks, ["1", "0"], report([]))).toEqual(["13 passed, 2 failed", 1]);
});

it("lists the 30 slowest tests before the last line, the slowest first", () => {
  const assertionResults = Array.from({ length: 40 }, (_, index) => ({
    fullName: `case ${index}`,
    status: "passed",
    duration: index * 100,
  }));
  const testResults = [
    { name: join(process.cwd(), "a.test.ts"), status: "passed", assertionResults },
  ];
  const [out] = count({ ...green, testResults }, { passed: 0, failed: 0 }, ["0", "0"]);
  const lines = String(out).split("\n");
  expect(lines).toHaveLength(31);
  expect(lines[0]).toBe("slow: 3.9 s a.test.ts > case 39");
  expect(lines[29]).toBe("slow: 1.0 s a.test.ts > case 10");
  expect(lines[30]).toBe("6 passed, 0 failed");
});
