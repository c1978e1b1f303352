// Finds the changes of runs after another run, and the addresses to which they moved its objects.
import { parseAddress } from "../../core/kind/identity.ts";
import { equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Entry, Inventory, RunChange, RunRecord } from "../model/index.ts";

/** A change of a run, with the later changes of its object. */
export interface FollowedChange {
  /** The change, at the current address of its object. */
  readonly change: RunChange;
  /** The changes that later runs made to the object, oldest first. Omits runs that are no longer recorded. */
  readonly later: readonly RunChange[];
  /** True if a later run moved another object to the address, so that the stack does not own this one any more. */
  readonly isDisplaced: boolean;
}

/** Returns the changes of a run with the later changes of their objects, in the order of the run. */
export function followChanges(
  run: RunRecord,
  { runs = [] }: Pick<Inventory, "runs">,
): readonly FollowedChange[] {
  const followed = (run.changes ?? []).map((change): ObjectTrace => ({
    change,
    later: [],
    address: change.address,
    isDisplaced: false,
  }));
  let traces = new Map(followed.map((trace) => [trace.address, trace]));
  for (const { changes = [] } of runs.slice(runs.findIndex(({ id }) => id === run.id) + 1)) {
    traces = afterMoves(traces, changes);
    for (const change of changes)
      if (isDone(change)) traces.get(change.address)?.later.push(change);
  }
  return followed.map(({ change, later, address, isDisplaced }) => {
    const name = parseAddress(address)?.name ?? change.name;
    return { change: { ...change, address, name }, later, isDisplaced };
  });
}

/** True if a run made a change or a part of it, or may have made it before it was killed. */
export function isDone({ result }: RunChange): boolean {
  return result !== "failed" && result !== "skipped";
}

/** Returns the former addresses of the entries that a run moved, by new address. Moves come before all changes. */
export function movesOf(changes: readonly RunChange[]): ReadonlyMap<string, string> {
  return new Map(
    changes.flatMap(({ address, formerAddress: former }) =>
      former === undefined ? [] : [[address, former] as const],
    ),
  );
}

/** The object of a change, on its way through later runs. */
interface ObjectTrace {
  readonly change: RunChange;
  readonly later: RunChange[];
  address: string;
  isDisplaced: boolean;
}

/** True if a run left no entry of an object, so that no later move is one of this object. */
function isRemoved({ action }: RunChange): boolean {
  return action === "delete" || action === "forget";
}

/** Returns the traces by address after the moves of a run. */
function afterMoves(
  traces: Map<string, ObjectTrace>,
  changes: readonly RunChange[],
): Map<string, ObjectTrace> {
  const moves = movesOf(changes);
  if (moves.size === 0) return traces;
  const newAddresses = new Map([...moves].map(([address, former]) => [former, address]));
  const next = new Map<string, ObjectTrace>();
  for (const [address, trace] of traces) {
    const moved = isRemoved(trace.change) ? undefined : newAddresses.get(address);
    if (moved === undefined && moves.has(address)) {
      trace.isDisplaced = true;
      continue;
    }
    trace.address = moved ?? address;
    next.set(trace.address, trace);
  }
  return next;
}

/** True if later runs left the object of an entry with other values than the run that created it. */
export function isChangedBy({ lastApplied }: Entry, later: readonly RunChange[]): boolean {
  const fields = new Set(
    later.flatMap(({ before = {}, lastApplied: recorded = {} }) => [
      ...Object.keys(before),
      // A field that no document declares any more is unchanged.
      ...Object.keys(recorded).filter((field) => Object.hasOwn(lastApplied, field)),
    ]),
  );
  return (
    later.some(({ hidden = [] }) => hidden.length > 0) ||
    [...fields].some((field) => !equal(valueBefore(field, later), lastApplied[field] ?? null))
  );
}

/** Returns the last-applied value of a field before the first change of it; undefined if there is none. */
function valueBefore(field: string, changes: readonly RunChange[]): JsonValue | undefined {
  for (const { before = {}, lastApplied = {} } of changes) {
    const known = [lastApplied, before].find((one) => Object.hasOwn(one, field));
    if (known !== undefined) return known[field] ?? null;
  }
  return undefined;
}

/**
 * Returns the values that a run left in restored fields which a later run changed. Compared with them, the live value
 * is a change since the run. A field that has its restored value again is left out.
 */
export function valuesAfterRun(
  restored: JsonObject,
  { lastApplied }: Entry,
  later: readonly RunChange[],
): JsonObject {
  return Object.fromEntries(
    Object.entries(restored).flatMap(([field, value]) => {
      const left = valueBefore(field, later);
      const isRestored = equal(lastApplied[field] ?? null, value);
      return left === undefined || isRestored ? [] : [[field, left]];
    }),
  );
}
