// `svc export`: writes manifests for live objects.
import { Argument, Command, Option } from "commander";
import { fullOption, verbOptions } from "../shared/options/verb-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import { setValues } from "../shared/lookup/name-source.ts";
import type { Flags } from "../runs/export.ts";

/** Returns the `export` command. */
export function exportCommand(): Command {
  const command = new Command("export")
    .description(
      "Write manifests for the objects on the server. After `svc adopt`, the plan for them is " +
        "empty. Nothing is written on the server. Secrets are never exported; values that cannot " +
        "be read become comments.",
    )
    .addArgument(
      setValues(
        new Argument(
          "[types...]",
          "only these resource types (default: all that the server can list)",
        ),
        async () => (await import("../completion/kinds.ts")).kindCandidates(),
      ),
    )
    .option("--into <folder>", "write files into this folder (default: write to standard output)")
    .addOption(
      new Option(
        "--split <by>",
        "with --into: one file per resource type (kind), per tenant or deployment, or one file for everything " +
          "(default: kind)",
      ).choices(["kind", "parent", "one"]),
    )
    .option("--stack <name>", "name of the generated Stack (default: the name of the folder)")
    .option("--no-stack", "do not write a Stack; the default if the folder contains one")
    .addOption(new Option("--overwrite", "overwrite existing files").conflicts(["update"]))
    .option(
      "--update",
      "with --into: update the manifests of the stack in that folder where they differ from the server",
    )
    .option("--only-declared", "with --update: do not add documents for undeclared objects")
    .addOption(fullOption())
    .action(async (names: string[], flags: Flags) =>
      (await import("../runs/export.ts")).runExport(names, flags),
    );
  return verbOptions(
    withExamples(command, {
      "write manifests for all objects": "svc export --into live",
      "of two types": "svc export Folder Workbook --into live",
    }),
  );
}
