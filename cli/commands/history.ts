// `svc history`: lists the runs of a stack.
import { Command, InvalidArgumentError } from "commander";
import { connectionOptions } from "../shared/connection/connection.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import { pathsHelp, stackOptions } from "../shared/options/stack-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/history.ts";

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
    .action(async (paths: string[], flags: Flags) =>
      (await import("../runs/history.ts")).runHistory(paths, flags),
    );
  return outputOptions(
    connectionOptions(
      stackOptions(
        withExamples(command, {
          "list the last 5 runs": "svc history stacks/sales --last 5",
          "with what they changed": "svc history stacks/sales --changes",
        }),
      ),
    ),
  );
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/u.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
