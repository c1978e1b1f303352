// `svc drift`: what differs from the manifests, and who moved.
import { Command } from "commander";
import { formatNames } from "../../reconciler/report/render.ts";
import { drifted } from "../../reconciler/model/plan-filters.ts";
import { drift } from "../../reconciler/verbs/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runAction } from "../shared/run-action.ts";
import { pathsHelp } from "../shared/stack-options.ts";
import { fullOption, resultOf, runVerb, type VerbFlags, verbOptions } from "../shared/verb.ts";

interface Flags extends VerbFlags {
  readonly unmanaged?: true;
}

/** The command, to be added to the program. */
export function driftCommand(): Command {
  const command = new Command("drift")
    .description(
      "Show every difference between the manifests and the server with who moved: pending (the manifests), " +
        "drifted (the server) or conflict (both).\nEnds with 2 when anything has drifted or is in conflict, " +
        "or exists undeclared where that is asked for.",
    )
    .argument("[paths...]", pathsHelp)
    .option("--unmanaged", "tell as well what exists on the server that nobody declared")
    .addOption(fullOption())
    .action((paths: string[], flags: Flags) =>
      runAction(flags, async (context) => {
        const planned = await runVerb({ paths, flags, context }, ({ options }) =>
          drift({ ...options, unmanaged: flags.unmanaged }),
        );
        if (planned === undefined) return exitCodes.failed;
        const { diagnostics: found, places, addressesByKey: names, unmanaged } = planned;
        context.output.result(
          resultOf({
            type: "drift",
            plan: planned.plan,
            unmanaged,
            kinds,
            manifestDiagnostics: found,
            places,
            names,
          }),
        );
        const isFound = drifted(planned.plan).length > 0 || (unmanaged ?? []).length > 0;
        return isFound ? exitCodes.changes : exitCodes.done;
      }),
    );
  return verbOptions(command, formatNames);
}
