// `svc validate DEPLOYMENT`: compiles the data model of a branch on the server and prints its errors.
import { Command, Option } from "commander";
import { connectionOptions } from "../shared/connection/connection.ts";
import { outputOptions } from "../shared/output/output-options.ts";
import { branchOption } from "../shared/options/branch-option.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/validate.ts";

/** Returns the `validate` command. */
export function validateCommand(): Command {
  const command = new Command("validate")
    .description(
      "Compile the data model of the deploy branch, of --branch, or of the open dev-mode branch, and " +
        "print every error. Exits with 1 if there are errors. Manifests are checked by `svc lint`.",
    )
    .argument("<deployment>", "ID or name of the deployment")
    .addOption(branchOption("to validate"))
    .addOption(
      new Option(
        "--dev-mode",
        "validate the open dev-mode branch with its uncommitted changes",
      ).conflicts("branch"),
    )
    .addOption(
      new Option("--verbose", "list whether queries can use each pre-aggregation, and why not"),
    )
    .action(async (deployment: string, flags: Flags) =>
      (await import("../runs/validate.ts")).runValidate(deployment, flags),
    );
  return outputOptions(
    connectionOptions(
      withExamples(command, {
        "compile the deploy branch": "svc validate main",
        "what each pre-aggregation is good for": "svc validate main --verbose",
        "a branch, in a pipeline": "svc validate main --branch feature-x --json",
      }),
    ),
  );
}
