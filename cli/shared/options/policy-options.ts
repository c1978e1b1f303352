// Policy options: which rules to check a plan against, and which severity fails the run.
import { type Command, Option } from "commander";
import { appendValue } from "./stack-options.ts";
import { recommended, type Severity, severities } from "../../../reconciler/policy/policy-names.ts";

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
