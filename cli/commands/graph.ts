// `svc graph`: which documents need which, without a server.
import { Command } from "commander";
import { graph } from "../../reconciler/graph.ts";
import { graphDot, graphText } from "../../reconciler/report/graph-text.ts";
import { exits } from "../exit.ts";
import { type OutputFlags, outputOptions } from "../output.ts";
import { perform } from "../perform.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../stack-options.ts";
import { reportMistakes, tellDiagnostics } from "../verb.ts";

interface Flags extends StackFlags, OutputFlags {
  readonly dot?: true;
}

/** The command, to be added to the program. */
export function graphCommand(): Command {
  const command = new Command("graph")
    .description(
      "Show which documents need which, in the order in which their objects are made. No server is asked.",
    )
    .argument("[paths...]", pathsHelp)
    .option("--dot", "as text in the language of Graphviz")
    .action((paths: string[], flags: Flags) =>
      perform(flags, async ({ output }) => {
        const made = await graph(loadOptions(paths, flags));
        if (!made.ok) return reportMistakes(output, made.diagnostics);
        tellDiagnostics(output, made.diagnostics);
        const { stack, nodes } = made;
        output.result({
          text: () => (flags.dot === true ? graphDot(made) : graphText(made)),
          json: () => ({ stack, objects: nodes.map((node) => ({ ...node })) }),
        });
        return exits.done;
      }),
    );
  return outputOptions(stackOptions(command));
}
