// Selects changes of a plan: writes to the server, deletes, and drift.
import type { Change, Plan } from "./index.ts";

type Changes = Pick<Plan, "changes">;

/** Returns the deletes and replaces, which need a separate confirmation. */
export function deletions(of: Changes): Change[] {
  return of.changes.filter(({ action }) => action === "delete" || action === "replace");
}

/** Returns the changes that write to the server. All others touch only the inventory, or nothing. */
export function writes(of: Changes): Change[] {
  return of.changes.filter(isWrite);
}

/** Returns true for a change that writes to the server. */
export function isWrite({ action, fields }: Pick<Change, "action" | "fields">): boolean {
  if (action === "adopt") return fields.length > 0;
  return ["create", "update", "replace", "delete"].includes(action);
}

/** Returns the changes that overwrite a field which was changed on the server too. */
export function conflictsIn(of: Changes): readonly Change[] {
  return of.changes.filter(
    (change) =>
      isWrite(change) &&
      (change.direction === "conflict" ||
        change.fields.some(({ direction }) => direction === "conflict")),
  );
}

/** Returns the changes whose live object differs from its last-applied state. */
export function drifted(of: Changes): Change[] {
  return of.changes.filter(({ direction }) => direction !== "pending");
}

/** Returns true if the plan changes anything on the server. Changes of the inventory alone do not count. */
export function hasServerChanges(of: Changes): boolean {
  return of.changes.some(({ action }) => !["orphan", "none", "forget"].includes(action));
}

/** Applies to every create of every plan, so text shows it only on request. */
const alwaysUnverified = "account quota (the API does not expose it)";

/** Returns all checks that did not run before the first write; undefined if nothing was checked. */
export function allNotChecked({
  changes,
  notChecked,
}: Pick<Plan, "changes" | "notChecked">): Plan["notChecked"] {
  const creates = changes.some(
    ({ action, blockedBy }) =>
      blockedBy.length === 0 && (action === "create" || action === "replace"),
  );
  return notChecked && creates ? [...notChecked, alwaysUnverified] : notChecked;
}
