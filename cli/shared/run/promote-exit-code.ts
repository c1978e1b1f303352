// Computes the exit code of a promotion from its failures and from what its stages wait for.
import type { BlockedReason } from "../../../promotion/blocked-reasons.ts";
import type { PromotionResult } from "../../../promotion/promote.ts";
import type { StageStatus } from "../../../promotion/status.ts";
import { exitCodeOf, exitCodes, worstExitCode } from "../exit-codes.ts";

/** A stage that does not continue without someone, with the exit code for that. */
export interface BlockedStage {
  readonly stage: string;
  readonly reason: BlockedReason;
  readonly exitCode: number;
}

/** Returns the stages that need someone. `only` is the stage that a promotion was limited to. */
export function blockedStages(
  { status }: Pick<PromotionResult, "status">,
  only: string | undefined,
): readonly BlockedStage[] {
  return status.stages
    .filter(({ stage }) => only === undefined || stage === only)
    .flatMap((stage) =>
      reasonsThatCount(stage).map((reason) => {
        const exitCode = exitCodeOfReason(reason, stage, only !== undefined);
        return { stage: stage.stage, reason, exitCode };
      }),
    )
    .filter(({ exitCode }) => exitCode !== exitCodes.done);
}

/** Returns the exit code of a promotion: the worst of its failures and of the stages that need someone. */
export function exitCodeOfPromotion(
  { failures }: Pick<PromotionResult, "failures">,
  blocked: readonly BlockedStage[],
): number {
  return worstExitCode([...failures.map(exitCodeOf), ...blocked.map(({ exitCode }) => exitCode)]);
}

/**
 * Returns the reasons of a stage. For a held stage only the hold counts: it is not meant to continue. A rollback in
 * progress holds its stage and leaves a version, as asked.
 */
function reasonsThatCount({ reasons, rollout }: StageStatus): readonly BlockedReason[] {
  if (rollout?.cause === "rollback")
    return reasons.filter(({ code }) => code !== "held" && code !== "rolled-back");
  const held = reasons.filter(({ code }) => code === "held");
  return held.length > 0 ? held : reasons;
}

/**
 * Returns the exit code for a reason: 0 for a reason that ends by itself or by an apply, and for a decision of a
 * person. A promotion to a stage by name that has begun and does not continue is never 0, unless it waits for an apply.
 */
function exitCodeOfReason(
  { code }: BlockedReason,
  { rollout }: StageStatus,
  isNamed: boolean,
): number {
  const isBegun = rollout !== undefined;
  const isStopped = isBegun && isNamed;
  switch (code) {
    case "failed":
      return exitCodes.failed;
    case "needs-approval":
    case "needs-request":
    case "not-granted":
    case "not-confirmed":
    case "mixed-versions":
    case "rolled-back":
      return exitCodes.confirmation;
    case "withdrawn":
    case "version-not-listed":
      return isBegun ? exitCodes.failed : exitCodes.done;
    case "closed-window":
      return isStopped ? exitCodes.closed : exitCodes.done;
    case "held":
      return isStopped ? exitCodes.confirmation : exitCodes.done;
    case "missing":
    case "stale":
      return isStopped ? exitCodes.failed : exitCodes.done;
    default:
      return exitCodes.done;
  }
}
