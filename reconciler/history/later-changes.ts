// Finds what runs changed after another run.
import { equal, type JsonObject } from "../../core/json.ts";
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
      const change = later.find(({ before = {} }) => Object.hasOwn(before, field));
      const isRestored = equal(lastApplied[field] ?? null, value);
      return change === undefined || isRestored ? [] : [[field, change.before?.[field] ?? null]];
    }),
  );
}
