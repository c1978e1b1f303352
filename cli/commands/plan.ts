// `svc plan`: shows what apply would do.
import { Command } from "commander";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Plan } from "../../reconciler/model/index.ts";
import { formatNames } from "../../reconciler/report/render.ts";
import { plan } from "../../reconciler/verbs/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runStacks } from "../shared/run-stacks.ts";
import { policyJudge, type PolicyFlags, policyOptions } from "../shared/policy-options.ts";
import { hasServerChanges } from "../../reconciler/model/plan-filters.ts";
import { reachesSeverity } from "../../reconciler/policy/policy-rule.ts";
import { assertPlanWritable, savePlan } from "../../reconciler/engine/plan-file.ts";
import { stacksHelp } from "../shared/stack-options.ts";
import {
  adoptOption,
  allowEmptyOption,
  fullOption,
  replaceOption,
  resultOf,
  runVerb,
  targetOption,
  type VerbFlags,
  verbOptions,
  verboseOption,
} from "../shared/verb.ts";

interface Flags extends VerbFlags, PolicyFlags {
  readonly out?: string;
  readonly detailedExitcode?: true;
}

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
    .action((paths: string[], flags: Flags) =>
      runStacks(
        { paths, flags, targets: flags.target, ...oneStack(flags) },
        async (stack, context) => {
          const asked = { paths: stack, flags, context };
          if (flags.out !== undefined) assertPlanWritable(flags.out);
          // apply compares secrets with the fingerprints in the saved plan, so the key of those must be
          // stored.
          const makesKey = flags.out !== undefined;
          const judge = policyJudge(flags);
          const planned = await runVerb(asked, ({ options }) =>
            plan({ ...options, createsKey: makesKey, evaluatePolicies: judge }),
          );
          if (planned === undefined) return exitCodes.failed;
          if (flags.out !== undefined) savePlan(flags.out, planned.plan, stack);
          const { diagnostics, places, addressesByKey } = planned;
          const { plan: shown } = planned;
          context.output.result(
            resultOf({
              type: "plan",
              plan: shown,
              kinds,
              manifestDiagnostics: diagnostics,
              places,
              names: addressesByKey,
            }),
          );
          return exitCodeOfPlan(shown, diagnostics, flags);
        },
      ),
    );
  return verbOptions(policyOptions(command), formatNames);
}

function oneStack({ out }: Flags): { readonly oneStackOption?: string } {
  return out === undefined ? {} : { oneStackOption: "--out" };
}

function exitCodeOfPlan(
  planned: Plan,
  found: readonly Diagnostic[],
  { failOn, detailedExitcode }: Flags,
): number {
  if (reachesSeverity([...found, ...planned.diagnostics], failOn)) return exitCodes.failed;
  const isChanged = detailedExitcode === true && hasServerChanges(planned);
  return isChanged ? exitCodes.changes : exitCodes.done;
}
