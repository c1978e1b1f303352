// Policies: rules that check a plan and report findings as diagnostics.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { Plan } from "../model/index.ts";
import { deepFreeze } from "../engine/make-plan.ts";
import { type Severity, severities } from "./policy-names.ts";

/** A finding without its severity. */
export type PolicyViolation = Omit<Diagnostic, "severity">;

/** One policy rule. */
export interface PolicyRule {
  readonly name: string;
  readonly severity: Severity;
  /** Checks a plan. Pure; secrets are masked or absent in findings. */
  readonly evaluate: (plan: Plan, kinds: readonly Kind[]) => readonly PolicyViolation[];
}

/** Returns the findings of all rules, in their order. */
export function evaluatePolicies(
  plan: Plan,
  { rules, kinds }: { readonly rules: readonly PolicyRule[]; readonly kinds: readonly Kind[] },
): readonly Diagnostic[] {
  return rules.flatMap(({ severity, evaluate }) =>
    evaluate(plan, kinds).map((offence): Diagnostic => ({ ...offence, severity })),
  );
}

/** Additional checks of a plan; see {@link evaluatePolicies}. */
export type PolicyEvaluator = (plan: Plan) => readonly Diagnostic[];

/** Returns the plan with the findings added to its diagnostics. */
export function withPolicyFindings(plan: Plan, by: PolicyEvaluator | undefined): Plan {
  if (by === undefined) return plan;
  return deepFreeze({ ...plan, diagnostics: [...plan.diagnostics, ...by(plan)] });
}

/** Returns the failure of a plan with findings of at least the severity of the threshold; undefined if it has none. */
export function policyFailure({ diagnostics }: Plan, failOn: Severity): Failure | undefined {
  const count = diagnostics.filter((diagnostic) => reachesSeverity([diagnostic], failOn)).length;
  if (count === 0) return undefined;
  return new Failure("refused", `the plan has findings at or above --fail-on ${failOn}: ${count}`, {
    remedy: "Fix the findings, or ask someone with permission to apply with another threshold.",
  });
}

/** Returns true if a diagnostic has at least the severity of the threshold. */
export function reachesSeverity(diagnostics: readonly Diagnostic[], threshold: Severity): boolean {
  const worst = severities.slice(0, severities.indexOf(threshold) + 1);
  return diagnostics.some(({ severity }) => worst.includes(severity));
}
