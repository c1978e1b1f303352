// `svc stacks`: lists the stacks below folders, or those that commits changed. Works offline.
import { Command } from "commander";
import { outputOptions } from "../shared/output/output-options.ts";
import { stackOptions } from "../shared/options/stack-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/stacks.ts";

/** Returns the `stacks` command. */
export function stacksCommand(): Command {
  const command = new Command("stacks")
    .description(
      "List the folders of the stacks below the current folder, one a line, for other commands. Works offline.",
    )
    .argument("[folders...]", "folders to search (default: the current folder)")
    .option(
      "--changed-since <revision>",
      "only stacks with a file that the commits since changed, in the stack's folder or in what it shares",
    )
    .action(async (folders: string[], flags: Flags) =>
      (await import("../runs/stacks.ts")).runStackList(folders, flags),
    );
  return outputOptions(
    stackOptions(
      withExamples(command, {
        "list all stacks": "svc stacks",
        "list the stacks that a branch changes": "svc stacks --changed-since main",
      }),
    ),
  );
}
