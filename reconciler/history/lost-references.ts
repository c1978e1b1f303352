// Finds references that a run ended without a write: their fields were no longer declared, and it deleted the objects
// that they named.
import { address as objectAt } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { referencesOf } from "../../core/kind/references.ts";
import type { Entry, RunChange, RunRecord } from "../model/index.ts";
import { isDone } from "./later-changes.ts";
import { referencedAddress } from "./undo-conflicts.ts";

/** Input to {@link lostReferencesNote}. */
export interface LostReferenceInput {
  readonly run: RunRecord;
  /** The entry of the object today. */
  readonly entry: Entry | undefined;
  readonly kinds: ReadonlyMap<string, Kind>;
}

/** Returns kind and natural key of the objects that a run deleted: computed once for all its changes. */
const deletedBy = memoizePerObject(
  ({ changes = [] }: RunRecord): ReadonlySet<string> =>
    new Set(
      changes
        .filter((one) => one.action === "delete" && isDone(one))
        .map((one) => objectAt(one.kind, one.key)),
    ),
);

/**
 * Returns a note on the fields that an undo does not set again in an object that the run did not write; undefined if
 * there are none.
 */
export function lostReferencesNote(
  change: RunChange,
  { run, entry, kinds }: LostReferenceInput,
): string | undefined {
  const { lastApplied = {} } = change;
  const kind = kinds.get(change.kind);
  if (kind === undefined || entry === undefined) return undefined;
  const deleted = deletedBy(run);
  const spec = { ...entry.lastApplied, ...lastApplied };
  const lost = referencesOf(kind, spec).filter(
    (one) =>
      Object.hasOwn(lastApplied, one.field) &&
      deleted.has(referencedAddress(one, { spec }, kinds) ?? ""),
  );
  if (lost.length === 0) return undefined;
  const named = lost.map(({ field, kind: of, value }) => `${field} to ${of} ${value}`).join(", ");
  return `the undo does not set ${named} again, which the run deleted`;
}
