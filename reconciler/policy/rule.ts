// Policies over a plan: rules that look at what is about to happen, and say what they hold against it as diagnostics.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Kind } from "../../core/kind.ts";
import type { Plan } from "../model.ts";

/** How much a finding weighs. */
export type Severity = Diagnostic["severity"];

/** All severities, the worst first. */
export const severities: readonly Severity[] = ["error", "warning", "info"];

/** What a rule holds against a plan, without its weight. */
export type Offence = Omit<Diagnostic, "severity">;

/** One policy. */
export interface Rule {
  readonly name: string;
  readonly severity: Severity;
  /** Pure; the plan's secrets are masked or absent in whatever it says. */
  readonly offences: (plan: Plan, kinds: readonly Kind[]) => readonly Offence[];
}

/** What the rules hold against the plan, in their order. */
export function judge(
  plan: Plan,
  { rules, kinds }: { readonly rules: readonly Rule[]; readonly kinds: readonly Kind[] },
): readonly Diagnostic[] {
  return rules.flatMap(({ severity, offences }) =>
    offences(plan, kinds).map((offence): Diagnostic => ({ ...offence, severity })),
  );
}

/** True when one of the diagnostics weighs as much as the threshold, or more. */
export function reaches(diagnostics: readonly Diagnostic[], threshold: Severity): boolean {
  const worst = severities.slice(0, severities.indexOf(threshold) + 1);
  return diagnostics.some(({ severity }) => worst.includes(severity));
}
