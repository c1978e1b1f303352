// Says why a version may not enter a stage: as its candidate, by name, or at all.
import { type BlockedReason, unlistedReason } from "./blocked-reasons.ts";
import {
  candidateOf,
  getStage,
  isSettledOn,
  newestRunning,
  notPromotableReason,
  withdrawnReasons,
} from "./candidate.ts";
import { nextMode } from "./who-writes.ts";
import { mayApprove } from "./approvers.ts";
import type { DecisionInput } from "./decision-input.ts";
import { failedReasonFor } from "./failed-version.ts";
import type { Stage } from "./pipeline.ts";
import { heldReason, promoteToCommand, unapprovedReason } from "./promote-command.ts";
import { stageRecord, type StageRecord, verificationOf } from "./record.ts";
import { hasPlaceIn, isListed, orderIn, type StageSnapshot } from "./snapshot.ts";

/** A stage with its record, its live state, and everything else that a decision depends on. */
export interface StageContext {
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  readonly record: StageRecord;
  readonly input: DecisionInput;
}

/** Returns the reason of a held stage. */
export function heldReasons({
  stage,
  record,
  input,
}: Pick<StageContext, "stage" | "record" | "input">): BlockedReason[] {
  return record.hold === undefined ? [] : [heldReason(input.pipeline, stage.name, record.hold)];
}

/** Returns why an admitted version may never be rolled out again. */
export function permanentReasons(
  { stage, snapshot, input }: Pick<StageContext, "stage" | "snapshot" | "input">,
  version: string,
): BlockedReason[] {
  if (!isListed(snapshot, version)) return [unlistedReason(stage.name, version, snapshot)];
  return withdrawnReasons({ stage, input }, version);
}

/** Returns why a version lacks its approval, or the grant that stands for it. */
export function approvalReasons(
  { stage, record, input }: Pick<StageContext, "stage" | "record" | "input">,
  version: string,
): BlockedReason[] {
  // The merge of the pull request approves it.
  if (input.context.writesRequest) return [];
  const mergedRollout =
    record.rollout?.cause === "merged" && record.rollout.version === version
      ? record.rollout
      : undefined;
  // Anyone may approve, so whoever merged it.
  if (mergedRollout !== undefined && stage.approvers === undefined) return [];
  if (
    record.approvals.some((approval) => approval.version === version && mayApprove(stage, approval))
  )
    return [];
  if (!stage.isAutomatic) {
    const merge = input.record.manualActions?.find(
      ({ action, promotion }) => action === "merged" && promotion === mergedRollout?.id,
    );
    return [unapprovedReason(input.pipeline, { stage, version, merge })];
  }
  if (input.context.isAutomaticAllowed(stage.name)) return [];
  const message = `${stage.name} is automatic, but the operator has not granted it automatic promotion (--grant promotion=${stage.name})`;
  return [{ code: "not-granted", message }];
}

/** Returns the reasons that block a rollout of the candidate. */
export function entryReasons(stageContext: StageContext, version: string): BlockedReason[] {
  const { stage, record, input } = stageContext;
  const closed = input.context.closedReason(stage, "candidate");
  const verification = verificationOf(record, version);
  return [
    ...heldReasons(stageContext),
    ...(verification === undefined || verification.passed
      ? []
      : [failedReasonFor(stageContext, version)]),
    ...approvalReasons(stageContext, version),
    ...(closed === undefined ? [] : [closed]),
  ];
}

/** Returns the reasons that block a version which someone promotes by name. */
export function namedReasons(
  stageContext: StageContext,
  version: string,
  { skipsStages = false }: { readonly skipsStages?: boolean } = {},
): BlockedReason[] {
  const { stage, record, input } = stageContext;
  const closed = input.context.closedReason(stage, "requested");
  // What already runs needs no approval, and the operator grants no one what a person asks for.
  const isFree = stage.isAutomatic || isSettledOn(stage, version, input);
  return [
    ...permanentReasons(stageContext, version),
    ...(skipsStages || verificationOf(record, version)?.passed === true
      ? []
      : upstreamReasons(stageContext, version)),
    ...(isFree ? [] : approvalReasons(stageContext, version)),
    ...(closed === undefined ? [] : [closed]),
  ];
}

/** Returns why the stage before does not let a version through. A failure there is reported as withdrawn. */
function upstreamReasons(
  { stage, snapshot, input }: StageContext,
  version: string,
): BlockedReason[] {
  if (!("stage" in stage.source)) return [];
  const from = getStage(input, stage.source.stage);
  const upstream = verificationOf(stageRecord(input.record, from.name), version);
  if (upstream === undefined) {
    const mode = nextMode(stage, input.record, snapshot.objects);
    const command = promoteToCommand(input.pipeline, { stage: stage.name, version }, mode);
    return [
      {
        code: "unverified",
        message: `${from.name} has not verified ${version}`,
        remedy: `Promote it there first. An urgent fix may skip stages with the grant skipStages=${stage.name}: ${command} --skip-stages --reason TEXT`,
      },
    ];
  }
  const reason = upstream.passed
    ? notPromotableReason(from, upstream, input.context.now)
    : undefined;
  return reason === undefined ? [] : [reason];
}

/**
 * Returns the stages before that have not verified a version, the nearest first. None if the stage verified it itself: then it needs
 * no other.
 */
export function skippedStages(
  stage: Stage,
  version: string,
  input: Pick<DecisionInput, "pipeline" | "record" | "context">,
): readonly string[] {
  const { record, context } = input;
  if (verificationOf(stageRecord(record, stage.name), version)?.passed === true) return [];
  if (!("stage" in stage.source)) return [];
  const from = getStage(input, stage.source.stage);
  const upstream = verificationOf(stageRecord(record, from.name), version);
  const isVerified =
    upstream?.passed === true && notPromotableReason(from, upstream, context.now) === undefined;
  return isVerified ? [] : [from.name, ...skippedStages(from, version, input)];
}

/** Returns every reason that keeps this version from a stage. svc itself promotes only the candidate. */
export function versionReasons(stageContext: StageContext, version: string): BlockedReason[] {
  const { stage, record, input } = stageContext;
  const { version: candidate } = candidateOf(stage, input);
  if (candidate === version) return entryReasons(stageContext, version);
  const verification = verificationOf(record, version);
  return [
    ...heldReasons(stageContext),
    ...(verification === undefined || verification.passed
      ? []
      : [failedReasonFor(stageContext, version)]),
    ...namedReasons(stageContext, version),
    notCandidateReason(stageContext, version, candidate),
  ];
}

/** Returns why svc does not promote a version by itself, with the command that promotes it by name. */
function notCandidateReason(
  { stage, snapshot, input }: StageContext,
  version: string,
  candidate: string | undefined,
): BlockedReason {
  const running = newestRunning(snapshot);
  const mode = nextMode(stage, input.record, snapshot.objects);
  const command = promoteToCommand(input.pipeline, { stage: stage.name, version }, mode);
  const remedy = `Promote it by name: ${command}`;
  const isOlder = running !== undefined && orderIn(snapshot)(version, running) < 0;
  if (isOlder && hasPlaceIn(snapshot, version)) {
    const message = `${stage.name} runs ${running}, which is newer than ${version}`;
    return { code: "downgrade", message, remedy };
  }
  const message = candidate === undefined ? "has no candidate" : `gets ${candidate} next`;
  return { code: "not-candidate", message: `${stage.name} ${message}`, remedy };
}
