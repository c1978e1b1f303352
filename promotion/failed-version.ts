// Explains why a version that failed blocks a stage: the checks that failed, and the command that verifies it again.
import { runningVersion } from "./candidate.ts";
import { failedReason, type BlockedReason } from "./blocked-reasons.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Stage } from "./pipeline.ts";
import { modeOption, promoteCommand, promoteToCommand } from "./promote-command.ts";
import { type StageRecord, verificationOf } from "./record.ts";
import { versionsOf } from "./rollback-target.ts";
import type { StageSnapshot } from "./snapshot.ts";
import { nextMode } from "./who-writes.ts";

/** A stage with its record and its live state. */
interface StageWithFailure {
  readonly stage: Stage;
  readonly record: StageRecord;
  readonly snapshot: StageSnapshot;
  readonly input: Pick<DecisionInput, "pipeline" | "record">;
}

/** Returns why a failed version blocks a stage, with the command that verifies it again. */
export function failedReasonFor(
  { stage, record: known, snapshot, input: { pipeline, record } }: StageWithFailure,
  version: string,
): BlockedReason {
  const { rollout } = known;
  const mode = nextMode(stage, record, snapshot.objects);
  // Every run verifies the running version of the stage, and the target of a rollback, again.
  const isVerifiedByEveryRun =
    rollout === undefined
      ? runningVersion(snapshot) === version
      : rollout.cause === "rollback" && versionsOf(rollout).includes(version);
  return failedReason({
    stage: stage.name,
    version,
    evidence: verificationOf(known, version)?.evidence ?? [],
    retry: isVerifiedByEveryRun
      ? promoteCommand(pipeline, "run", modeOption(mode))
      : promoteToCommand(pipeline, { stage: stage.name, version }, mode),
  });
}
