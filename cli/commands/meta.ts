// `svc meta DEPLOYMENT [NAME]`: prints the cubes, views and members that an environment serves.
import { Command } from "commander";
import { connectionOptions } from "../shared/connection/connection.ts";
import { tableOptions } from "../shared/output/table-options.ts";
import { branchOption } from "../shared/options/branch-option.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/meta.ts";

/** Returns the `meta` command. */
export function metaCommand(): Command {
  const command = new Command("meta")
    .description(
      "List the cubes and views that queries can use, or the members of one. " +
        "Reads --branch, otherwise the open dev-mode branch of your credential, otherwise production.",
    )
    .argument("<deployment>", "ID or name of the deployment")
    .argument("[name]", "cube or view whose members to list")
    .addOption(branchOption("whose environment to read"))
    .option("--only-views", "leave out cubes")
    .action(async (deployment: string, name: string | undefined, flags: Flags) =>
      (await import("../runs/meta.ts")).runMeta(deployment, name, flags),
    );
  return connectionOptions(
    tableOptions(
      withExamples(command, {
        "list cubes and views": "svc meta main",
        "list the members of one": "svc meta main orders",
      }),
      true,
    ),
  );
}
