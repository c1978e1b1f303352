// What windows and freezes mean for a plan: a finding where it is shown, and a refusal where it is to be applied.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { windowSubjectsOf } from "../model/windows/window-subjects.ts";
import type { Plan } from "../model/index.ts";
import {
  type WindowClosure,
  type WindowStatus,
  windowStatusFor,
  expiredRulesAt,
} from "../model/windows/maintenance-window.ts";
import type { WindowRuleSet } from "../model/windows/window-schema.ts";

/** The rules for a stack. */
export interface WindowContext {
  readonly windowRuleSets: readonly WindowRuleSet[];
}

/** Whether what a plan writes to the server may be written at `at`; of our own record, only what takes an object out of a rule is asked about. */
export function planWindowStatus(
  plan: Pick<Plan, "changes">,
  { windowRuleSets: sets }: WindowContext,
  at: Date,
): WindowStatus {
  if (sets.every(({ windows, freezes }) => windows.length + freezes.length === 0))
    return { closures: [], opens: undefined };
  return windowStatusFor(sets, plan.changes.flatMap(windowSubjectsOf), at);
}

/** What a plan says of windows: those that it would not be applied in, and rules that are over. */
export function windowNotes(
  plan: Pick<Plan, "changes">,
  given: WindowContext,
  at: Date,
): readonly Diagnostic[] {
  const opening = planWindowStatus(plan, given, at);
  const over = expiredRulesAt(given.windowRuleSets, at).map((rule): Diagnostic => {
    const summary = `${rule} is over, and holds no more`;
    return { code: "window-expired", severity: "info", summary, remedy: "remove it, or renew it" };
  });
  const closed = opening.closures.map((closure): Diagnostic => {
    return { code: "window-closed", severity: "warning", ...closureMessage(closure, opening) };
  });
  return [...closed, ...over];
}

/** The refusal to apply a plan at a moment that is not open. */
export function closedFailure(opening: WindowStatus): Failure {
  const [first] = opening.closures;
  const { opens } = opening;
  const why = opening.closures.map(closureText).join("; ");
  return new Failure("window_closed", `nothing may be changed now: ${why}`, {
    details: { opens: opens?.toISOString() },
    remedy: `nothing was written; ${waitText(opens)}${askOwnerText(first)}`,
  });
}

function closureMessage(
  closure: WindowClosure,
  { opens }: WindowStatus,
): Pick<Diagnostic, "summary" | "remedy"> {
  const summary = `this plan may not be applied now: ${closureText(closure)}`;
  return { summary, remedy: `${waitText(opens)}${askOwnerText(closure)}` };
}

function askOwnerText(closure: WindowClosure | undefined): string {
  return closure?.owner === undefined ? "" : `, or ask ${closure.owner}`;
}

/** `a freeze of the Stack (backups run)`, and with what where that is not itself changed. */
export function closureText({ by, why, reason, cascaded: along }: WindowClosure): string {
  const said = {
    freeze: `a freeze of ${by}`,
    deny: `a window of ${by} that denies changes`,
    outside: `outside the windows of ${by} that allow changes`,
  };
  return `${said[why]} (${reason})${along === undefined ? "" : cascadedText(along)}`;
}

function cascadedText({
  kind,
  name,
  cascadedFrom: goesWith,
}: NonNullable<WindowClosure["cascaded"]>): string {
  const what = name === undefined ? `an undeclared ${kind}` : `${kind}/${name}`;
  return ` about ${what}, which goes along with ${goesWith}`;
}

/** `it opens at 2027-03-01T08:00:00Z`. */
export function waitText(opens: Date | undefined): string {
  if (opens === undefined) return "it does not open within a year";
  return `it opens at ${opens.toISOString().replace(".000Z", "Z")}`;
}
