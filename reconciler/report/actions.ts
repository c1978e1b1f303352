// Every action with its sign and its words: one table for all reports, and for whoever reads a saved plan.
import type { Action } from "../model.ts";
import type { Ink } from "./style.ts";

/** How reports show an action. */
export interface ActionLook {
  readonly sign: string;
  readonly ink: Ink;
  /** After a count, in a plan. */
  readonly todo: string;
  /** After a count, in what an apply came to. */
  readonly done: string;
}

/** Every action, in the order in which reports count them. */
export const actionLooks: Readonly<Record<Action, ActionLook>> = {
  create: { sign: "+", ink: "green", todo: "to create", done: "created" },
  update: { sign: "~", ink: "yellow", todo: "to update", done: "updated" },
  replace: { sign: "-/+", ink: "magenta", todo: "to replace", done: "replaced" },
  delete: { sign: "-", ink: "red", todo: "to delete", done: "deleted" },
  adopt: { sign: "=", ink: "cyan", todo: "to adopt", done: "adopted" },
  forget: { sign: "×", ink: "dim", todo: "to forget", done: "forgotten" },
  refuse: { sign: "!", ink: "red", todo: "refused", done: "refused" },
  orphan: { sign: "?", ink: "yellow", todo: "kept undeclared", done: "kept undeclared" },
  none: { sign: "·", ink: "dim", todo: "to record", done: "recorded" },
};

/** All actions, in the order of reports. */
export const actions = Object.keys(actionLooks) as readonly Action[];

/** How many of each action there are; none left out. */
export function countActions(
  things: readonly { readonly action: Action }[],
): Readonly<Record<Action, number>> {
  const counts = Object.fromEntries(actions.map((action) => [action, 0])) as Record<Action, number>;
  for (const { action } of things) counts[action] += 1;
  return counts;
}
