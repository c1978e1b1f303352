// Policy options: which rules to check a plan against, and which severity fails the run.
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

/** Values of {@link failOnOption}. */
export interface FailOnFlags {
  readonly failOn: Severity;
}

/** Values of {@link policyOptions}. */
export interface PolicyFlags extends FailOnFlags {
  readonly policy?: readonly string[];
}

/** Returns the option for the severity that fails a run. */
export function failOnOption(): Option {
  return new Option("--fail-on <severity>", "fail if a finding has at least this severity")
    .choices([...severities])
    .default("error");
}

/** Adds the options that check a plan against policies. */
export function policyOptions(command: Command): Command {
  return command
    .optionsGroup("Policies:")
    .option(
      "--policy <file>",
      "check the plan against the policies in a file, or against the built-in ones named " +
        `${recommended}; repeatable`,
      appendValue,
    )
    .addOption(failOnOption());
}

/** Loads the policies. Fails with `usage` before any request is sent. */
function rulesOf({ policy = [] }: PolicyFlags): readonly PolicyRule[] {
  return policy.flatMap(readRules);
}

/** Returns the findings of the rules for a plan. */
export function policyJudge(flags: PolicyFlags): PolicyEvaluator {
  const rules = rulesOf(flags);
  return (plan) => evaluatePolicies(plan, { rules, kinds });
}
