// `svc show`: shows a saved plan.
import { Command } from "commander";
import { formatNames } from "../../reconciler/report/format-names.ts";
import { type OutputFlags, outputOptions } from "../shared/output/output-options.ts";
import { fullOption, verboseOption } from "../shared/options/verb-options.ts";
import { withExamples } from "../shared/help/examples.ts";

/** Returns the `show` command. */
export function showCommand(): Command {
  const command = new Command("show")
    .description("Show a plan that `svc plan --out` saved. Works offline.")
    .argument("<file>", "saved plan")
    .addOption(fullOption())
    .addOption(verboseOption())
    .action(async (file: string, flags: OutputFlags) =>
      (await import("../runs/show.ts")).runShow(file, flags),
    );
  return outputOptions(
    withExamples(command, {
      "show a saved plan": "svc show plan.json",
      "list the addresses that it deletes":
        "svc show plan.json --jq '.changes[] | select(.action == \"delete\") | .address'",
    }),
    formatNames,
  );
}
