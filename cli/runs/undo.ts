// Runs `svc undo RUN`: reverts a run from the previous values in its journal.
import { undo } from "../../reconciler/undo.ts";
import { runAction } from "../shared/run/run-action.ts";
import type { ApplyFlags } from "../shared/options/apply-options.ts";
import { executeApply } from "./apply.ts";

/** Runs `svc undo`. */
export function runUndo(run: string, paths: string[], flags: ApplyFlags): Promise<void> {
  return runAction(flags, (context) =>
    executeApply({ paths, flags, context, isUndo: true }, ({ savedPlan: _, ...options }) =>
      undo({ ...options, run }),
    ),
  );
}
