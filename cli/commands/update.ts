// `svc update`: installs the newest release, or only looks for it.
import { Command } from "commander";
import { outputOptions } from "../shared/output/output-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/update.ts";

/** Returns the `update` command. */
export function updateCommand(version: string): Command {
  const command = new Command("update")
    .description(
      "Download the newest release from GitHub, verify its checksums, and install it with npm in place of this one. " +
        "SVC_UPDATE_REPO names the repository, and SVC_UPDATE_API another server with the API of GitHub.",
    )
    .option("--check", "only print the newest release; installs nothing")
    .action(async (flags: Flags) => (await import("../runs/update.ts")).runUpdate(flags, version));
  return outputOptions(
    withExamples(command, {
      "install the newest release": "svc update",
      "look for a newer one, in a script": "svc update --check --jq .isNewer",
    }),
  );
}
