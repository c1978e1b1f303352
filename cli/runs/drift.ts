// Runs `svc drift`: shows differences between the manifests and the server, and which side changed.
import { pluralize } from "../../core/text/escape-text.ts";
import { drifted } from "../../reconciler/model/plan-filters.ts";
import { drift } from "../../reconciler/drift.ts";
import { kinds } from "../../resources/index.ts";
import { errorText } from "../shared/error-text.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runStacks } from "../shared/run/run-stacks.ts";
import { resultOf, runVerb, type VerbRequest } from "../shared/run/verb.ts";
import type { VerbFlags } from "../shared/options/verb-options.ts";

export interface Flags extends VerbFlags {
  readonly unmanaged?: true;
}

/** Returns the findings that would make the exit code 2 without the error; undefined without findings. */
function foundText(drifts: number, unmanaged: number): string | undefined {
  const parts = [
    ...(drifts === 0 ? [] : [`drift of ${pluralize(drifts, "object")}`]),
    ...(unmanaged === 0 ? [] : [pluralize(unmanaged, "unmanaged object")]),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Runs `svc drift`. */
export function runDrift(paths: string[], flags: Flags): Promise<void> {
  return runStacks({ paths, flags }, async (stack, context) => {
    const request: VerbRequest = { paths: stack, flags, context, diagnosticsIn: "text" };
    const planned = await runVerb(request, ({ options }) =>
      drift({ ...options, purpose: "compare", unmanaged: flags.unmanaged }),
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
    const found = foundText(drifted(planned.plan).length, unmanaged?.length ?? 0);
    const errors = [...diagnostics, ...planned.plan.diagnostics].filter(
      ({ severity }) => severity === "error",
    );
    if (errors.length > 0) {
      const also = found === undefined ? "" : `; also found: ${found}`;
      const message = `the report has ${pluralize(errors.length, "error")}${also}`;
      context.output.warn(() => errorText("invalid", message));
      return exitCodes.failed;
    }
    return found === undefined ? exitCodes.done : exitCodes.changes;
  });
}
