// Runs `svc undo RUN`: reverts a run from the previous values in its journal.
import { shellQuote } from "../../core/text/shell-quote.ts";
import { undo } from "../../reconciler/verbs/undo.ts";
import { runAction } from "../shared/run/run-action.ts";
import { rejectFolder } from "../shared/options/stack-options.ts";
import type { ApplyFlags } from "../shared/options/apply-options.ts";
import { executeApply } from "./apply.ts";

/** Runs `svc undo`. */
export function runUndo(run: string, paths: string[], flags: ApplyFlags): Promise<void> {
  return runAction(flags, (context) => {
    const remedy = `\`svc history ${shellQuote(run)}\` lists the runs.`;
    rejectFolder(run, { usage: "svc undo RUN", remedy });
    return executeApply({ paths, flags, context, isUndo: true }, ({ savedPlan: _, ...options }) =>
      undo({ ...options, run }),
    );
  });
}
