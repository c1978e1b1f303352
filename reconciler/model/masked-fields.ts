// Returns the fields of a change with masked secrets.
import { compare, type FieldChange, secretMasks } from "../../core/spec/diff.ts";
import type { JsonValue } from "../../core/json.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { splitPointer } from "../../core/pointer.ts";
import type { Change, PlannedField } from "./index.ts";

/**
 * Returns the fields of a change with secrets as numbered masks. A create shows all its fields if its
 * kind is known; otherwise it shows none, because the secret fields are unknown.
 */
export function shownFields(change: Change, kinds: readonly Kind[]): readonly PlannedField[] {
  return (change.fields.length > 0 ? change.fields : desiredFields(change, kinds)).map(mask);
}

function desiredFields(change: Change, kinds: readonly Kind[]): readonly PlannedField[] {
  const { action, desired, secrets = {} } = change;
  const kind = kindsByName(kinds).get(change.kind);
  if (action !== "create" || desired === undefined || kind === undefined) return [];
  const shown = compare(kind, desired, {});
  const hidden = Object.keys(secrets).map((name): FieldChange => ({
    path: `/${name}`,
    field: splitPointer(`/${name}`)[0] ?? "",
    before: undefined,
    after: secretMasks.after,
    reason: "absent",
    replaces: false,
    sensitive: true,
  }));
  return [...shown, ...hidden].map((field) => ({ ...field, direction: "pending" }));
}

/** Numbers distinguish two secrets: the live or last applied one, and the desired one. */
function mask(field: PlannedField): PlannedField {
  if (!field.sensitive) return field;
  const { base: _, ...shown } = field;
  const masked = (value: JsonValue | undefined, by: string): JsonValue | undefined =>
    value === undefined || value === null ? value : by;
  const isKnown = field.reason === "fingerprint";
  const before = isKnown ? secretMasks.before : masked(field.before, secretMasks.before);
  const alone = before === undefined || before === null;
  return { ...shown, before, after: masked(field.after, alone ? onlySecret : secretMasks.after) };
}

/** Mask for a secret without a counterpart. */
const onlySecret = "(secret)";
