// `svc unlock ID`: breaks the lock that a dead run left behind.
import { Command } from "commander";
import { unlock } from "../../reconciler/verbs/inventory-admin.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { runAction } from "../shared/run-action.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../shared/stack-options.ts";
import { reportInvalidManifests } from "../shared/verb.ts";

type Flags = StackFlags & ConnectionFlags & OutputFlags;

/** The command, to be added to the program. */
export function unlockCommand(): Command {
  const command = new Command("unlock")
    .description(
      "Break the lock of a stack. Make sure first that the run which held it is dead: two runs at once " +
        "would undo each other's work. The server is asked only where it keeps the inventory.",
    )
    .argument("<id>", "the lock's id, as the refused run told it")
    .argument("[paths...]", pathsHelp)
    .action((id: string, paths: string[], flags: Flags) =>
      runAction(flags, async ({ output }) => {
        const connection = () => serverAccess(flags);
        const done = await unlock({ ...loadOptions(paths, flags), connection, id });
        if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
        output.result({
          text: () => `The lock ${id} on stack ${done.stack} is broken.`,
          json: () => ({ unlocked: id, stack: done.stack }),
        });
        return exitCodes.done;
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}
