// `svc update`: installs the newest release, or only looks for it.
import { Command } from "commander";
import { outputOptions } from "../shared/output/output-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/update.ts";

/** Returns the `update` command. */
export function updateCommand(version: string): Command {
  const command = new Command("update")
    .description(
      "Download the newest release, verify its checksum, and replace this one. Works only if the " +
        "installer installed svc; if npm did, update it with npm. SVC_RELEASE_URL is the base " +
        "address of the releases.",
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
