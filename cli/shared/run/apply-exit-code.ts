// Computes the exit code of an apply from its results.
import type { ApplyResult, Outcome } from "../../../reconciler/model/index.ts";
import { exitCodeOfError, exitCodes } from "../exit-codes.ts";

/** Returns the exit code of an apply; `stopped` is the code of an interrupted run. */
export function exitCodeOfApply(
  { outcomes, residual, unrecorded }: ApplyResult,
  stopped: number | undefined,
): number {
  const undone = outcomes.filter(({ result }) => result !== "done");
  if (undone.length === 0) {
    return residual.length > 0 || unrecorded !== undefined ? exitCodes.partial : exitCodes.done;
  }
  const isPartial = undone.some(({ partial }) => partial === true);
  if (isPartial || undone.length < outcomes.length) return exitCodes.partial;
  return stopped ?? exitCodeOfFailures(undone);
}

/** Returns the code for a run without any completed change: the common code of its failures, otherwise 1. */
function exitCodeOfFailures(outcomes: readonly Outcome[]): number {
  const codes = outcomes.flatMap(({ failure }) => (failure ? [exitCodeOfError(failure.code)] : []));
  const [first = exitCodes.failed] = codes;
  return codes.every((code) => code === first) ? first : exitCodes.failed;
}
