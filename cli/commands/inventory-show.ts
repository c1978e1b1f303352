// `svc inventory show`: lists the objects that a stack owns.
import { Command } from "commander";
import { connectionOptions } from "../shared/connection/connection.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import { pathsHelp, stackOptions } from "../shared/options/stack-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/inventory-show.ts";

/** Returns the `inventory show` command. */
export function inventoryShowCommand(): Command {
  const command = new Command("show")
    .description(
      "List the objects that a stack owns, from its inventory. Live objects are not read; the " +
        "server is only contacted if it stores the inventory.",
    )
    .argument("[paths...]", pathsHelp)
    .action(async (paths: string[], flags: Flags) =>
      (await import("../runs/inventory-show.ts")).runInventoryShow(paths, flags),
    );
  return outputOptions(
    connectionOptions(
      stackOptions(
        withExamples(command, { "list what the stack owns": "svc inventory show stacks/sales" }),
      ),
    ),
  );
}
