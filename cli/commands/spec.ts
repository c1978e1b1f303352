// `svc spec [PATTERN]`: lists the operations in the server's OpenAPI document.
import { Command } from "commander";
import { type ConnectionFlags, connectionOptions } from "../shared/connection.ts";
import { type OutputFlags, outputOptions } from "../shared/output-options.ts";

/** Returns the `spec` command. */
export function specCommand(): Command {
  const command = new Command("spec")
    .description(
      "List the operations that the server offers, as a table or as OpenAPI with the schemas they use.",
    )
    .argument("[pattern]", "part of a method, path, summary or operation id; case-insensitive")
    .action(async (pattern: string | undefined, flags: ConnectionFlags & OutputFlags) =>
      (await import("../runs/spec.ts")).runSpec(pattern, flags),
    );
  return outputOptions(connectionOptions(command));
}
