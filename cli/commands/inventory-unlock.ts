// `svc inventory unlock ID`: breaks the lock of a run that died.
import { Command } from "commander";
import { connectionOptions } from "../shared/connection/connection.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import { pathsHelp, stackOptions } from "../shared/options/stack-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/inventory-unlock.ts";

/** Returns the `inventory unlock` command. */
export function inventoryUnlockCommand(): Command {
  const command = new Command("unlock")
    .description(
      "Break the lock that a dead run left. Asks before it breaks a lock whose holder may run: its " +
        "lease has not expired, and its process has not exited on this machine. Without a terminal, the " +
        "command then fails unless --yes is given. The server is only contacted if it stores the inventory.",
    )
    .argument("<id>", "ID of the lock, as the refused run reported it")
    .argument("[paths...]", pathsHelp)
    .option(
      "-y, --yes",
      "do not ask, even if the holder may run; two concurrent runs overwrite each other's changes",
    )
    .action(async (id: string, paths: string[], flags: Flags) =>
      (await import("../runs/inventory-unlock.ts")).runInventoryUnlock(id, paths, flags),
    );
  return outputOptions(
    connectionOptions(
      stackOptions(
        withExamples(command, {
          "break the lock of a run that died": "svc inventory unlock ID stacks/sales",
        }),
      ),
    ),
  );
}
