// `node scripts/ci-summary.mjs FOLDER TESTS_EXIT CHECKS_EXIT GROWTH_EXIT`: sums the results of the tests (tests.json, and
// repeated.json for the files that ran again) and of the checks (checks.json and growth.json) in FOLDER. Prints the
// slowest tests, a line for each test that failed at first and passed when it was repeated, and then
// `N passed, N failed[, N skipped]`.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

const [folder, testsExit, checksExit, growthExit] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
const slowestCount = 30;
for (const { name, duration } of slowestTests(read("tests.json"))) {
  console.log(`slow: ${(duration / 1000).toFixed(1)} s ${name}`);
}
const unstable = unstableTests(read("tests.json"), read("repeated.json"));
for (const name of unstable) console.log(`unstable: ${name}`);
add(countTests(read("tests.json"), unstable.length), testsExit);
add(read("checks.json"), checksExit);
add(read("growth.json"), growthExit);
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

/** Returns the names of failed tests that passed when their files ran again. */
function unstableTests(first, repeated) {
  const again = listTests(repeated);
  return listTests(first)
    .filter(({ name, status }) => {
      const results = again.filter((one) => one.name === name);
      return status === "failed" && results.length > 0 && results.every(isPassed);
    })
    .map(({ name }) => name);
}

/** Returns the tests that took longest, the slowest first. */
function slowestTests(report) {
  return listTests(report)
    .filter(({ duration }) => duration > 0)
    .toSorted((left, right) => right.duration - left.duration)
    .slice(0, slowestCount);
}

function isPassed({ status }) {
  return status === "passed";
}

function listTests({ testResults = [] }) {
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ fullName, status, duration = 0 }) => ({
      name: `${relative(process.cwd(), file)} > ${fullName}`,
      status,
      duration,
    })),
  );
}

function countTests(
  { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults },
  unstableCount,
) {
  // A test file that fails to load has no tests, so it counts as one failure.
  const broken = (testResults ?? []).filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((result) => result.status === "failed"),
  ).length;
  return {
    passed: numPassedTests === undefined ? undefined : numPassedTests + unstableCount,
    failed: (numFailedTests ?? 0) - unstableCount + broken,
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
