// Policies over a plan: rules that look at what is about to happen, and say what they hold against it as diagnostics.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import type { Kind } from "../../core/kind.ts";
import type { Plan } from "../model/index.ts";
import { deepFreeze } from "../engine/plan.ts";

/** How much a finding weighs. */
export type Severity = Diagnostic["severity"];

/** All severities, the worst first. */
export const severities: readonly Severity[] = ["error", "warning", "info"];

/** What a rule holds against a plan, without its weight. */
export type PolicyViolation = Omit<Diagnostic, "severity">;

/** One policy. */
export interface PolicyRule {
  readonly name: string;
  readonly severity: Severity;
  /** Pure; the plan's secrets are masked or absent in whatever it says. */
  readonly evaluate: (plan: Plan, kinds: readonly Kind[]) => readonly PolicyViolation[];
}

/** What the rules hold against the plan, in their order. */
export function evaluatePolicies(
  plan: Plan,
  { rules, kinds }: { readonly rules: readonly PolicyRule[]; readonly kinds: readonly Kind[] },
): readonly Diagnostic[] {
  return rules.flatMap(({ severity, evaluate: offences }) =>
    offences(plan, kinds).map((offence): Diagnostic => ({ ...offence, severity })),
  );
}

/** Whatever is held against a plan beside what it says itself; see {@link evaluatePolicies}. */
export type PolicyEvaluator = (plan: Plan) => readonly Diagnostic[];

/** The plan with what is held against it among its diagnostics. */
export function withPolicyFindings(plan: Plan, by: PolicyEvaluator | undefined): Plan {
  if (by === undefined) return plan;
  return deepFreeze({ ...plan, diagnostics: [...plan.diagnostics, ...by(plan)] });
}

/** Fails with `refused` where findings of a judged plan weigh as much as the threshold, or more. */
export function assertPolicies({ diagnostics }: Plan, failOn: Severity): void {
  const count = diagnostics.filter((one) => reachesSeverity([one], failOn)).length;
  if (count === 0) return;
  throw new Failure("refused", `the plan has findings at or above --fail-on ${failOn}: ${count}`, {
    remedy:
      "mend what the findings name, or let somebody who may do so apply with another threshold",
  });
}

/** True when one of the diagnostics weighs as much as the threshold, or more. */
export function reachesSeverity(diagnostics: readonly Diagnostic[], threshold: Severity): boolean {
  const worst = severities.slice(0, severities.indexOf(threshold) + 1);
  return diagnostics.some(({ severity }) => worst.includes(severity));
}
