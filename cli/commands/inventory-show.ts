// `svc inventory show`: lists what a stack owns.
import { Command } from "commander";
import { inventoryText } from "../../reconciler/report/inventory-text.ts";
import { showInventory } from "../../reconciler/verbs/inventory-show.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { runAction } from "../shared/run-action.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../shared/stack-options.ts";
import { reportInvalidManifests } from "../shared/verb.ts";

type Flags = StackFlags & ConnectionFlags & OutputFlags;

/** Returns the `inventory show` command. */
export function inventoryShowCommand(): Command {
  const command = new Command("show")
    .description(
      "List the objects that a stack owns, from its inventory. Live objects are not read; the " +
        "server is only contacted if it stores the inventory.",
    )
    .argument("[paths...]", pathsHelp)
    .action((paths: string[], flags: Flags) =>
      runAction(flags, async ({ output }) => {
        const connection = () => serverAccess(flags);
        const shown = await showInventory({ ...loadOptions(paths, flags), connection });
        if (!shown.ok) return reportInvalidManifests(output, shown.diagnostics);
        const { ok: _, diagnostics: __, ...inventory } = shown;
        output.result({
          text: () => inventoryText(inventory),
          json: () => ({ ...inventory, objects: inventory.objects.map((one) => ({ ...one })) }),
        });
        return exitCodes.done;
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}
