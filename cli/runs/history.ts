// Runs `svc history`: lists the runs of a stack.
import { history } from "../../reconciler/verbs/history.ts";
import { historyJson } from "../../reconciler/report/history-json.ts";
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

/** Runs `svc history`. */
export function runHistory(paths: string[], flags: Flags): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const connection = () => serverAccess(flags);
    const done = await history({ ...loadOptions(paths, flags), connection, last: flags.last });
    if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
    reportDiagnostics(output, done.diagnostics);
    output.result({
      text: () => historyText(done, flags.changes === true),
      json: () => historyJson(done),
    });
    return exitCodes.done;
  });
}
