// The actions of a plan, in the order of reports.

/**
 * The planned action on one object. `none` updates only the inventory, whose entry is out of date. `refuse`
 * changes nothing, because the object is not the stack's; `orphan` keeps an object that is no longer declared.
 */
export const actions = [
  "create",
  "update",
  "replace",
  "delete",
  "adopt",
  "forget",
  "refuse",
  "orphan",
  "none",
] as const;

/** One action. */
export type Action = (typeof actions)[number];

/** Counts changes by action, including zeros. */
export function countActions(
  things: readonly { readonly action: Action }[],
): Readonly<Record<Action, number>> {
  const counts = Object.fromEntries(actions.map((action) => [action, 0])) as Record<Action, number>;
  for (const { action } of things) counts[action] += 1;
  return counts;
}
