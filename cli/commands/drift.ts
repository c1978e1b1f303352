// `svc drift`: what differs from the manifests, and who moved.
import { Command } from "commander";
import { formNames } from "../../reconciler/report/render.ts";
import { drifted } from "../../reconciler/planning/parts.ts";
import { drift } from "../../reconciler/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { exits } from "../exit.ts";
import { perform } from "../perform.ts";
import { pathsHelp } from "../stack-options.ts";
import { fullOption, resultOf, runVerb, type VerbFlags, verbOptions } from "../verb.ts";

interface Flags extends VerbFlags {
  readonly unmanaged?: true;
}

/** The command, to be added to the program. */
export function driftCommand(): Command {
  const command = new Command("drift")
    .description(
      "Show every difference between the manifests and the server with who moved: unshipped (the manifests), " +
        "drifted (the server) or conflict (both).\nEnds with 2 when anything has drifted or is in conflict, " +
        "or exists undeclared where that is asked for.",
    )
    .argument("[paths...]", pathsHelp)
    .option("--unmanaged", "tell as well what exists on the server that nobody declared")
    .addOption(fullOption())
    .action((paths: string[], flags: Flags) =>
      perform(flags, async (context) => {
        const planned = await runVerb({ paths, flags, context }, ({ options }) =>
          drift({ ...options, unmanaged: flags.unmanaged }),
        );
        if (planned === undefined) return exits.failed;
        const { diagnostics: found, places, names, unmanaged } = planned;
        context.output.result(
          resultOf({ of: "drift", plan: planned.plan, unmanaged, kinds, found, places, names }),
        );
        const isFound = drifted(planned.plan).length > 0 || (unmanaged ?? []).length > 0;
        return isFound ? exits.changes : exits.done;
      }),
    );
  return verbOptions(command, formNames);
}
