// `svc explain [KIND[.field]]`: documents the resource types you can declare.
import { Command } from "commander";
import { type OutputFlags, outputOptions } from "../shared/output-options.ts";

/** Returns the `explain` command. */
export function explainCommand(): Command {
  const command = new Command("explain")
    .description(
      "Describe a kind or one of its fields: allowed values, the effect of omitting it, and " +
        "the effect of changing it.",
    )
    .argument("[kind]", "KIND or KIND.field (default: list all kinds)")
    .action(async (asked: string | undefined, flags: OutputFlags) =>
      (await import("../runs/explain.ts")).runExplain(asked, flags),
    );
  return outputOptions(command);
}
