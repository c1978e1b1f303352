// The changes that killed runs began and whose results are not recorded: each was written, in part or not at all.
import type { JsonObject } from "../../core/json.ts";
import { address as objectAt } from "../../core/kind/identity.ts";
import type { RecordedSpec } from "../../core/spec/record.ts";
import type { RunChange, RunRecord } from "./index.ts";
import { specWithFields } from "./recorded-fields.ts";

/** Identifies an object by its ID, or by its key if its kind has none. */
type Identity = Pick<RunChange, "kind" | "key"> & { readonly id?: string | undefined };

/** Returns the changes of an object that runs without an end began after its last complete one, oldest first. */
export function interruptedChangesOf(
  runs: readonly RunRecord[] = [],
): (object: Identity) => readonly RunChange[] {
  const begun = new Map<string, RunChange[]>();
  for (const { endedAt, changes = [] } of runs) {
    for (const change of changes) {
      const object = identityOf(change);
      if (endedAt === undefined) begun.set(object, [...(begun.get(object) ?? []), change]);
      else if (change.result === "done") begun.delete(object);
    }
  }
  return (object) => begun.get(identityOf(object)) ?? [];
}

/** Returns an entry's record as each of these changes would have left it. */
export function attemptedRecords(
  entry: RecordedSpec,
  changes: readonly RunChange[],
): readonly RecordedSpec[] {
  return changes.flatMap(({ after, hidden }) =>
    after === undefined ? [] : specWithFields(entry, after, hidden),
  );
}

/** Returns every value that an entry records or that one of these changes may have set. */
export function appliedValues(entry: RecordedSpec, changes: readonly RunChange[]): JsonObject {
  const attempts = attemptedRecords(entry, changes).map(({ lastApplied }) =>
    Object.fromEntries(Object.entries(lastApplied).filter(([, value]) => (value ?? null) !== null)),
  );
  return Object.assign({}, entry.lastApplied, ...attempts) as JsonObject;
}

function identityOf({ kind, key, id }: Identity): string {
  return id === undefined ? objectAt(kind, key) : `${kind} ${id}`;
}
