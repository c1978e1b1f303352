// Runs `svc history`: lists the runs of a stack.
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { type PastRun, history } from "../../reconciler/verbs/history.ts";
import { historyText } from "../../reconciler/report/history-text.ts";
import { type ConnectionFlags, serverAccess } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import type { StackFlags } from "../shared/options/stack-options.ts";
import { reportDiagnostics, reportInvalidManifests } from "../shared/run/verb.ts";

export interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly last?: number;
  readonly changes?: true;
}

/** Returns a run with its reason under the name of the option. */
function runJson({ message, ...run }: PastRun): object {
  return { ...run, ...(message !== undefined && { reason: message }) };
}

/** Runs `svc history`. */
export function runHistory(paths: string[], flags: Flags): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const connection = () => serverAccess(flags);
    const done = await history({ ...loadOptions(paths, flags), connection, last: flags.last });
    if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
    reportDiagnostics(output, done.diagnostics);
    output.result({
      text: () => historyText(done, flags.changes === true),
      json: () => commandJson("history", { stack: done.stack, runs: done.runs.map(runJson) }),
    });
    return exitCodes.done;
  });
}
