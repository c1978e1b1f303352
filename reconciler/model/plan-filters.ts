// Parts of a plan that are looked at apart: what writes to the server, what deletes, what has drifted.
import type { Change, Plan } from "./index.ts";

type Changes = Pick<Plan, "changes">;

/** What changes when a plan deletes or replaces: told apart, and confirmed apart. */
export function deletions(of: Changes): Change[] {
  return of.changes.filter(({ action }) => action === "delete" || action === "replace");
}

/** Changes that write to the server; the others touch only our own record, or nothing. */
export function writes(of: Changes): Change[] {
  return of.changes.filter(isWrite);
}

/** True for a change that writes to the server. */
export function isWrite({ action, fields }: Pick<Change, "action" | "fields">): boolean {
  if (action === "adopt") return fields.length > 0;
  return ["create", "update", "replace", "delete"].includes(action);
}

/** Changes where the live object moved away from what was applied last: drift in the strict sense. */
export function drifted(of: Changes): Change[] {
  return of.changes.filter(({ direction }) => direction !== "unshipped");
}

/** True where there is anything to do on the server; what only our own record says differently is told, and is not. */
export function hasServerChanges(of: Changes): boolean {
  return of.changes.some(({ action }) => !["orphan", "none", "forget"].includes(action));
}
