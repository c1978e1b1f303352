// The exit code of an apply: from how its changes ended.
import type { Applied, Outcome } from "../reconciler/model.ts";
import { exitOfCode, exits } from "./exit.ts";

/** `stopped` is the exit code of a run that was told to stop, where it was. */
export function exitOfApplied(
  { outcomes, residual }: Applied,
  stopped: number | undefined,
): number {
  const undone = outcomes.filter(({ result }) => result !== "done");
  if (undone.length === 0) return residual.length > 0 ? exits.partly : exits.done;
  if (undone.length < outcomes.length) return exits.partly;
  return stopped ?? exitOfFailures(undone);
}

/** Nothing was done: where every failure means the same, that, else just that it failed. */
function exitOfFailures(outcomes: readonly Outcome[]): number {
  const codes = outcomes.flatMap(({ failure }) => (failure ? [exitOfCode(failure.code)] : []));
  const [first = exits.failed] = codes;
  return codes.every((code) => code === first) ? first : exits.failed;
}
