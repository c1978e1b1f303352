// Applies maintenance windows and freezes to a plan: a finding when planning, a refusal when applying.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { windowSubjectsOf } from "../model/window-subjects.ts";
import type { Plan } from "../model/index.ts";
import {
  type WindowClosure,
  type WindowStatus,
  windowStatusFor,
  expiredRulesAt,
} from "../model/windows/maintenance-window.ts";
import type { WindowRuleSet } from "../model/windows/window-schema.ts";

/** Rules that apply to a stack. */
export interface WindowContext {
  readonly windowRuleSets: readonly WindowRuleSet[];
}

/**
 * Returns whether the writes of a plan are allowed at `at`. Inventory-only changes are allowed unless
 * they remove an object from a rule.
 */
export function planWindowStatus(
  plan: Pick<Plan, "changes">,
  { windowRuleSets }: WindowContext,
  now: Date,
): WindowStatus {
  if (windowRuleSets.every(({ windows, freezes }) => windows.length + freezes.length === 0))
    return { closures: [], opens: undefined };
  return windowStatusFor(windowRuleSets, plan.changes.flatMap(windowSubjectsOf), now);
}

/** Returns warnings for closed windows, active freezes and expired rules. */
export function windowNotes(
  plan: Pick<Plan, "changes">,
  context: WindowContext,
  now: Date,
): readonly Diagnostic[] {
  const windowStatus = planWindowStatus(plan, context, now);
  const over = expiredRulesAt(context.windowRuleSets, now).map((rule): Diagnostic => {
    const summary = `${rule} has expired`;
    return { code: "window-expired", severity: "info", summary, remedy: "Remove or renew it." };
  });
  const closed = windowStatus.closures.map((closure): Diagnostic => {
    return { code: "window-closed", severity: "warning", ...closureMessage(closure, windowStatus) };
  });
  return [...closed, ...over];
}

/** Returns why a plan cannot run at `at`, outside its windows; undefined if it can. A run that began may finish. */
export function closedWindowFailure(
  plan: Pick<Plan, "changes">,
  rules: WindowContext,
  now: Date,
): Failure | undefined {
  const windowStatus = planWindowStatus(plan, rules, now);
  if (windowStatus.closures.length === 0) return undefined;
  const [first] = windowStatus.closures;
  const { opens } = windowStatus;
  const why = windowStatus.closures.map(closureText).join("; ");
  return new Failure("window_closed", `changes are not allowed now: ${why}`, {
    details: { opens: opens?.toISOString() },
    remedy: `Nothing was written. ${waitText(opens)}${askOwnerText(first)}.`,
  });
}

function closureMessage(
  closure: WindowClosure,
  { opens }: WindowStatus,
): Pick<Diagnostic, "summary" | "remedy"> {
  const summary = `this plan cannot be applied now: ${closureText(closure)}`;
  return { summary, remedy: `${waitText(opens)}${askOwnerText(closure)}.` };
}

function askOwnerText(closure: WindowClosure | undefined): string {
  return closure?.owner === undefined ? "" : `, or ask ${closure.owner}`;
}

/**
 * `a freeze of the Stack (backups run)`, with the object it applies to, if that one is not itself
 * changed.
 */
export function closureText({ by, why, reason, cascaded }: WindowClosure): string {
  const texts = {
    freeze: `a freeze of ${by}`,
    deny: `a window of ${by} that denies changes`,
    outside: `outside the windows of ${by} that allow changes`,
  };
  return `${texts[why]} (${reason})${cascaded === undefined ? "" : cascadedText(cascaded)}`;
}

function cascadedText({
  kind,
  name,
  cascadedFrom,
}: NonNullable<WindowClosure["cascaded"]>): string {
  const what = name === undefined ? `an undeclared ${kind}` : `${kind}/${name}`;
  return ` that applies to ${what}, which is deleted with ${cascadedFrom}`;
}

/** `Wait until 2027-03-01T08:00:00Z`. */
export function waitText(opens: Date | undefined): string {
  if (opens === undefined) return "No window opens within a year";
  return `Wait until ${opens.toISOString().replace(".000Z", "Z")}`;
}
