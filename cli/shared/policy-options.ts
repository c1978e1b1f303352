// Policies on the command line: which rules a plan is held against, and from which severity on a run fails.
import { type Command, Option } from "commander";
import { appendValue } from "./stack-options.ts";
import { readRules, recommended } from "../../reconciler/policy/policy-file.ts";
import {
  evaluatePolicies,
  type PolicyEvaluator,
  type PolicyRule,
  severities,
  type Severity,
} from "../../reconciler/policy/policy-rule.ts";
import { kinds } from "../../resources/index.ts";

/** What {@link failOnOption} gives. */
export interface FailOnFlags {
  readonly failOn: Severity;
}

/** What the options of {@link policyOptions} give. */
export interface PolicyFlags extends FailOnFlags {
  readonly policy?: readonly string[];
}

/** From which severity on findings fail a run. */
export function failOnOption(): Option {
  return new Option("--fail-on <severity>", "fail where a finding is as bad as this, or worse")
    .choices([...severities])
    .default("error");
}

/** Adds the options that hold a plan against policies. */
export function policyOptions(command: Command): Command {
  return command
    .optionsGroup("Policies:")
    .option(
      "--policy <file>",
      `hold the plan against a file of policies, or against those named ${recommended}; repeat it for several`,
      appendValue,
    )
    .addOption(failOnOption());
}

/** Fails with `usage` before anything is asked of a server. */
function rulesOf({ policy = [] }: PolicyFlags): readonly PolicyRule[] {
  return policy.flatMap(readRules);
}

/** What the rules hold against a plan. */
export function policyJudge(flags: PolicyFlags): PolicyEvaluator {
  const rules = rulesOf(flags);
  return (plan) => evaluatePolicies(plan, { rules, kinds });
}
