// Renames the members that inventories and journals of earlier formats have under other names.
import { isObject } from "../../core/json.ts";

type Names = ReadonlyMap<string, string>;

const entryNames: Names = new Map([
  ["guards", "lifecycle"],
  ["knownAs", "metadata"],
  ["sink", "secretTo"],
]);
const secretNames: Names = new Map([["mark", "fingerprint"]]);
const runNames: Names = new Map([
  ["begunAt", "startedAt"],
  ["undone", "incomplete"],
]);

/** Returns an inventory of a format before 10 with the names of format 10. */
export function withCurrentNames(inventory: Readonly<Record<string, unknown>>): object {
  const { entries, runs } = inventory;
  return {
    ...inventory,
    ...(isObject(entries) && { entries: entriesWithCurrentNames(entries) }),
    ...(Array.isArray(runs) && { runs: runs.map(runWithCurrentNames) }),
  };
}

/** Returns a record of a journal of format 1 with the names of format 2. It has them already if this version appended it. */
export function recordWithCurrentNames(record: unknown): unknown {
  if (!isObject(record)) return record;
  const { entry, run, change } = record;
  return {
    ...record,
    ...(isObject(entry) && { entry: entryWithCurrentNames(entry) }),
    ...(isObject(run) && { run: runWithCurrentNames(run) }),
    ...(isObject(change) && { change: changeWithCurrentNames(change) }),
  };
}

function entriesWithCurrentNames(entries: object): object {
  return Object.fromEntries(
    Object.entries(entries).map(([address, entry]) => [address, entryWithCurrentNames(entry)]),
  );
}

function entryWithCurrentNames(entry: unknown): unknown {
  const named = renamed(entry, entryNames);
  if (!isObject(named) || !("secretTo" in named)) return named;
  return { ...named, secretTo: renamed(named["secretTo"], secretNames) };
}

function runWithCurrentNames(run: unknown): unknown {
  const named = renamed(run, runNames);
  if (!isObject(named) || !Array.isArray(named["changes"])) return named;
  return { ...named, changes: named["changes"].map(changeWithCurrentNames) };
}

function changeWithCurrentNames(change: unknown): unknown {
  return isObject(change) && change["result"] === "partly"
    ? { ...change, result: "partial" }
    : change;
}

/** Renames members. Keeps a former name where the new one exists too, so that the validation refuses the value. */
function renamed(value: unknown, names: Names): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const current = names.get(name);
      return [current === undefined || current in value ? name : current, member];
    }),
  );
}
