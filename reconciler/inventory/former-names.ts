// Reads inventories and journals of earlier formats: renames members, and drops values that an undo cannot use.
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

/** Returns an inventory of a format before 11 in format 11. */
export function withCurrentNames(inventory: Readonly<Record<string, unknown>>): object {
  const { entries, runs } = inventory;
  return {
    ...inventory,
    ...(isObject(entries) && { entries: entriesWithCurrentNames(entries) }),
    ...(Array.isArray(runs) && { runs: runs.map(runWithCurrentNames) }),
  };
}

/** Returns a record of a journal of a format before 3 in format 3. It is in it already if this version appended it. */
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

/** Drops the values of a change that has none after it: an undo needs both. */
function changeWithCurrentNames(change: unknown): unknown {
  if (!isObject(change) || change["after"] !== undefined) return change;
  const { before: _, lastApplied: __, hidden: ___, ...rest } = change;
  const { action } = change;
  const isWrite = ["create", "update", "adopt", "delete"].some((write) => write === action);
  return {
    ...rest,
    ...(rest["result"] === "partly" && { result: "partial" }),
    ...(isWrite && { unrecorded: true }),
  };
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
