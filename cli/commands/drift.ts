// `svc drift`: what differs from the manifests, and who moved.
import { Command } from "commander";
import { formNames } from "../../reconciler/report/render.ts";
import { drifted } from "../../reconciler/parts.ts";
import { plan } from "../../reconciler/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { exits } from "../exit.ts";
import { perform } from "../perform.ts";
import { pathsHelp } from "../stack-options.ts";
import { resultOf, runVerb, type VerbFlags, verbOptions } from "../verb.ts";

/** The command, to be added to the program. */
export function driftCommand(): Command {
  const command = new Command("drift")
    .description(
      "Show every difference between the manifests and the server with who moved: unshipped (the manifests), " +
        "drifted (the server) or conflict (both).\nEnds with 2 when anything has drifted or is in conflict.",
    )
    .argument("[paths...]", pathsHelp)
    .action((paths: string[], flags: VerbFlags) =>
      perform(flags, async (context) => {
        const planned = await runVerb({ paths, flags, context }, ({ options }) => plan(options));
        if (planned === undefined) return exits.failed;
        const { diagnostics: found, places } = planned;
        context.output.result(resultOf({ of: "drift", plan: planned.plan, kinds, found, places }));
        return drifted(planned.plan).length > 0 ? exits.changes : exits.done;
      }),
    );
  return verbOptions(command, formNames);
}
