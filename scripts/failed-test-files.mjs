// `node scripts/failed-test-files.mjs FILE`: prints the test files with failures in a JSON report, one a line, if there
// are few enough of them to run again separately.
import { readFileSync } from "node:fs";

const most = 5;

const { testResults = [] } = readReport(process.argv[2]);
const failed = testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
const files = [...new Set(failed)];
if (files.length <= most) for (const file of files) console.log(file);

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}
