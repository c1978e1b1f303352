// `svc graph`: which documents need which, without a server.
import { Command } from "commander";
import { graph } from "../../reconciler/verbs/graph.ts";
import { graphDot, graphText } from "../../reconciler/report/graph-text.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { runAction } from "../shared/run-action.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../shared/stack-options.ts";
import { reportInvalidManifests, reportDiagnostics } from "../shared/verb.ts";

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
      runAction(flags, async ({ output }) => {
        const made = await graph(loadOptions(paths, flags));
        if (!made.ok) return reportInvalidManifests(output, made.diagnostics);
        reportDiagnostics(output, made.diagnostics);
        const { stack, nodes } = made;
        output.result({
          text: () => (flags.dot === true ? graphDot(made) : graphText(made)),
          json: () => ({ stack, objects: nodes.map((node) => ({ ...node })) }),
        });
        return exitCodes.done;
      }),
    );
  return outputOptions(stackOptions(command));
}
