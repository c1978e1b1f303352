// `svc drift`: shows differences between the manifests and the server, and which side changed.
import { Command } from "commander";
import { hasErrors } from "../../core/diagnostics.ts";
import { formatNames } from "../../reconciler/report/render.ts";
import { drifted } from "../../reconciler/model/plan-filters.ts";
import { drift } from "../../reconciler/verbs/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runStacks } from "../shared/run-stacks.ts";
import { stacksHelp } from "../shared/stack-options.ts";
import { fullOption, resultOf, runVerb, type VerbFlags, verbOptions } from "../shared/verb.ts";

interface Flags extends VerbFlags {
  readonly unmanaged?: true;
}

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
    .action((paths: string[], flags: Flags) =>
      runStacks({ paths, flags }, async (stack, context) => {
        const planned = await runVerb({ paths: stack, flags, context }, ({ options }) =>
          drift({ ...options, unmanaged: flags.unmanaged }),
        );
        if (planned === undefined) return exitCodes.failed;
        const { diagnostics, places, addressesByKey, unmanaged } = planned;
        context.output.result(
          resultOf({
            type: "drift",
            plan: planned.plan,
            unmanaged,
            kinds,
            manifestDiagnostics: diagnostics,
            places,
            names: addressesByKey,
          }),
        );
        if (hasErrors([...diagnostics, ...planned.plan.diagnostics])) return exitCodes.failed;
        const isFound = drifted(planned.plan).length > 0 || (unmanaged ?? []).length > 0;
        return isFound ? exitCodes.changes : exitCodes.done;
      }),
    );
  return verbOptions(command, formatNames);
}
