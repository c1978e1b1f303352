// Symbols and labels of actions, for all reports.
import type { Action } from "../model/index.ts";
import type { Color } from "./style.ts";

/** How reports show an action. */
export interface ActionStyle {
  readonly sign: string;
  readonly color: Color;
  /** Label after a count in a plan. */
  readonly planned: string;
  /** Label after a count in the result of an apply. */
  readonly done: string;
}

/** Every action, in the order of reports. */
export const actionStyles: Readonly<Record<Action, ActionStyle>> = {
  create: { sign: "+", color: "green", planned: "to create", done: "created" },
  update: { sign: "~", color: "yellow", planned: "to update", done: "updated" },
  replace: { sign: "-/+", color: "magenta", planned: "to replace", done: "replaced" },
  delete: { sign: "-", color: "red", planned: "to delete", done: "deleted" },
  adopt: { sign: "=", color: "cyan", planned: "to adopt", done: "adopted" },
  forget: { sign: "×", color: "dim", planned: "to forget", done: "forgotten" },
  refuse: { sign: "!", color: "red", planned: "refused", done: "refused" },
  orphan: { sign: "?", color: "yellow", planned: "kept undeclared", done: "kept undeclared" },
  none: { sign: "·", color: "dim", planned: "to record", done: "recorded" },
};
