// `svc inventory move`: moves the inventory of a stack to the backend that the Stack names.
import { Command, Option } from "commander";
import { yesOption } from "../shared/options/yes-options.ts";
import { connectionOptions } from "../shared/connection/connection.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import { pathsHelp, stackOptions } from "../shared/options/stack-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/inventory-move.ts";

/** Returns the `inventory move` command. */
export function inventoryMoveCommand(): Command {
  const command = new Command("move")
    .description(
      "Move the inventory of a stack, with the records of its pipelines, to the backend that " +
        "the Stack names. An inventory file is kept under another name; nothing else is written " +
        "on the server.\nWith --to, hand one object over to another stack: its entry moves to the " +
        "inventory of that stack.\nWith --former-url, continue where the server has another " +
        "address now: the inventory gets the address that you are connected to. Whether it is the " +
        "same server is not checked.\nRun it again if it was interrupted. Exits with 5 if " +
        "confirmation is needed.",
    )
    .usage("[options] [paths...]\n       svc inventory move ADDRESS [paths...] --to STACK")
    .argument("[paths...]", `${pathsHelp}; with --to, the address (Kind/name) comes first`)
    .addOption(
      new Option(
        "--to <stack>",
        "hand one object over to this stack: the path of its Stack, or its name",
      ).conflicts(["from", "renamedFrom"]),
    )
    .option(
      "--from <place>",
      "current backend: file, service, postgres, or the path of an inventory file",
      "file",
    )
    .addOption(
      new Option(
        "--renamed-from <stack>",
        "rename the inventory that this stack has under its previous name, in the same backend; " +
          "asks for confirmation",
      ).conflicts("from"),
    )
    .addOption(
      new Option(
        "--former-url <url>",
        "the address that the server had when the stack was applied last; asks for confirmation",
      ).conflicts(["from", "to", "renamedFrom"]),
    )
    .addOption(yesOption())
    .action(async (paths: string[], flags: Flags) =>
      (await import("../runs/inventory-move.ts")).runInventoryMove(paths, flags),
    );
  return outputOptions(
    connectionOptions(
      stackOptions(
        withExamples(command, {
          "move the inventory of a file to the backend that the Stack names":
            "svc inventory move stacks/sales",
          "hand one object over to another stack":
            "svc inventory move Folder/board stacks/sales --to stacks/hr",
          "continue where the server has another address":
            "svc inventory move stacks/sales --former-url http://10.0.0.5:8080",
        }),
      ),
    ),
  );
}
