// `svc adopt`: imports existing objects into the inventory of a stack without changing them.
import { Command } from "commander";
import { yesOption } from "../shared/options/yes-options.ts";
import { appendValue, pathsHelp } from "../shared/options/stack-options.ts";
import { fullOption, verbOptions } from "../shared/options/verb-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/adopt.ts";

/** Returns the `adopt` command. */
export function adoptCommand(): Command {
  const command = new Command("adopt")
    .description(
      "Import existing objects: record declared objects that already exist on the server, and " +
        "that no stack owns, as owned by this stack. Shows them and asks for confirmation. Only " +
        "the inventory is written; differences from the manifests appear in the next " +
        "plan.\nExits with 4 if another stack owns one of the objects, 5 if confirmation is needed.",
    )
    .argument("[paths...]", `${pathsHelp}; or addresses, as with --only`)
    .option("--only <address>", "adopt only this object (Kind/name); repeatable", appendValue)
    .addOption(yesOption())
    .addOption(fullOption())
    .action(async (given: string[], flags: Flags) =>
      (await import("../runs/adopt.ts")).runAdopt(given, flags),
    );
  return verbOptions(
    withExamples(command, {
      "show the existing objects that the stack declares, and ask": "svc adopt stacks/sales",
      "adopt without a terminal": "svc adopt stacks/sales --yes",
    }),
  );
}
