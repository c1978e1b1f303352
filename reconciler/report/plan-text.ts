// Formats plans as text.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Action, Change, Plan } from "../model/index.ts";
import { plannedText } from "./actions.ts";
import { actions, countActions } from "../model/actions.ts";
import { keepAdvice } from "../model/keep-advice.ts";
import { allNotChecked, conflictsIn } from "../model/plan-filters.ts";
import { isBlocking } from "./blocked-text.ts";
import { blockedChains, isBlockedByDependency } from "./dependent-chains.ts";
import { type ChangeStyle, changeLines, type ChangeNotes } from "./change-text.ts";
import { diagnosticsText } from "./diagnostics-text.ts";
import { foldChanges } from "./fold-lists.ts";
import { joinBlocks, pluralize, escapeInvisible } from "../../core/text/escape-text.ts";

export { diagnosticsText } from "./diagnostics-text.ts";

/** Formats the changes of a plan, the reasons that block it with the diagnostics of its manifests, and its cost. */
export function planText(
  plan: Plan,
  style: ChangeStyle,
  manifestDiagnostics: readonly Diagnostic[] = [],
): string {
  return joinBlocks([
    basisLine(plan),
    changesText(
      plan.changes.filter((change) => !isBlockedByDependency(change)),
      plan,
      style,
    ),
    diagnosticsText([...manifestDiagnostics, ...otherDiagnostics(plan)], style),
    style.isUndo === true ? "" : (keepAdvice(plan) ?? ""),
    notCheckedText(plan, style),
    planSummary(plan),
  ]);
}

/** Lists the checks that could not run, with `--verbose`. */
function notCheckedText(plan: Plan, { verbose = false }: ChangeStyle): string {
  const all = verbose ? (allNotChecked(plan) ?? []) : [];
  return all.map((check) => `Not checked: ${escapeInvisible(check)}.`).join("\n");
}

/** Names the stack of a plan and its server. */
export function basisLine({ basis }: Plan): string {
  return `Stack ${escapeInvisible(basis.stack)} on ${escapeInvisible(basis.origin)}`;
}

/** Formats the counts and the cost in one line. */
export function planSummary(plan: Plan): string {
  const { changes, unchanged, cost } = plan;
  const counts = countActions(changes);
  const stuck = countActions(changes.filter(({ blockedBy }) => blockedBy.length > 0));
  const blocked = (action: Action): string =>
    stuck[action] === 0 || action === "refuse" ? "" : ` (${stuck[action]} of them blocked)`;
  const todo = actions
    .filter((action) => counts[action] > 0)
    .map((action) => `${counts[action]} ${plannedText(action)}${blocked(action)}`);
  const parts = todo.length === 0 ? ["nothing to do"] : todo;
  const { readCalls, writeCalls, applyCalls, seconds } = cost;
  const all = applyCalls === undefined ? "" : `, ${applyCalls} in all for an apply`;
  const time =
    seconds === undefined
      ? ""
      : `, at least ${pluralize(seconds, "second")} at the rate limit of the stack`;
  const calls = `${pluralize(readCalls, "call")} to read, ${writeCalls} to write${all}${time}`;
  const conflicts = conflictsIn(plan).length;
  const opposed = conflicts === 0 ? [] : [pluralize(conflicts, "conflict")];
  return `Plan: ${[...parts, ...opposed, `${unchanged} unchanged`].join(", ")}; ${calls}.`;
}

/** Formats changes with their notes, folded where they repeat. */
export function changesText(changes: readonly Change[], plan: Plan, style: ChangeStyle): string {
  const about = notesFor(plan);
  const { shown, lines } = foldChanges(changes, about, style);
  const reported = shown.flatMap((change) => changeLines(change, style, about(change)));
  return [...reported, ...lines].join("\n");
}

/** Returns the context of each change in its plan. */
export function notesFor({ changes, diagnostics }: Plan): (change: Change) => ChangeNotes {
  const about = Map.groupBy(diagnostics, ({ address }) => address);
  const chains = blockedChains(changes);
  return ({ address }) => ({ findings: about.get(address), dependents: chains.get(address) });
}

/** Returns the diagnostics that no change shows; equal ones about orphans are grouped. */
export function otherDiagnostics({ changes, diagnostics }: Plan): readonly Diagnostic[] {
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const rest = diagnostics.filter((diagnostic) => {
    const change = diagnostic.address === undefined ? undefined : byAddress.get(diagnostic.address);
    return change === undefined || !isBlocking(diagnostic, change);
  });
  const orphans = Map.groupBy(
    rest.filter(({ code }) => code === "orphan"),
    ({ remedy }) => remedy,
  );
  const merged = [...orphans.values()].flatMap((alike) => {
    const [first] = alike;
    if (first === undefined || alike.length === 1) return alike;
    const { address: _, place: __, path: ___, ...diagnostic } = first;
    return [
      { ...diagnostic, summary: `${alike.length} objects are no longer declared and are kept` },
    ];
  });
  return [...rest.filter(({ code }) => code !== "orphan"), ...merged];
}
