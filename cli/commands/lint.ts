// `svc lint`: checks manifests offline.
import { Command } from "commander";
import { formatNames } from "../../reconciler/report/format-names.ts";
import { type OutputFlags, outputOptions } from "../shared/output/output-options.ts";
import { type FailOnFlags, failOnOption } from "../shared/options/policy-options.ts";
import { type StackFlags, stackOptions, stacksHelp } from "../shared/options/stack-options.ts";
import { withExamples } from "../shared/help/examples.ts";

/** Returns the `lint` command. */
export function lintCommand(): Command {
  const command = new Command("lint")
    .description(
      "Check manifests offline. All errors are reported in one run, with their positions.",
    )
    .argument("[paths...]", stacksHelp)
    .addOption(failOnOption())
    .action(async (paths: string[], flags: StackFlags & OutputFlags & FailOnFlags) =>
      (await import("../runs/lint.ts")).runLint(paths, flags),
    );
  return outputOptions(
    stackOptions(
      withExamples(command, {
        "check the manifests of this folder": "svc lint",
        "write annotations for a code host": "svc lint stacks/sales --output sarif",
      }),
    ),
    formatNames,
  );
}
