// The exit code of an apply: from how its changes ended.
import type { ApplyResult, Outcome } from "../../reconciler/model/index.ts";
import { exitCodeOfError, exitCodes } from "./exit-codes.ts";

/** `stopped` is the exit code of a run that was told to stop, where it was. */
export function exitCodeOfApply(
  { outcomes, residual }: ApplyResult,
  stopped: number | undefined,
): number {
  const undone = outcomes.filter(({ result }) => result !== "done");
  if (undone.length === 0) return residual.length > 0 ? exitCodes.partial : exitCodes.done;
  if (undone.length < outcomes.length) return exitCodes.partial;
  return stopped ?? exitCodeOfFailures(undone);
}

/** Nothing was done: where every failure means the same, that, else just that it failed. */
function exitCodeOfFailures(outcomes: readonly Outcome[]): number {
  const codes = outcomes.flatMap(({ failure }) => (failure ? [exitCodeOfError(failure.code)] : []));
  const [first = exitCodes.failed] = codes;
  return codes.every((code) => code === first) ? first : exitCodes.failed;
}
