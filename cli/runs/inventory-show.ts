// Runs `svc inventory show`: lists the objects that a stack owns.
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { inventoryText } from "../../reconciler/report/inventory-text.ts";
import { showInventory } from "../../reconciler/verbs/inventory-show.ts";
import { type ConnectionFlags, serverAccess } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import type { StackFlags } from "../shared/options/stack-options.ts";
import { reportInvalidManifests } from "../shared/run/verb.ts";

export type Flags = StackFlags & ConnectionFlags & OutputFlags;

/** Runs `svc inventory show`. */
export function runInventoryShow(paths: string[], flags: Flags): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const connection = () => serverAccess(flags);
    const shown = await showInventory({ ...loadOptions(paths, flags), connection });
    if (!shown.ok) return reportInvalidManifests(output, shown.diagnostics);
    const { ok: _, diagnostics: __, ...inventory } = shown;
    output.result({
      text: () => inventoryText(inventory),
      json: () => commandJson("inventory show", inventory),
    });
    return exitCodes.done;
  });
}
