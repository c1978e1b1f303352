// `svc undo RUN`: reverts a run from the previous values in its journal.
import { Command } from "commander";
import { yesWithDeletesOption } from "../shared/options/yes-options.ts";
import { formatNames } from "../../reconciler/report/format-names.ts";
import { policyOptions } from "../shared/options/policy-options.ts";
import { pathsHelp } from "../shared/options/stack-options.ts";
import { fullOption, verbOptions, verboseOption } from "../shared/options/verb-options.ts";
import { conflictOption, type ApplyFlags, wholeNumber } from "../shared/options/apply-options.ts";
import { reasonOption } from "../shared/options/recorded-options.ts";
import { withExamples } from "../shared/help/examples.ts";

/** Returns the `undo` command. */
export function undoCommand(): Command {
  const command = new Command("undo")
    .description(
      "Revert a run that `svc history` lists: restore fields that still are as the run left them, " +
        "delete the objects that it created, and recreate those that it deleted if all their values " +
        "are known. Plans, shows, asks and applies like `svc apply`, and lists conflicts and what " +
        "cannot be undone. Manifests are not changed: change them too, or the next apply repeats the run.",
    )
    .argument("<run>", "ID of the run, or a unique prefix")
    .argument("[paths...]", pathsHelp)
    .addOption(yesWithDeletesOption())
    .option("--allow-deletes <n>", "allow this many deletes and replacements", wholeNumber)
    .addOption(conflictOption("undo"))
    .addOption(reasonOption())
    .addOption(fullOption())
    .addOption(verboseOption())
    .action(async (run: string, paths: string[], flags: ApplyFlags) =>
      (await import("../runs/undo.ts")).runUndo(run, paths, flags),
    );
  return verbOptions(
    policyOptions(
      withExamples(command, {
        "show what undoing a run would change, and ask": "svc undo RUN stacks/sales",
      }),
    ),
    formatNames,
  );
}
