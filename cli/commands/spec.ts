// `svc spec [PATTERN]`: lists the operations in the server's OpenAPI document.
import { Command } from "commander";
import { connectionOptions } from "../shared/connection/connection.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import { columnOptions } from "../shared/output/table-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/spec.ts";

/** Returns the `spec` command. */
export function specCommand(): Command {
  const command = new Command("spec")
    .description(
      "List the operations that the server offers, as a table or as OpenAPI with the schemas they use.",
    )
    .argument("[pattern]", "part of a method, path, summary or operation id; case-insensitive")
    .action(async (pattern: string | undefined, flags: Flags) =>
      (await import("../runs/spec.ts")).runSpec(pattern, flags),
    );
  return columnOptions(
    outputOptions(
      connectionOptions(
        withExamples(command, {
          "list all operations": "svc spec",
          "operations on folders": "svc spec folders",
          "their OpenAPI": "svc spec folders --json",
        }),
      ),
    ),
    async () => [...(await import("../runs/spec.ts")).columns.keys()],
  );
}
