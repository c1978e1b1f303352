// `svc drift`: shows differences between the manifests and the server, and which side changed.
import { Command } from "commander";
import { formatNames } from "../../reconciler/report/format-names.ts";
import { stacksHelp } from "../shared/options/stack-options.ts";
import { fullOption, verbOptions } from "../shared/options/verb-options.ts";
import { withExamples } from "../shared/help/examples.ts";
import type { Flags } from "../runs/drift.ts";

/** Returns the `drift` command. */
export function driftCommand(): Command {
  const command = new Command("drift")
    .description(
      "Show every field that differs between the manifests and the server: drifted (changed on " +
        "the server), pending (changed in the manifests, not applied) or conflict (both).\nExits " +
        "with 2 if any object drifted or conflicts, or, with --unmanaged, if undeclared objects " +
        "exist; with 1 on errors, such as a missing inventory.",
    )
    .argument("[paths...]", stacksHelp)
    .option("--unmanaged", "also list objects on the server that no manifest declares")
    .addOption(fullOption())
    .action(async (paths: string[], flags: Flags) =>
      (await import("../runs/drift.ts")).runDrift(paths, flags),
    );
  return verbOptions(
    withExamples(command, {
      "show changes made outside the manifests": "svc drift stacks/sales",
      "also objects that no manifest declares": "svc drift stacks/sales --unmanaged",
    }),
    formatNames,
  );
}
