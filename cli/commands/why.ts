// `svc why`: shows the state of one object and what blocks its change.
import { Command } from "commander";
import { pathsHelp } from "../shared/options/stack-options.ts";
import { type VerbFlags, adoptOption, verbOptions } from "../shared/options/verb-options.ts";
import { withExamples } from "../shared/help/examples.ts";

/** Returns the `why` command. */
export function whyCommand(): Command {
  const command = new Command("why")
    .description(
      "Show everything about one object: where it is declared, what is recorded and live, what " +
        "the plan does and why, and what blocks it: maintenance windows, protection, the delete " +
        "limit, references, other stacks. Nothing is written.",
    )
    .argument("<address>", "address of the object (Kind/name)")
    .argument("[paths...]", pathsHelp)
    .addOption(adoptOption())
    .action(async (given: string, paths: string[], flags: VerbFlags) =>
      (await import("../runs/why.ts")).runWhy(given, paths, flags),
    );
  return verbOptions(
    withExamples(command, {
      "show everything about one object": "svc why Folder/board stacks/sales",
    }),
  );
}
