// Symbols and labels of actions, for all reports.
import type { Action } from "../model/index.ts";
import type { Color } from "./style.ts";

/** How reports show an action. */
export interface ActionStyle {
  readonly sign: string;
  readonly color: Color;
  /** The infinitive of the action, as in `failed to record`. */
  readonly verb: string;
  /** Label after a count in a plan. */
  readonly planned: string;
  /** Label after a count in the result of an apply. */
  readonly done: string;
}

/** Every action, in the order of reports. */
export const actionStyles: Readonly<Record<Action, ActionStyle>> = {
  create: { sign: "+", color: "green", verb: "create", planned: "to create", done: "created" },
  update: { sign: "~", color: "yellow", verb: "update", planned: "to update", done: "updated" },
  replace: {
    sign: "-/+",
    color: "magenta",
    verb: "replace",
    planned: "to replace",
    done: "replaced",
  },
  delete: { sign: "-", color: "red", verb: "delete", planned: "to delete", done: "deleted" },
  adopt: { sign: "=", color: "cyan", verb: "adopt", planned: "to adopt", done: "adopted" },
  forget: { sign: "×", color: "dim", verb: "forget", planned: "to forget", done: "forgotten" },
  refuse: { sign: "!", color: "red", verb: "change", planned: "refused", done: "refused" },
  orphan: {
    sign: "?",
    color: "yellow",
    verb: "keep",
    planned: "kept undeclared",
    done: "kept undeclared",
  },
  none: { sign: "·", color: "dim", verb: "record", planned: "to record", done: "recorded" },
};
