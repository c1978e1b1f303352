// Runs `svc show`: shows a saved plan, offline.
import { readPlan } from "../../reconciler/engine/plan-file.ts";
import { kinds } from "../../resources/index.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { runAction } from "../shared/run/run-action.ts";
import { resultOf } from "../shared/run/verb.ts";

/** Runs `svc show`. */
export function runShow(file: string, flags: OutputFlags): Promise<void> {
  return runAction(flags, async ({ output }) => {
    const plan = readPlan(file);
    output.result(
      resultOf({ type: "plan", plan, kinds, manifestDiagnostics: [], places: new Map() }),
    );
    return exitCodes.done;
  });
}
