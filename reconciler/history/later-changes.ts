// Finds what runs changed after another run.
import { equal, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Entry, Inventory, RunChange, RunRecord } from "../model/index.ts";

/** Returns the done changes of the later runs, the oldest first. Runs that are no longer recorded have none. */
export function changesAfter(
  { id }: RunRecord,
  { runs = [] }: Pick<Inventory, "runs">,
): readonly RunChange[] {
  return runs
    .slice(runs.findIndex((one) => one.id === id) + 1)
    .flatMap(({ changes = [] }) => changes)
    .filter(({ result }) => result !== "failed" && result !== "skipped");
}

/** True if later runs left the object of an entry with other values than the run that created it. */
export function isChangedBy({ lastApplied }: Entry, later: readonly RunChange[]): boolean {
  const fields = new Set(
    later.flatMap(({ before = {}, lastApplied: recorded = {} }) => [
      ...Object.keys(before),
      // A field that no document declares any more is as it was.
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
 * Returns the values that a run left in those of the restored fields that a later run changed. Compared with them, the
 * live value is a change since the run. A field that has its restored value again is left out.
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
