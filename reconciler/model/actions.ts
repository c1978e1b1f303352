// The actions of a plan, in the order of reports.
import type { Action } from "./index.ts";

const counted: Readonly<Record<Action, 0>> = {
  create: 0,
  update: 0,
  replace: 0,
  delete: 0,
  adopt: 0,
  forget: 0,
  refuse: 0,
  orphan: 0,
  none: 0,
};

/** All actions, in the order of reports. */
export const actions = Object.keys(counted) as readonly Action[];

/** Counts changes by action, including zeros. */
export function countActions(
  things: readonly { readonly action: Action }[],
): Readonly<Record<Action, number>> {
  const counts: Record<Action, number> = { ...counted };
  for (const { action } of things) counts[action] += 1;
  return counts;
}
