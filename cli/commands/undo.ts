// `svc undo RUN`: takes back what a run did, as far as its before-images go.
import { Command } from "commander";
import { undo } from "../../reconciler/runs/undo.ts";
import { formNames } from "../../reconciler/report/render.ts";
import { perform } from "../perform.ts";
import { policyOptions } from "../policy-options.ts";
import { pathsHelp } from "../stack-options.ts";
import { fullOption, verbOptions } from "../verb.ts";
import { type ApplyFlags, carryOutWith, wholeNumber } from "./apply.ts";

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
      perform(flags, (context) =>
        carryOutWith({ paths, flags, context }, ({ saved: _, ...options }) =>
          undo({ ...options, run }),
        ),
      ),
    );
  return verbOptions(policyOptions(command), formNames);
}
