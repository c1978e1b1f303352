// Runs `svc drift`: shows differences between the manifests and the server, and which side changed.
import { hasErrors } from "../../core/diagnostics.ts";
import { drifted } from "../../reconciler/model/plan-filters.ts";
import { drift } from "../../reconciler/verbs/verbs.ts";
import { kinds } from "../../resources/index.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runStacks } from "../shared/run-stacks.ts";
import { resultOf, runVerb } from "../shared/verb.ts";
import type { VerbFlags } from "../shared/verb-options.ts";

export interface Flags extends VerbFlags {
  readonly unmanaged?: true;
}

/** Runs `svc drift`. */
export function runDrift(paths: string[], flags: Flags): Promise<void> {
  return runStacks({ paths, flags }, async (stack, context) => {
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
  });
}
