// `svc inventory unlock ID`: breaks the lock of a run that died.
import { Command } from "commander";
import { unlock } from "../../reconciler/verbs/inventory-admin.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { runAction } from "../shared/run-action.ts";
import {
  loadOptions,
  pathsHelp,
  rejectFolder,
  type StackFlags,
  stackOptions,
} from "../shared/stack-options.ts";
import { reportInvalidManifests } from "../shared/verb.ts";

interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly force?: true;
}

/** Returns the `inventory unlock` command. */
export function inventoryUnlockCommand(): Command {
  const command = new Command("unlock")
    .description(
      "Break the lock that a dead run left. A lock whose holder is alive is refused: its lease has " +
        "not expired, or its process runs on this machine. The server is only contacted if it " +
        "stores the inventory.",
    )
    .argument("<id>", "id of the lock, as the refused run reported it")
    .argument("[paths...]", pathsHelp)
    .option(
      "--force",
      "break it even if its holder is alive; two concurrent runs overwrite each other's changes",
    )
    .action((id: string, paths: string[], flags: Flags) =>
      runAction(flags, async ({ output }) => {
        rejectFolder(id, {
          usage: "svc inventory unlock ID",
          remedy: "the refused run reported the id of the lock",
        });
        const connection = () => serverAccess(flags);
        const done = await unlock({
          ...loadOptions(paths, flags),
          connection,
          id,
          force: flags.force,
        });
        if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
        output.result({
          text: () => `Broke lock ${id} of stack ${done.stack}.`,
          json: () => ({ unlocked: id, stack: done.stack }),
        });
        return exitCodes.done;
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}
