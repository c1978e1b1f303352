// Runs `svc graph`: shows dependencies between documents, offline.
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { graph } from "../../reconciler/verbs/graph.ts";
import { graphDot, graphText } from "../../reconciler/report/graph-text.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import type { StackFlags } from "../shared/options/stack-options.ts";
import { reportDiagnostics, reportInvalidManifests } from "../shared/run/verb.ts";

export interface Flags extends StackFlags, OutputFlags {
  readonly dot?: true;
}

/** Runs `svc graph`. */
export function runGraph(paths: string[], flags: Flags): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const result = await graph(loadOptions(paths, flags));
    if (!result.ok) return reportInvalidManifests(output, result.diagnostics);
    reportDiagnostics(output, result.diagnostics);
    const { stack, nodes } = result;
    output.result({
      text: () => (flags.dot === true ? graphDot(result) : graphText(result)),
      json: () => commandJson("graph", { stack, objects: nodes.map((node) => ({ ...node })) }),
    });
    return exitCodes.done;
  });
}
