// `svc plan`: shows what apply would do.
import { Command } from "commander";
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
import type { Flags } from "../runs/plan.ts";

/** Returns the `plan` command. */
export function planCommand(): Command {
  const command = new Command("plan")
    .description(
      "Compare the manifests with the server and show what apply would do. Nothing is written " +
        "anywhere.\nExits with 0, also if there are changes; with --detailed-exitcode, 2 means " +
        "that there are changes.",
    )
    .argument("[paths...]", stacksHelp)
    .option("--out <file>", "save the plan, to apply it exactly with `svc apply FILE`")
    .option("--detailed-exitcode", "exit with 2 if there are changes")
    .addOption(adoptOption())
    .addOption(replaceOption())
    .addOption(targetOption())
    .addOption(allowEmptyOption())
    .addOption(fullOption())
    .addOption(verboseOption())
    .action(async (paths: string[], flags: Flags) =>
      (await import("../runs/plan.ts")).runPlan(paths, flags),
    );
  return verbOptions(
    policyOptions(
      withExamples(command, {
        "show what apply would do": "svc plan stacks/sales",
        "save the plan for apply": "svc plan stacks/sales --out plan.json",
        "exit with 2 if there are changes": "svc plan stacks/sales --detailed-exitcode",
      }),
    ),
    formatNames,
  );
}
