// Runs `svc plan`: shows what apply would do.
import { type Diagnostic, hasErrors } from "../../core/diagnostics.ts";
import { escapeInvisible, pluralize } from "../../core/text/escape-text.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import type { Plan } from "../../reconciler/model/index.ts";
import { plan } from "../../reconciler/plan.ts";
import { kinds } from "../../resources/index.ts";
import { errorText } from "../shared/error-text.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runStacks } from "../shared/run/run-stacks.ts";
import { policyJudge } from "../shared/run/policy-judge.ts";
import type { PolicyFlags } from "../shared/options/policy-options.ts";
import { conflictsIn, hasServerChanges } from "../../reconciler/model/plan-filters.ts";
import { reachesSeverity } from "../../reconciler/policy/policy-rule.ts";
import { assertPlanWritable, savePlan } from "../../reconciler/engine/plan-file.ts";
import { resultOf, runVerb, type VerbRequest } from "../shared/run/verb.ts";
import type { VerbFlags } from "../shared/options/verb-options.ts";

export interface Flags extends VerbFlags, PolicyFlags {
  readonly out?: string;
  readonly detailedExitcode?: true;
}

/** Runs `svc plan`. */
export function runPlan(paths: string[], flags: Flags): Promise<void> {
  return runStacks(
    { paths, flags, targets: flags.target, ...oneStack(flags) },
    async (stack, context) => {
      const request: VerbRequest = { paths: stack, flags, context, diagnosticsIn: "text" };
      if (flags.out !== undefined) assertPlanWritable(flags.out);
      // apply compares secrets with the fingerprints in the saved plan, so their key must be stored.
      const makesKey = flags.out !== undefined;
      const judge = policyJudge(flags);
      // A saved plan is applied as it is, so it has the values of all secrets.
      const purpose = flags.out === undefined ? "compare" : "run";
      const planned = await runVerb(request, ({ options }) =>
        plan({ ...options, purpose, createsKey: makesKey, evaluatePolicies: judge }),
      );
      if (planned === undefined) return exitCodes.failed;
      if (flags.out !== undefined) savePlan(flags.out, planned.plan, stack);
      const { plan: shown, diagnostics, places, addressesByKey } = planned;
      context.output.result(
        resultOf({
          type: "plan",
          plan: shown,
          kinds,
          manifestDiagnostics: diagnostics,
          places,
          names: addressesByKey,
        }),
      );
      const conflicts = conflictsIn(shown).length;
      if (conflicts > 0) context.output.warn(() => conflictText(conflicts, flags));
      const { out } = flags;
      const exitCode = exitCodeOfPlan(shown, diagnostics, flags);
      if (exitCode === exitCodes.failed)
        context.output.warn(() => failedText([...diagnostics, ...shown.diagnostics], flags));
      else if (out !== undefined) context.output.info(() => savedText(out, stack));
      return exitCode;
    },
  );
}

function oneStack({ out }: Flags): { readonly oneStackOption?: string } {
  return out === undefined ? {} : { oneStackOption: "--out" };
}

/** The error of a plan whose report has the findings. */
function failedText(found: readonly Diagnostic[], { failOn }: Flags): string {
  return errorText("invalid", `see the ${hasErrors(found) ? "error" : failOn}s above`);
}

/** Says where the plan is, and how to apply it. */
function savedText(file: string, paths: readonly string[]): string {
  const command = ["svc", "apply", file, ...paths].map(shellQuote).join(" ");
  return `Saved the plan to ${escapeInvisible(file)}. Apply it: ${command}`;
}

/** Explains how an apply handles conflicts: a saved plan was reviewed with them. */
function conflictText(conflicts: number, { out }: Flags): string {
  const named = `${pluralize(conflicts, "object")} changed both in the manifests and on the server`;
  return out === undefined
    ? `warning: ${named}; without a terminal, svc apply fails unless you pass --on-conflict overwrite or keep`
    : `warning: ${named}; svc apply ${shellQuote(out)} overwrites the live values; to keep them, apply without it, with --on-conflict keep`;
}

function exitCodeOfPlan(
  planned: Plan,
  found: readonly Diagnostic[],
  { failOn, detailedExitcode }: Flags,
): number {
  if (reachesSeverity([...found, ...planned.diagnostics], failOn)) return exitCodes.failed;
  const isChanged = detailedExitcode === true && hasServerChanges(planned);
  return isChanged ? exitCodes.changes : exitCodes.done;
}
