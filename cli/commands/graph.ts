// `svc graph`: shows dependencies between documents, offline.
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

/** Returns the `graph` command. */
export function graphCommand(): Command {
  const command = new Command("graph")
    .description("Show which documents depend on which, in the order of creation. Works offline.")
    .argument("[paths...]", pathsHelp)
    .option("--dot", "print Graphviz DOT")
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
