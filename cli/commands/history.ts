// `svc history`: lists the runs of a stack.
import { Command, InvalidArgumentError } from "commander";
import { history } from "../../reconciler/verbs/history.ts";
import { historyText } from "../../reconciler/report/history-text.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { runAction } from "../shared/run-action.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../shared/stack-options.ts";
import { reportInvalidManifests, reportDiagnostics } from "../shared/verb.ts";

interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly last?: number;
  readonly changes?: true;
}

/** Returns the `history` command. */
export function historyCommand(): Command {
  const command = new Command("history")
    .description(
      "List who applied what to a stack, when, why and from which commit. The inventory keeps " +
        "the most recent runs. The server is only contacted if it stores the inventory.",
    )
    .argument("[paths...]", pathsHelp)
    .option("-n, --last <n>", "number of runs to show, newest first", wholeNumber)
    .option("--changes", "also show the objects that each run changed")
    .action((paths: string[], flags: Flags) =>
      runAction(flags, async ({ output }) => {
        const connection = () => serverAccess(flags);
        const done = await history({ ...loadOptions(paths, flags), connection, last: flags.last });
        if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
        reportDiagnostics(output, done.diagnostics);
        output.result({
          text: () => historyText(done, flags.changes === true),
          json: () => ({ stack: done.stack, runs: done.runs }),
        });
        return exitCodes.done;
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/u.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
