// `svc apply`: plans and applies a stack, or applies a saved plan.
import { Command } from "commander";
import { yesWithDeletesOption } from "../shared/options/yes-options.ts";
import { conflictOption, wholeNumber } from "../shared/options/apply-options.ts";
import { reasonOption } from "../shared/options/recorded-options.ts";
import { formatNames } from "../../reconciler/report/format-names.ts";
import { policyOptions } from "../shared/options/policy-options.ts";
import { stacksHelp } from "../shared/options/stack-options.ts";
import {
  adoptOption,
  allowEmptyOption,
  fullOption,
  replaceOption,
  targetOption,
  verbOptions,
  verboseOption,
} from "../shared/options/verb-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/apply.ts";

/** Returns the `apply` command. */
export function applyCommand(): Command {
  const command = new Command("apply")
    .description(
      "Apply the manifests to the server: plan, show the plan, ask for confirmation, and ask " +
        "separately for deletes and replacements. A saved plan is applied exactly as it is, or " +
        "refused if anything changed since.\nExits with 3 if only part was applied, 4 if the " +
        "plan is stale or another run holds the lock, 5 if confirmation is needed, 6 if a " +
        "maintenance window is closed or a freeze is active.",
    )
    .argument("[paths...]", `${stacksHelp}; or a saved plan`)
    .option("--plan <file>", "apply this saved plan")
    .addOption(yesWithDeletesOption())
    .option("--allow-deletes <n>", "allow this many deletes and replacements", wholeNumber)
    .addOption(conflictOption("apply"))
    .addOption(reasonOption())
    .addOption(adoptOption())
    .addOption(replaceOption())
    .addOption(targetOption())
    .addOption(allowEmptyOption())
    .addOption(fullOption())
    .addOption(verboseOption())
    .option("--keep-going", "with several stacks: apply the others after one fails")
    .action(async (given: string[], flags: Flags) =>
      (await import("../runs/apply.ts")).runApply(given, flags),
    );
  return verbOptions(
    policyOptions(
      withExamples(command, {
        "plan, ask, and apply": "svc apply stacks/sales",
        "apply exactly a plan that was reviewed": "svc apply plan.json",
        "apply in a pipeline, with at most 3 deletes":
          "svc apply stacks/sales --yes --allow-deletes 3",
      }),
    ),
    formatNames,
  );
}
