// `svc undo RUN`: takes back what a run did, as far as its before-images go.
import { Command } from "commander";
import { undo } from "../../reconciler/verbs/undo.ts";
import { formatNames } from "../../reconciler/report/render.ts";
import { runAction } from "../shared/run-action.ts";
import { policyOptions } from "../shared/policy-options.ts";
import { pathsHelp } from "../shared/stack-options.ts";
import { fullOption, verbOptions } from "../shared/verb.ts";
import { type ApplyFlags, executeApply, wholeNumber } from "./apply.ts";

/** The command, to be added to the program. */
export function undoCommand(): Command {
  const command = new Command("undo")
    .description(
      "Take back a run that `svc history` lists: fields get what they held before, what it made is deleted, what it deleted is " +
        "made again where nothing of it is missing. Plans, shows, asks and applies as `svc apply` does, and says what cannot be undone. " +
        "The manifests stay: change them as well, or the next apply does it again.",
    )
    .argument("<run>", "the run's id, or how it begins")
    .argument("[paths...]", pathsHelp)
    .option("-y, --yes", "do not ask; deletes and replaces only within the stack's own budget")
    .option("--allow-deletes <n>", "allow as many deletes and replaces", wholeNumber)
    .option("-m, --message <text>", "why, for `svc history`")
    .addOption(fullOption())
    .action((run: string, paths: string[], flags: ApplyFlags) =>
      runAction(flags, (context) =>
        executeApply({ paths, flags, context }, ({ savedPlan: _, ...options }) =>
          undo({ ...options, run }),
        ),
      ),
    );
  return verbOptions(policyOptions(command), formatNames);
}
