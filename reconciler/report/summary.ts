// What a plan or an apply comes to, counted; and the fields that a change shows.
import { compare, type FieldChange, secretMasks } from "../../core/diff.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { splitPointer } from "../../core/pointer.ts";
import type { Action, Change, PlannedField } from "../model.ts";

/** Every action in the order in which reports count them, with its words. */
export const actionWords = {
  create: { todo: "to create", done: "created" },
  update: { todo: "to update", done: "updated" },
  replace: { todo: "to replace", done: "replaced" },
  delete: { todo: "to delete", done: "deleted" },
  adopt: { todo: "to adopt", done: "adopted" },
  forget: { todo: "to forget", done: "forgotten" },
  refuse: { todo: "refused", done: "refused" },
  orphan: { todo: "kept undeclared", done: "kept undeclared" },
  none: { todo: "to record", done: "recorded" },
} as const satisfies Record<Action, { todo: string; done: string }>;

/** All actions, in the order of reports. */
export const actions = Object.keys(actionWords) as readonly Action[];

/** How many of each action there are; none left out. */
export function countActions(
  things: readonly { readonly action: Action }[],
): Readonly<Record<Action, number>> {
  const counts = Object.fromEntries(actions.map((action) => [action, 0])) as Record<Action, number>;
  for (const { action } of things) counts[action] += 1;
  return counts;
}

/**
 * The fields that a change shows, secrets as numbered masks whatever stands in them. A create shows its whole wish where
 * its kind is given; without the kind nobody knows which fields are secret, so it shows none.
 */
export function shownFields(change: Change, kinds: readonly Kind[]): readonly PlannedField[] {
  return (change.fields.length > 0 ? change.fields : wishedFields(change, kinds)).map(mask);
}

function wishedFields(change: Change, kinds: readonly Kind[]): readonly PlannedField[] {
  const { action, desired, secrets = {} } = change;
  const kind = kinds.find((one) => one.name === change.kind);
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
  return [...shown, ...hidden].map((field) => ({ ...field, direction: "unshipped" }));
}

function mask(field: PlannedField): PlannedField {
  if (!field.sensitive) return field;
  const masked = (value: JsonValue | undefined, by: string): JsonValue | undefined =>
    value === undefined || value === null ? value : by;
  const { before, after } = secretMasks;
  return { ...field, before: masked(field.before, before), after: masked(field.after, after) };
}
