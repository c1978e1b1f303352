// `svc history`: who applied what, when and why.
import { Command, InvalidArgumentError } from "commander";
import { history } from "../../reconciler/runs/history.ts";
import { historyText } from "../../reconciler/report/history-text.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../connection.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../stack-options.ts";
import { reportMistakes, tellDiagnostics } from "../verb.ts";

interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly last?: number;
  readonly changes?: true;
}

/** The command, to be added to the program. */
export function historyCommand(): Command {
  const command = new Command("history")
    .description(
      "Say who applied what to a stack, when, why and from which commit. The inventory remembers the last runs; the server is " +
        "asked only where it keeps the inventory.",
    )
    .argument("[paths...]", pathsHelp)
    .option("-n, --last <n>", "as many runs, the newest first", wholeNumber)
    .option("--changes", "also the objects that each run changed")
    .action((paths: string[], flags: Flags) =>
      perform(flags, async ({ output }) => {
        const connection = () => serverAccess(flags);
        const done = await history({ ...loadOptions(paths, flags), connection, last: flags.last });
        if (!done.ok) return reportMistakes(output, done.diagnostics);
        tellDiagnostics(output, done.diagnostics);
        output.result({
          text: () => historyText(done, flags.changes === true),
          json: () => ({ stack: done.stack, runs: done.runs }),
        });
        return exits.done;
      }),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/u.test(text)) return Number(text);
  throw new InvalidArgumentError("It is a whole number from 1.");
}
