// Checks plans against the policies that the options of a command name.
import { readRules } from "../../../reconciler/policy/policy-file.ts";
import {
  type PolicyEvaluator,
  type PolicyRule,
  evaluatePolicies,
} from "../../../reconciler/policy/policy-rule.ts";
import { kinds } from "../../../resources/index.ts";
import type { PolicyFlags } from "../options/policy-options.ts";

/** Loads the policies. Fails with `usage` before any request is sent. */
function rulesOf({ policy = [] }: PolicyFlags): readonly PolicyRule[] {
  return policy.flatMap(readRules);
}

/** Returns the findings of the rules for a plan. */
export function policyJudge(flags: PolicyFlags): PolicyEvaluator {
  const rules = rulesOf(flags);
  return (plan) => evaluatePolicies(plan, { rules, kinds });
}
