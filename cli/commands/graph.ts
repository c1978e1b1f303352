// `svc graph`: shows dependencies between documents, offline.
import { Command, Option } from "commander";
import { outputOptions } from "../shared/output/output-options.ts";
import { pathsHelp, stackOptions } from "../shared/options/stack-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/graph.ts";

/** Returns the `graph` command. */
export function graphCommand(): Command {
  const command = new Command("graph")
    .description("Show which documents depend on which, in the order of creation. Works offline.")
    .argument("[paths...]", pathsHelp)
    .addOption(new Option("--dot", "print Graphviz DOT").conflicts(["json", "jq", "output"]))
    .action(async (paths: string[], flags: Flags) =>
      (await import("../runs/graph.ts")).runGraph(paths, flags),
    );
  return outputOptions(
    stackOptions(
      withExamples(command, {
        "show which documents depend on which": "svc graph stacks/sales",
        "draw them with Graphviz": "svc graph stacks/sales --dot | dot -Tsvg -o graph.svg",
      }),
    ),
  );
}
