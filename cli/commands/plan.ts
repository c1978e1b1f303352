// `svc plan`: what apply would do.
import { Command } from "commander";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Plan } from "../../reconciler/model.ts";
import { formNames } from "../../reconciler/report/render.ts";
import { plan } from "../../reconciler/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { exits } from "../exit.ts";
import { perform } from "../perform.ts";
import { judgeBy, type PolicyFlags, policyOptions } from "../policy-options.ts";
import { isToDo } from "../../reconciler/planning/parts.ts";
import { reaches, type Severity } from "../../reconciler/policy/rule.ts";
import { mustTakePlan, savePlan } from "../../reconciler/applying/plan-file.ts";
import { pathsHelp } from "../stack-options.ts";
import {
  adoptOption,
  allowEmptyOption,
  fullOption,
  replaceOption,
  resultOf,
  runVerb,
  type VerbFlags,
  verbOptions,
} from "../verb.ts";

interface Flags extends VerbFlags, PolicyFlags {
  readonly out?: string;
}

/** The command, to be added to the program. */
export function planCommand(): Command {
  const command = new Command("plan")
    .description(
      "Compare the manifests with the server and show what apply would do. Nothing is written anywhere.\n" +
        "Ends with 0 when there is nothing to do, 2 when there are changes.",
    )
    .argument("[paths...]", pathsHelp)
    .option("--out <file>", "save the plan, for `svc apply FILE` to carry out exactly")
    .addOption(adoptOption())
    .addOption(replaceOption())
    .addOption(allowEmptyOption())
    .addOption(fullOption())
    .action((paths: string[], flags: Flags) =>
      perform(flags, async (context) => {
        const asked = { paths, flags, context };
        if (flags.out !== undefined) mustTakePlan(flags.out);
        // Secrets are checked against the saved plan's marks of them, so the key of those has to last.
        const makesKey = flags.out !== undefined;
        const judge = judgeBy(flags);
        const planned = await runVerb(asked, ({ options }) =>
          plan({ ...options, makesKey, judge }),
        );
        if (planned === undefined) return exits.failed;
        if (flags.out !== undefined) savePlan(flags.out, planned.plan, paths);
        const { diagnostics: found, places, names } = planned;
        const { plan: shown } = planned;
        context.output.result(resultOf({ of: "plan", plan: shown, kinds, found, places, names }));
        return exitOfPlan(shown, found, flags.failOn);
      }),
    );
  return verbOptions(policyOptions(command), formNames);
}

function exitOfPlan(planned: Plan, found: readonly Diagnostic[], failOn: Severity): number {
  if (reaches([...found, ...planned.diagnostics], failOn)) return exits.failed;
  return isToDo(planned) ? exits.changes : exits.done;
}
