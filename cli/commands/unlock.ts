// `svc unlock ID`: breaks the lock that a dead run left behind.
import { Command } from "commander";
import { unlock } from "../../reconciler/keeping.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../connection.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../stack-options.ts";
import { reportMistakes } from "../verb.ts";

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
      perform(flags, async ({ output }) => {
        const connection = () => serverAccess(flags);
        const done = await unlock({ ...loadOptions(paths, flags), connection, id });
        if (!done.ok) return reportMistakes(output, done.diagnostics);
        output.result({
          text: () => `The lock ${id} on stack ${done.stack} is broken.`,
          json: () => ({ unlocked: id, stack: done.stack }),
        });
        return exits.done;
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}
