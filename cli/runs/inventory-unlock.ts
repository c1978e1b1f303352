// Runs `svc inventory unlock ID`: breaks the lock of a run that died.
import { unlock } from "../../reconciler/verbs/inventory-admin.ts";
import { type ConnectionFlags, serverAccess } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output-options.ts";
import { runAction } from "../shared/run-action.ts";
import { loadOptions } from "../shared/load-options.ts";
import { type StackFlags, rejectFolder } from "../shared/stack-options.ts";
import { reportInvalidManifests } from "../shared/verb.ts";

export interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly force?: true;
}

/** Runs `svc inventory unlock`. */
export function runInventoryUnlock(id: string, paths: string[], flags: Flags): Promise<void> {
  return runAction(flags, async ({ output }) => {
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
  });
}
