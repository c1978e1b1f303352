// Explains why a version that failed blocks a stage: the checks that failed, and the command that verifies it again.
import { runningVersion } from "./candidate.ts";
import { failedReason, type BlockedReason } from "./blocked-reasons.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Stage } from "./pipeline.ts";
import { modeOption, promoteCommand } from "./promote-command.ts";
import { type StageRecord, verificationOf } from "./record.ts";
import { versionsOf } from "./rollback-target.ts";
import type { StageSnapshot } from "./snapshot.ts";

/** A stage with its record and its live state. */
interface StageWithFailure {
  readonly stage: Stage;
  readonly record: StageRecord;
  readonly snapshot: StageSnapshot;
  readonly input: Pick<DecisionInput, "pipeline">;
}

/** Returns why a failed version blocks a stage, with the command that verifies it again. */
export function failedReasonFor(
  { stage: { name: stage }, record: known, snapshot, input: { pipeline } }: StageWithFailure,
  version: string,
): BlockedReason {
  const { rollout } = known;
  const isPinned = snapshot.objects.some(({ pinned }) => pinned !== undefined);
  const mode = rollout?.mode ?? (isPinned ? "write" : "direct");
  // Every run verifies the running version of the stage, and the target of a rollback, again.
  const isVerifiedByEveryRun =
    rollout === undefined
      ? runningVersion(snapshot) === version
      : rollout.cause === "rollback" && versionsOf(rollout).includes(version);
  const named = isVerifiedByEveryRun ? [] : ["--to", stage, "--version", version];
  return failedReason({
    stage,
    version,
    evidence: verificationOf(known, version)?.evidence ?? [],
    retry: promoteCommand(pipeline, "run", ...named, modeOption(mode)),
  });
}
