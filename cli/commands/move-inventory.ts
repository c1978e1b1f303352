// `svc move-inventory`: from the file beside the Stack to the store that the Stack names now.
import { Command } from "commander";
import { moveInventory } from "../../reconciler/keeping.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../connection.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../stack-options.ts";
import { reportMistakes } from "../verb.ts";

type Flags = StackFlags & ConnectionFlags & OutputFlags;

/** The command, to be added to the program. */
export function moveInventoryCommand(): Command {
  const command = new Command("move-inventory")
    .description(
      "Take the inventory of a stack along from its file to the store that the Stack names: `inventory: service` or " +
        "`inventory: postgres`. The file is put aside. Nothing else is written on the server.",
    )
    .argument("[paths...]", pathsHelp)
    .action((paths: string[], flags: Flags) =>
      perform(flags, async ({ output }) => {
        const access = () => serverAccess(flags);
        const done = await moveInventory({ ...loadOptions(paths, flags), access });
        if (!done.ok) return reportMistakes(output, done.diagnostics);
        const { stack, owned, kept } = done;
        output.result({
          text: () =>
            `The inventory of stack ${stack} (${owned} objects) is moved; its file is kept as ${kept}.`,
          json: () => ({ stack, owned, kept }),
        });
        return exits.done;
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}
