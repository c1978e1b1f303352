// `node scripts/ci-summary.mjs FOLDER TESTS_EXIT CHECKS_EXIT`: sums the results of the tests (tests.json) and the
// checks (checks.json) in FOLDER. Prints one line: `N passed, N failed[, N skipped]`.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, testsExit, checksExit] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
add(countTests(read("tests.json")), testsExit);
add({ skipped: 0, ...read("checks.json") }, checksExit);
const skippedText = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skippedText}`);
process.exitCode = total.failed > 0 ? 1 : 0;

function read(file) {
  try {
    return JSON.parse(readFileSync(join(folder, file), "utf8"));
  } catch {
    return {};
  }
}

function countTests({
  numPassedTests,
  numFailedTests,
  numPendingTests,
  numTodoTests,
  testResults,
}) {
  // A test file that fails to load has no tests, so it counts as one failure.
  const broken = (testResults ?? []).filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((result) => result.status === "failed"),
  ).length;
  return {
    passed: numPassedTests,
    failed: (numFailedTests ?? 0) + broken,
    skipped: (numPendingTests ?? 0) + (numTodoTests ?? 0),
  };
}

/** Counts a run with an error exit code but no failure, or without results, as one failure. */
function add({ passed, failed, skipped }, exit) {
  const unexplained = exit !== "0" && !failed ? 1 : passed === undefined ? 1 : 0;
  total.passed += passed ?? 0;
  total.failed += (failed ?? 0) + unexplained;
  total.skipped += skipped ?? 0;
}
