// Symbols and labels of actions, for all reports.
import type { Action } from "../model/index.ts";
import type { Color } from "./style.ts";

/** How reports show an action. */
export interface ActionStyle {
  readonly sign: string;
  readonly color: Color;
  /** The infinitive of the action, as in `failed to record`. */
  readonly verb: string;
  /** What a plan says in place of the verb, where it changes nothing. */
  readonly state?: string;
  /** Label after a count in the result of an apply. */
  readonly done: string;
}

/** Every action, in the order of reports. */
export const actionStyles: Readonly<Record<Action, ActionStyle>> = {
  create: { sign: "+", color: "green", verb: "create", done: "created" },
  update: { sign: "~", color: "yellow", verb: "update", done: "updated" },
  replace: {
    sign: "-/+",
    color: "magenta",
    verb: "replace",
    done: "replaced",
  },
  delete: { sign: "-", color: "red", verb: "delete", done: "deleted" },
  adopt: { sign: "=", color: "cyan", verb: "adopt", done: "adopted" },
  forget: { sign: "×", color: "dim", verb: "forget", done: "forgotten" },
  refuse: { sign: "!", color: "red", verb: "change", state: "refused", done: "refused" },
  orphan: {
    sign: "?",
    color: "yellow",
    verb: "keep",
    state: "kept undeclared",
    done: "kept undeclared",
  },
  none: { sign: "·", color: "dim", verb: "record", done: "recorded" },
};

/** Returns the label after a count in a plan: `to create`, `refused`. */
export function plannedText(action: Action): string {
  const { verb, state } = actionStyles[action];
  return state ?? `to ${verb}`;
}
