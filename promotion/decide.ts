// Decides the next step of each stage, or why there is no step: a pure function of pipeline, record, live versions and clock.
import { invariant } from "../core/errors.ts";
import {
  approvalReasons,
  entryReasons,
  heldReasons,
  permanentReasons,
  type StageContext,
  versionReasons,
} from "./admission.ts";
import { objectsPerBatch } from "./batches.ts";
import type { DecisionInput } from "./decision-input.ts";
import { candidateOf, runningVersion, getStage } from "./candidate.ts";
import { failedReasonFor } from "./failed-version.ts";
import type { Stage } from "./pipeline.ts";
import { mergedVersion } from "./merged-version.ts";
import { unrequestedReason } from "./promote-command.ts";
import { isByRequest } from "./who-writes.ts";
import { addressesWithVerb, unlistedReason, type BlockedReason } from "./blocked-reasons.ts";
import { type Rollout, stageRecord, targetVersion, verificationOf } from "./record.ts";
import {
  type VersionTarget,
  rollbackTarget,
  unlistedRollbackReason,
  versionsOf,
} from "./rollback-target.ts";
import { isVerificationValid, nextCheck } from "./soak.ts";
import { isListed, type StageObject } from "./snapshot.ts";

/** Starts a rollout of a version. */
export interface StartStep extends VersionTarget {
  readonly action: "start";
  readonly stage: string;
  readonly cause: Rollout["cause"];
}

/** Moves some objects of a stage to a version, or verifies them. */
export interface BatchStep {
  readonly action: "move" | "verify";
  readonly stage: string;
  readonly version: string;
  readonly addresses: readonly string[];
}

/** Reverts pins of a version that may no longer be promoted and is not applied yet, to the running versions. */
export interface RevertStep {
  readonly action: "revert";
  readonly stage: string;
  readonly version: string;
  readonly addresses: readonly string[];
}

/** Completes a rollout: every object runs the version and passed. */
export interface FinishStep {
  readonly action: "finish";
  readonly stage: string;
  readonly version: string;
}

/** One step that may be executed now. */
export type PromotionStep = StartStep | BatchStep | RevertStep | FinishStep;

/** The decision for one stage. */
export interface StageDecision {
  readonly stage: string;
  /** The version that would be promoted next. Undefined if there is none. */
  readonly candidate: string | undefined;
  /** The step to execute now. */
  readonly step: PromotionStep | undefined;
  /** Why the stage is blocked. Empty if it has a step or nothing to do. */
  readonly reasons: readonly BlockedReason[];
}

/** Returns the decision for each stage, in order. */
export function decide(input: DecisionInput): readonly StageDecision[] {
  return input.pipeline.stages.map((stage) => decideStage(stage, input));
}

type StepDecision = Pick<StageDecision, "step" | "reasons"> & {
  /** The active rollout can never finish. */
  readonly cannotFinish?: boolean;
};

function decideStage(stage: Stage, input: DecisionInput): StageDecision {
  const { version, skippedReasons } = candidateOf(stage, input);
  const about = { stage: stage.name, candidate: version };
  const { stageContext, now, mayStart } = decideCurrent(stage, input);
  if (now.step !== undefined || !mayStart) return { ...about, ...now };
  const { snapshot, record } = stageContext;
  const isNext =
    version !== undefined &&
    version !== runningVersion(snapshot) &&
    version !== record.rollout?.version;
  const blockers = isNext ? entryReasons(stageContext, version) : heldReasons(stageContext);
  if (!isNext || blockers.length > 0)
    return { ...about, ...blockedBy(...now.reasons, ...blockers, ...skippedReasons) };
  return {
    ...about,
    ...proceedWith({ action: "start", stage: stage.name, version, cause: "candidate" }),
  };
}

/** Returns the decision for exactly this version in a stage, whether or not it is the candidate. */
export function decideVersion(stage: Stage, version: string, input: DecisionInput): StageDecision {
  const about = { stage: stage.name, candidate: version };
  const { stageContext, now, mayStart } = decideCurrent(stage, input);
  const { rollout } = stageContext.record;
  const isCurrent =
    rollout === undefined
      ? runningVersion(stageContext.snapshot) === version
      : versionsOf(rollout).includes(version);
  const isMerged = now.step?.action === "start" && versionsOf(now.step).includes(version);
  if (isCurrent || isMerged) return { ...about, ...now };
  const blocker = mayStart ? [] : now.reasons;
  const reasons = [...blocker, ...versionReasons(stageContext, version)];
  if (reasons.length > 0) return { ...about, ...blockedBy(...reasons) };
  return {
    ...about,
    ...proceedWith({ action: "start", stage: stage.name, version, cause: "candidate" }),
  };
}

/** Decides what happens to the version that a stage runs, or is being changed to. */
function decideCurrent(
  stage: Stage,
  input: DecisionInput,
): { stageContext: StageContext; now: StepDecision; mayStart: boolean } {
  const { context } = input;
  const snapshot = input.snapshot.get(stage.name);
  invariant(snapshot !== undefined, "the snapshot contains every stage");
  const record = stageRecord(input.record, stage.name);
  const stageContext: StageContext = { stage, snapshot, record, input };
  const blocked = (reason: BlockedReason) => {
    return { stageContext, now: blockedBy(reason), mayStart: false };
  };
  const missing = snapshot.objects.filter(({ exists }) => !exists);
  if (missing.length > 0) {
    const message = `${addressesWithVerb(missing)} not on the server yet: apply the stack first`;
    return blocked({ code: "missing", message });
  }
  const failed = context.failedStages.get(stage.name);
  if (failed !== undefined) return blocked(failed);
  const { rollout } = record;
  const merged = mergedVersion(snapshot, record);
  if (merged !== undefined) {
    const { version, each } = merged;
    const step = { action: "start", stage: stage.name, version, each, cause: "merged" } as const;
    return { stageContext, now: proceedWith(step), mayStart: false };
  }
  if (rollout === undefined) return { stageContext, now: decideIdle(stageContext), mayStart: true };
  const { cannotFinish, ...decision } = decideRollout(stageContext, rollout);
  const now = whoWrites(withLeftVersions(decision, stageContext, rollout), stageContext, rollout);
  // Another rollout may start if the active one failed or cannot finish.
  return { stageContext, now, mayStart: rollout.failedAt !== undefined || cannotFinish === true };
}

function proceedWith(step: PromotionStep): StepDecision {
  return { step, reasons: [] };
}

function blockedBy(...reasons: readonly BlockedReason[]): StepDecision {
  return { step: undefined, reasons };
}

/** Leaves the writes of a promotion by pull request to the run that prepares one. */
function whoWrites(
  decision: StepDecision,
  { stage, input }: StageContext,
  rollout: Rollout,
): StepDecision {
  const { step } = decision;
  const isWrite = step?.action === "move" || step?.action === "revert";
  if (!isByRequest(stage, rollout) || input.context.writesRequest || !isWrite) return decision;
  const what = rollout.cause === "rollback" ? "rollback" : step.action;
  const missing = unrequestedReason(input.pipeline, { ...step, action: what });
  return { ...decision, step: undefined, reasons: [missing, ...decision.reasons] };
}

/** Adds the failed versions that objects still run to what a rollback waits for. A run that writes its pull request does its part. */
function withLeftVersions(
  decision: StepDecision,
  stageContext: StageContext,
  { cause, failedAt }: Rollout,
): StepDecision {
  const { snapshot, record, input } = stageContext;
  const isAwaited = cause === "rollback" && failedAt === undefined;
  if (!isAwaited || input.context.writesRequest) return decision;
  const running = [...new Set(snapshot.objects.flatMap(({ version }) => version ?? []))];
  const left = running.filter((version) => verificationOf(record, version)?.passed === false);
  const reasons = left.map((version) => failedReasonFor(stageContext, version));
  return { ...decision, reasons: [...reasons, ...decision.reasons] };
}

/** Decides without an active rollout: verifies the running version if it is unverified or expired, and once per run if it failed. */
function decideIdle(stageContext: StageContext): StepDecision {
  const { stage, snapshot, record, input } = stageContext;
  const running = runningVersion(snapshot);
  if (running === undefined) {
    const versions = [...new Set(snapshot.objects.map(({ version }) => version ?? "no version"))];
    const message = `${stage.name} runs several versions: ${versions.toSorted().join(", ")}`;
    return blockedBy({ code: "mixed-versions", message });
  }
  const verified = verificationOf(record, running);
  const addresses = snapshot.objects.map(({ address }) => address);
  const again = proceedWith({ action: "verify", stage: stage.name, version: running, addresses });
  if (verified === undefined || !isVerificationValid(verified, stage, input.context.now))
    return again;
  const due = nextCheck(stage, verified);
  if (due !== undefined && input.context.now.getTime() >= due) return again;
  if (verified.passed) return blockedBy();
  const failed = failedReasonFor(stageContext, running);
  if (!input.context.verifiedStages.has(stage.name)) return { ...again, reasons: [failed] };
  return decideRollback(stageContext, running, failed);
}

/** Returns the running or rolled-out version of a stage if it failed. */
export function failedVersion({ name }: Stage, input: DecisionInput): string | undefined {
  const record = stageRecord(input.record, name);
  const { rollout } = record;
  if (rollout !== undefined) return rollout.failedAt === undefined ? undefined : rollout.version;
  const snapshot = input.snapshot.get(name);
  const running = snapshot && runningVersion(snapshot);
  if (running === undefined) return undefined;
  return verificationOf(record, running)?.passed === false ? running : undefined;
}

/** Decides for an active rollout: objects that run the version are verified before the next batch moves. */
function decideRollout(stageContext: StageContext, rollout: Rollout): StepDecision {
  const { stage, snapshot } = stageContext;
  const { version } = rollout;
  const target = ({ address }: StageObject): string => targetVersion(rollout, address);
  const isWaiting = (object: StageObject): boolean =>
    rollout.mode !== "direct" &&
    object.pinned === target(object) &&
    object.version !== target(object);
  const waiting = snapshot.objects.filter(isWaiting);
  if (rollout.failedAt !== undefined)
    return orRevertPending(decideAfterFailure(stageContext, rollout), stageContext, waiting);
  const about = { stage: stage.name, version };
  // Except in direct mode, an object whose document pins another version does not count: the next apply would change it.
  const isUpdated = (object: StageObject): boolean =>
    object.version === target(object) &&
    (rollout.mode === "direct" || object.pinned === target(object));
  const remaining = snapshot.objects.filter((object) => !isUpdated(object));
  // What did not move cannot tell that a rollback failed, so that is verified once all objects are back.
  const isVerified = rollout.cause !== "rollback" || remaining.length === 0;
  const isUnchecked = (object: StageObject): boolean =>
    isVerified && isUpdated(object) && !rollout.checked.includes(object.address);
  const unchecked = batchForSameVersion(snapshot.objects.filter(isUnchecked), target);
  if (unchecked !== undefined)
    return proceedWith({ action: "verify", stage: stage.name, ...unchecked });
  if (remaining.length === 0) {
    // Whoever merged it may be no approver.
    const missing = rollout.cause === "merged" ? approvalReasons(stageContext, version) : [];
    return missing.length > 0 ? blockedBy(...missing) : proceedWith({ action: "finish", ...about });
  }
  const rest = remaining.filter((object) => !isWaiting(object));
  const [unavailable] = rollout.cause === "rollback" ? [] : permanentReasons(stageContext, version);
  if (unavailable !== undefined)
    return {
      ...orRevertPending(decideRollback(stageContext, version, unavailable), stageContext, waiting),
      cannotFinish: true,
    };
  const expired = expiredAdmissionReasons(stageContext, rollout);
  if (expired.length > 0) return orRevertPending(blockedBy(...expired), stageContext, waiting);
  const blockers = rolloutBlockers(stageContext, rollout);
  const room = objectsPerBatch(stage, snapshot.objects.length, rollout.cause) - waiting.length;
  if (blockers.length > 0 || rest.length === 0 || room <= 0) {
    return blockedBy(...blockers, ...pendingApplyReasons(waiting, version));
  }
  const next = batchForSameVersion(rest, target);
  if (next === undefined) return blockedBy();
  const addresses = next.addresses.slice(0, room);
  return proceedWith({ action: "move", stage: stage.name, version: next.version, addresses });
}

/** Returns the objects that share the target version of the first. */
function batchForSameVersion(
  objects: readonly StageObject[],
  target: (object: StageObject) => string,
): Pick<BatchStep, "version" | "addresses"> | undefined {
  const [first] = objects;
  if (first === undefined) return undefined;
  const version = target(first);
  const all = objects.filter((object) => target(object) === version);
  return { version, addresses: all.map(({ address }) => address) };
}

/** Reverts pins that are committed but not applied if there is no other step, because the next apply would roll them out. */
function orRevertPending(
  decision: StepDecision,
  { stage, record }: StageContext,
  waiting: readonly StageObject[],
): StepDecision {
  // Keep the pins of a rollback: its target is better than the running version.
  if (record.rollout?.cause === "rollback") return decision;
  const written = waiting.filter((object) => object.version !== undefined);
  const version = written[0]?.pinned;
  if (decision.step !== undefined || version === undefined) return decision;
  const addresses = written.map(({ address }) => address);
  return { ...decision, step: { action: "revert", stage: stage.name, version, addresses } };
}

function pendingApplyReasons(waiting: readonly StageObject[], version: string): BlockedReason[] {
  if (waiting.length === 0) return [];
  const message = `the manifests pin ${version}, and ${addressesWithVerb(waiting)} not applied yet`;
  return [{ code: "pending-apply", message }];
}

function decideAfterFailure(stageContext: StageContext, rollout: Rollout): StepDecision {
  const { version, cause } = rollout;
  const failed = failedReasonFor(stageContext, version);
  if (cause !== "rollback") return decideRollback(stageContext, version, failed);
  return { ...verifyRollbackAgain(stageContext, rollout), reasons: [failed] };
}

/** Verifies the failed target of a rollback once per run, because there is no other version to roll back to. */
function verifyRollbackAgain(
  { stage, snapshot, input }: StageContext,
  rollout: Rollout,
): Pick<StepDecision, "step"> {
  if (input.context.verifiedStages.has(stage.name)) return { step: undefined };
  const target = ({ address }: StageObject): string => targetVersion(rollout, address);
  const running = snapshot.objects.filter(
    (object) => object.version === target(object) && !rollout.checked.includes(object.address),
  );
  const batch = batchForSameVersion(running, target);
  return { step: batch && { action: "verify", stage: stage.name, ...batch } };
}

/** Starts a rollback if the stage's `onFailure` asks for one and nothing blocks it. */
function decideRollback(
  { stage, snapshot, record, input }: StageContext,
  version: string,
  failed: BlockedReason,
): StepDecision {
  if (stage.onFailure === "stop") return blockedBy(failed);
  const target = rollbackTarget({ snapshot, record }, version);
  if (target === undefined) {
    const unavailable = unlistedRollbackReason(stage.name, { snapshot, record }, version);
    if (unavailable !== undefined) return blockedBy(failed, unavailable);
    const message = `${failed.message}, and the stage has no other verified version to roll back to`;
    return blockedBy({ ...failed, message });
  }
  const closed = input.context.closedReason(stage, "rollback");
  if (closed !== undefined) return blockedBy(failed, closed);
  return proceedWith({ action: "start", stage: stage.name, cause: "rollback", ...target });
}

/** Returns the reasons that block the next batch of a rollout. Only unlisted versions and operator windows block a rollback. */
function rolloutBlockers(
  { stage, snapshot, record, input }: StageContext,
  rollout: Rollout,
): BlockedReason[] {
  const { version, cause } = rollout;
  if (!isListed(snapshot, version)) return [unlistedReason(stage.name, version, snapshot)];
  const closed = input.context.closedReason(stage, cause);
  return [
    ...(cause === "rollback" || record.hold?.version === version
      ? []
      : heldReasons({ stage, record, input })),
    ...(closed === undefined ? [] : [closed]),
  ];
}

/** Returns why an admitted version may not continue for now: its approval or upstream verification expired. */
function expiredAdmissionReasons(
  { stage, record, input }: StageContext,
  { version, cause, skipped }: Rollout,
): BlockedReason[] {
  if (cause === "rollback") return [];
  const { context } = input;
  const needs = stage.isAutomatic ? [] : approvalReasons({ stage, record, input }, version);
  const isFree = skipped !== undefined || verificationOf(record, version)?.passed === true;
  if (!("stage" in stage.source) || isFree) return needs;
  const from = getStage(input, stage.source.stage);
  const upstream = verificationOf(stageRecord(input.record, from.name), version);
  if (upstream === undefined) return needs;
  const isLate = !isVerificationValid(upstream, from, context.now);
  const end = upstream.passed ? "expired" : "failed";
  const message = `the verification of ${version} in ${from.name} ${end}`;
  return isLate || !upstream.passed ? [{ code: "stale", message }, ...needs] : needs;
}
