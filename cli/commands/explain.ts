// `svc explain [TYPE[.FIELD]]`: documents the resource types you can declare.
import { Argument, Command } from "commander";
import { type OutputFlags, outputOptions } from "../shared/output/output-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import { setValues } from "../shared/lookup/name-source.ts";

/** Returns the `explain` command. */
export function explainCommand(): Command {
  const command = new Command("explain")
    .description(
      "Describe a resource type or one of its fields: allowed values, the effect of omitting it, and " +
        "the effect of changing it.",
    )
    .addArgument(
      setValues(
        new Argument("[type]", "TYPE or TYPE.FIELD (default: list all resource types)"),
        async (word) => (await import("../completion/kinds.ts")).fieldCandidates(word),
      ),
    )
    .action(async (type: string | undefined, flags: OutputFlags) =>
      (await import("../runs/explain.ts")).runExplain(type, flags),
    );
  return outputOptions(
    withExamples(command, {
      "list the resource types": "svc explain",
      "describe a type": "svc explain User",
      "describe a field": "svc explain User.groups",
      "describe a field of the items of a list": "svc explain Dashboard/spec/widgets/0/type",
    }),
  );
}
