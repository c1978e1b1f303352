// Merges the promotion record of a run with the changes that users made meanwhile: `merge-record.mjs BASE OURS THEIRS`
// prints it. Ends with 1 and prints nothing if two runs promoted concurrently: both changed the same entry, and neither
// change may be dropped.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual as isSame } from "node:util";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isIn = (list, one) => list.some((other) => isSame(other, one));

/** Returns the hold, because a hold is safer than no hold. Of two holds, the later one has the current reason. */
function later(ours, theirs) {
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  return Date.parse(theirs.at) > Date.parse(ours.at) ? theirs : ours;
}

/**
 * Keeps the entries that either side added, and drops those that either side removed. Sorts dated entries newest first.
 */
function lists(base, ours, theirs) {
  const kept = ours.filter((one) => !isIn(base, one) || isIn(theirs, one));
  const added = theirs.filter((one) => !isIn(base, one) && !isIn(ours, one));
  const all = [...added, ...kept];
  const isDated = all.every((one) => typeof one.at === "string");
  return isDated ? all.toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at)) : all;
}

function merged(base, ours, theirs, path) {
  if (isSame(ours, theirs) || isSame(theirs, base)) return ours;
  if (isSame(ours, base)) return theirs;
  const name = path.at(-1);
  if (name === "serial") return Math.max(ours, theirs) + 1;
  if (name === "hold") return later(ours, theirs);
  const isActs = ["rollout", "verified", "history", "passed"].includes(name);
  if (isActs) throw new Error(`both changed ${path.join("/")}`);
  if (Array.isArray(ours) && Array.isArray(theirs)) return lists(base ?? [], ours, theirs);
  if (!isObject(ours) || !isObject(theirs)) throw new Error(`both changed ${path.join("/")}`);
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  const fields = [...names].map((one) => [
    one,
    merged(base?.[one], ours[one], theirs[one], [...path, one]),
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

const [base, ours, theirs] = process.argv.slice(2).map((file) => {
  const text = readFileSync(file, "utf8");
  return text === "" ? undefined : JSON.parse(text);
});
try {
  process.stdout.write(`${JSON.stringify(merged(base, ours, theirs, []), undefined, 2)}\n`);
} catch (error) {
  process.stderr.write(`merge-record.mjs: ${error.message}\n`);
  process.exitCode = 1;
}
