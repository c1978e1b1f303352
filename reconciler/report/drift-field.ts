// Converts a difference of a plan to a difference of drift: the change from the last apply until now.
import { secretMasks } from "../../core/spec/diff.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { changeJson, pick } from "../engine/plan-json.ts";
import { driftedFieldSchema } from "../model/change.ts";
import type { Change, PlannedField } from "../model/index.ts";

/** A field with its value at the last apply (`before`), its live value (`after`) and the value of the manifest. */
export interface DriftedField extends Omit<PlannedField, "base"> {
  /** Undefined if the manifest clears the field, or does not declare the entry of a map. */
  readonly declared: JsonValue | undefined;
}

/** True for an object of the last apply that no longer exists: a plan creates it again, or forgets it. */
export function isDeletedOnServer({
  action,
  direction,
}: Pick<Change, "action" | "direction">): boolean {
  return action === "forget" ? direction !== "pending" : isRecreated({ action, direction });
}

/** True for a declared object that was deleted on the server, which a plan creates again. */
export function isRecreated({ action, direction }: Pick<Change, "action" | "direction">): boolean {
  return action === "create" && direction !== "pending";
}

/** Returns the field in the sense of drift. */
export function driftedField({ base, ...field }: PlannedField): DriftedField {
  const { direction, before: live, after, sensitive } = field;
  const declared = after ?? undefined;
  if (direction === "pending") return { ...field, before: live, after: live, declared };
  if (direction === "conflict" && sensitive) return { ...field, ...maskedConflict(live, declared) };
  if (direction === "conflict") return { ...field, before: base, after: live, declared };
  // Two masks keep the order of their numbers.
  const isMasked = sensitive && typeof live === "string" && typeof after === "string";
  if (isMasked) return { ...field, declared: live };
  return { ...field, before: declared, after: live, declared };
}

/** Masks the three values of a secret in conflict, which all differ: of the last apply, live, and of the manifest. */
function maskedConflict(
  live: JsonValue | undefined,
  declared: JsonValue | undefined,
): Pick<DriftedField, "before" | "after" | "declared"> {
  let count = 1;
  const masked = (value: JsonValue | undefined): string | undefined =>
    value === undefined ? undefined : `(secret #${++count})`;
  return {
    before: secretMasks.before,
    after: masked(live ?? undefined),
    declared: masked(declared),
  };
}

/** Returns a change as JSON, with its fields as drift reports show them. A deleted object has no fields. */
export function driftedChangeJson(change: Change, kinds: readonly Kind[]): JsonObject {
  const difference = changeJson(change, kinds, (field) =>
    pick(driftedFieldSchema, driftedField(field)),
  );
  return isDeletedOnServer(change)
    ? { ...difference, deletedOnServer: true, fields: [] }
    : difference;
}
