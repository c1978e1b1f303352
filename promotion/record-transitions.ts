// State transitions of a pipeline's record, as pure functions.
import { limits } from "../core/limits/limits.ts";
import { whoText } from "../core/text/who-text.ts";
import { failureText, rollbackCheck } from "./blocked-reasons.ts";
import type { Approver } from "./approvers.ts";
import type { StartStep } from "./decide.ts";
import type { Pipeline } from "./pipeline.ts";
import {
  endRollout,
  type Evidence,
  limitEvidence,
  type PipelineRecord,
  type Rollout,
  withManualAction,
  stageRecord,
  svcItself,
  targetVersion,
  verificationOf,
  withStage,
  withVerification,
  type ManualAction,
  type Who,
  whoOf,
} from "./record.ts";
import type { StageSnapshot } from "./snapshot.ts";
import { isSoaking } from "./soak.ts";

/** The author of an action, its time and its commit. */
export interface Actor extends Who {
  /** ISO 8601. */
  readonly at: string;
  /** The commit that is checked out. Undefined outside a repository. */
  readonly commit?: string | undefined;
}

/** A manual action on a stage. */
export interface ManualActionInput extends Actor {
  readonly stage: string;
  readonly version?: string | undefined;
  readonly reason?: string | undefined;
  readonly promotion?: string | undefined;
}

function manualActionOf(
  action: ManualAction["action"],
  { stage, at, version, reason, commit, promotion, ...who }: ManualActionInput,
): ManualAction {
  return {
    action,
    stage,
    ...whoOf(who),
    at,
    ...(version !== undefined && { version }),
    ...(reason !== undefined && { reason: reason.slice(0, limits.messageCharacters) }),
    ...(commit !== undefined && { commit }),
    ...(promotion !== undefined && { promotion }),
  };
}

/** Starts a rollout: ends the active one, and stops the soak time of other verified versions. */
export function startRollout(
  record: PipelineRecord,
  { stage, version, cause, each }: StartStep,
  how: {
    id: string;
    snapshot: StageSnapshot;
    mode: Rollout["mode"];
    actor: Actor;
    /** The stages before that have not verified the version, and why they are skipped. */
    skips: Pick<Rollout, "skipped" | "reason">;
  },
): PipelineRecord {
  const { id, snapshot, mode, skips } = how;
  const { at } = how.actor;
  const before = stageRecord(record, stage).rollout;
  const incoming = new Set(
    snapshot.objects.map(({ address }) => targetVersion({ version, each }, address)),
  );
  const result = before?.failedAt === undefined ? "superseded" : "failed";
  const from = snapshot.objects.map(({ address, version: ran }) => [address, ran ?? null] as const);
  return withStage(endRollout(record, stage, { result, at }), stage, (now) => ({
    ...now,
    rollout: {
      id,
      version,
      from: Object.fromEntries(from),
      cause,
      mode,
      ...whoOf(how.actor),
      at,
      checked: [],
      evidence: [],
      ...(each && { each }),
      ...skips,
    },
    verified: now.verified.map((verification) =>
      incoming.has(verification.version) || verification.leftAt !== undefined
        ? verification
        : { ...verification, leftAt: at },
    ),
  }));
}

/** Who merged a version into the manifests, and for whom. */
export interface Merge extends Who {
  /** When it was merged, ISO 8601. */
  readonly at: string;
  /** Who asked for the version. */
  readonly requester: Who;
  /** Why the stages before were skipped. */
  readonly reason?: string | undefined;
  /** Git vouches for who merged it, who may approve for the stage. */
  readonly isApproval: boolean;
  /** The commits of the branch that brought it in, the oldest first. */
  readonly commits: readonly string[];
}

/** Returns the members of a rollout that skips stages; none if it does not. */
export function skipsOf(
  skipped: readonly string[],
  reason: string | undefined,
): Pick<Rollout, "skipped" | "reason"> {
  if (skipped.length === 0) return {};
  const why = reason?.replace(/\s+/gu, " ").slice(0, limits.messageCharacters);
  return { skipped: [...skipped], ...(why !== undefined && { reason: why }) };
}

/**
 * Starts the rollout of a version that was merged into the manifests. Where it brings in another version
 * than the candidate (`instead`), the stage is held there. A hold stays: it stops the next batch.
 */
export function recordMerge(
  record: PipelineRecord,
  step: StartStep,
  how: {
    readonly id: string;
    readonly snapshot: StageSnapshot;
    /** Previous version by address. */
    readonly from: ReadonlyMap<string, string | undefined>;
    readonly actor: Actor;
    readonly merge: Merge;
    readonly skipped: readonly string[];
    readonly instead: string | undefined;
  },
): PipelineRecord {
  const { id, from, actor, instead, merge } = how;
  const { stage, version } = step;
  const { at, requester, reason: why } = merge;
  const isHeld = instead === undefined || stageRecord(record, stage).hold !== undefined;
  const reason = `${version} was merged instead of ${instead}`;
  const held = isHeld ? record : setHold(record, { ...whoOf(merge), stage, version, at, reason });
  // What is applied already ran another version before the merge.
  const objects = how.snapshot.objects.map((object) =>
    object.version === object.pinned && from.has(object.address)
      ? { ...object, version: from.get(object.address) }
      : object,
  );
  const started = startRollout(held, step, {
    id,
    snapshot: { ...how.snapshot, objects },
    mode: "request",
    actor: { ...requester, at: actor.at },
    skips: skipsOf(how.skipped, why),
  });
  return recordMergeCommits(started, step, merge);
}

/** Records a merge that continues or rolls back the active rollout. Keeps the record if it contains the merge. */
export function recordMergedBatch(
  record: PipelineRecord,
  step: { readonly stage: string; readonly version: string },
  merge: Merge,
): PipelineRecord {
  const { commits: recorded = [] } = stageRecord(record, step.stage).rollout ?? {};
  const commits = merge.commits.filter((commit) => !recorded.includes(commit));
  return commits.length === 0 ? record : recordMergeCommits(record, step, { ...merge, commits });
}

/** Records the commits of a merge, and who approved the version by it, or only that it was merged. */
function recordMergeCommits(
  record: PipelineRecord,
  { stage, version }: { readonly stage: string; readonly version: string },
  { at, commits, isApproval, ...merge }: Merge,
): PipelineRecord {
  const { rollout } = stageRecord(record, stage);
  const about = {
    ...whoOf(merge),
    stage,
    version,
    at,
    commit: commits.at(-1),
    promotion: rollout?.id,
  };
  const approved = isApproval
    ? approveVersion(record, { ...about, reason: "merged" })
    : withManualAction(record, manualActionOf("merged", about));
  return commits.reduce((now, commit) => recordTrace(now, stage, { commit }), approved);
}

/** Adds a run or a commit to the active rollout. */
export function recordTrace(
  record: PipelineRecord,
  stage: string,
  { run, commit }: { readonly run?: string | undefined; readonly commit?: string | undefined },
): PipelineRecord {
  const { rollout } = stageRecord(record, stage);
  if (rollout === undefined || (run === undefined && commit === undefined)) return record;
  const added = (ids: readonly string[] = [], id: string): string[] =>
    [...ids.filter((other) => other !== id), id].slice(-limits.promotionRuns);
  const next = {
    ...rollout,
    ...(run !== undefined && { runs: added(rollout.runs, run) }),
    ...(commit !== undefined && { commits: added(rollout.commits, commit) }),
  };
  return withStage(record, stage, (now) => ({ ...now, rollout: next }));
}

/** The checks of a version on some objects of a stage. */
export interface CheckedObjects {
  readonly stage: string;
  readonly version: string;
  readonly addresses: readonly string[];
  readonly evidence: readonly Evidence[];
}

/** Records checks: as a part of the active rollout, otherwise as a verification of the running version. */
export function recordChecks(
  record: PipelineRecord,
  done: CheckedObjects,
  { pipeline, actor }: { pipeline: Pipeline; actor: Actor },
): PipelineRecord {
  const { stage, version, evidence, addresses } = done;
  const passed = evidence.every((result) => result.passed);
  const { rollout } = stageRecord(record, stage);
  const isOfRollout =
    rollout !== undefined &&
    addresses.every((address) => targetVersion(rollout, address) === version);
  const checked = passed ? recordPassed(record, done) : record;
  if (!isOfRollout) return recordVerification(checked, { ...done, passed }, { pipeline, actor });
  // A check that passes after a failure resumes the rollout.
  const { failedAt: _, ...resumed } = rollout;
  const next = withStage(checked, stage, (now) => ({
    ...now,
    rollout: {
      ...resumed,
      checked: [...rollout.checked, ...(passed ? addresses : [])],
      evidence: limitEvidence([...rollout.evidence, ...evidence]),
      ...(passed ? {} : { failedAt: actor.at }),
    },
  }));
  return passed ? next : recordVerification(next, { ...done, passed }, { pipeline, actor });
}

function recordPassed(
  record: PipelineRecord,
  { stage, version, addresses }: CheckedObjects,
): PipelineRecord {
  return withStage(record, stage, (now) => {
    const { passed = {} } = now;
    const added = addresses.map((address) => {
      const others = (passed[address] ?? []).filter((other) => other !== version);
      return [address, [version, ...others].slice(0, limits.objectVersionsKept)] as const;
    });
    return { ...now, passed: { ...passed, ...Object.fromEntries(added) } };
  });
}

/** Completes a rollout. The stage has verified the version, unless its objects went to different versions. */
export function finishRollout(
  record: PipelineRecord,
  { stage, version }: { readonly stage: string; readonly version: string },
  how: { pipeline: Pipeline; actor: Actor },
): PipelineRecord {
  const { rollout } = stageRecord(record, stage);
  if (rollout?.each !== undefined)
    return endRollout(record, stage, { result: "done", at: how.actor.at });
  const evidence = rollout?.evidence ?? [];
  const passed = recordVerification(record, { stage, version, evidence, passed: true }, how);
  return endRollout(passed, stage, { result: "done", at: how.actor.at });
}

/** Records a verification. If it failed, svc withdraws the approvals of the version in the stage and in later ones. */
function recordVerification(
  record: PipelineRecord,
  done: Omit<CheckedObjects, "addresses"> & {
    readonly passed: boolean;
    /** A person withdraws the version, which no limit tolerates. */
    readonly isRollback?: boolean;
  },
  { pipeline, actor }: { pipeline: Pipeline; actor: Actor },
): PipelineRecord {
  const { stage, version } = done;
  const { at } = actor;
  const before = verificationOf(stageRecord(record, stage), version);
  const declared = pipeline.stages.find(({ name }) => name === stage);
  const soaking = before && declared && isSoaking(declared, before) ? before : undefined;
  const failures = (soaking?.failures ?? 0) + (done.passed ? 0 : 1);
  const isTolerated = soaking !== undefined && failures <= (declared?.failureLimit ?? 0);
  const passed = done.passed || (isTolerated && done.isRollback !== true);
  const isSame = before?.passed === true && passed && before.leftAt === undefined;
  const next = withStage(record, stage, (now) =>
    withVerification(now, {
      version,
      passed,
      at,
      since: isSame ? before.since : at,
      ...(passed && failures > 0 && { failures }),
      ...whoOf(actor),
      evidence: limitEvidence(done.evidence),
    }),
  );
  if (passed) return next;
  const reason = failureText({ stage, version, evidence: done.evidence });
  return withdrawApprovals(next, pipeline, { ...svcItself, at, stage, version, reason });
}

/** Withdraws a version's approvals in a stage, and in every later stage that takes it from there. */
function withdrawApprovals(
  record: PipelineRecord,
  pipeline: Pipeline,
  input: ManualActionInput,
): PipelineRecord {
  return pipeline.stages
    .filter(({ source }) => "stage" in source && source.stage === input.stage)
    .reduce(
      (now, { name }) => withdrawApprovals(now, pipeline, { ...input, stage: name }),
      withdrawApproval(record, input),
    );
}

/** Withdraws the approval of a version for a stage; returns the record unchanged if there is none. */
export function withdrawApproval(record: PipelineRecord, input: ManualActionInput): PipelineRecord {
  const { approvals } = stageRecord(record, input.stage);
  const remaining = approvals.filter(({ version }) => version !== input.version);
  if (remaining.length === approvals.length) return record;
  const without = withStage(record, input.stage, (now) => ({ ...now, approvals: remaining }));
  return withManualAction(without, manualActionOf("approval-withdrawn", input));
}

/** Holds a stage. */
export function holdStage(
  record: PipelineRecord,
  input: ManualActionInput & { readonly reason: string },
): PipelineRecord {
  return withManualAction(setHold(record, input), manualActionOf("held", input));
}

/** Sets a hold. A hold with a version admits that version. */
function setHold(
  record: PipelineRecord,
  { stage, at, version, reason, ...who }: ManualActionInput & { readonly reason: string },
): PipelineRecord {
  const hold = { ...whoOf(who), at, reason, ...(version !== undefined && { version }) };
  return withStage(record, stage, (now) => ({ ...now, hold }));
}

/** Releases the hold of a stage. */
export function releaseStage(record: PipelineRecord, input: ManualActionInput): PipelineRecord {
  if (stageRecord(record, input.stage).hold === undefined) return record;
  const free = withStage(record, input.stage, ({ hold: _, ...now }) => now);
  return withManualAction(free, manualActionOf("released", input));
}

/** Approves a version for a stage. */
export function approveVersion(
  record: PipelineRecord,
  input: ManualActionInput & Approver & { readonly version: string },
): PipelineRecord {
  const { stage, version, at, groups } = input;
  const next = withStage(record, stage, (now) => ({
    ...now,
    approvals: [
      { version, ...whoOf(input), at, ...(groups && { groups }) },
      ...now.approvals.filter((approval) => approval.version !== version),
    ].slice(0, limits.approvalsKept),
  }));
  return withManualAction(next, manualActionOf("approved", input));
}

/** Records a request for a version. The candidate releases the hold; another version is held. */
export function recordRequest(
  record: PipelineRecord,
  input: ManualActionInput & { readonly version: string },
  candidate: string | undefined,
): PipelineRecord {
  const updated = withManualAction(record, manualActionOf("requested", input));
  const { version } = input;
  if (version === candidate)
    return releaseStage(updated, { ...input, reason: `${version} was requested` });
  const instead = candidate === undefined ? "" : ` instead of ${candidate}`;
  return setHold(updated, { ...input, reason: `${version} was requested${instead}` });
}

/**
 * Records a rollback to `input.version`. Withdraws the verification of the version that the stage leaves, and keeps the checks
 * that it failed. Of several versions (`leaving` is undefined), it withdraws only the approvals: of those in `left`.
 */
export function recordRollback(
  record: PipelineRecord,
  input: ManualActionInput & { readonly version: string },
  {
    leaving,
    left,
    pipeline,
  }: {
    readonly leaving: string | undefined;
    readonly left: readonly string[];
    readonly pipeline: Pipeline;
  },
): PipelineRecord {
  const { stage, version: target, at } = input;
  const because = input.reason === undefined ? "" : `: ${input.reason}`;
  const message = `rolled back by ${whoText(input)}${because}`.slice(0, limits.messageCharacters);
  const verification =
    leaving === undefined ? undefined : verificationOf(stageRecord(record, stage), leaving);
  const failed = (verification?.evidence ?? []).filter(
    ({ check, passed }) => !passed && check !== rollbackCheck,
  );
  const evidence = [...failed, { check: rollbackCheck, passed: false, message, at }];
  const reason = `rolled back from ${leaving ?? "several versions"} to ${target}`;
  const without =
    leaving === undefined
      ? left.reduce(
          (now, version) =>
            withdrawApprovals(now, pipeline, { ...svcItself, at, stage, version, reason }),
          record,
        )
      : recordVerification(
          record,
          { stage, version: leaving, evidence, passed: false, isRollback: true },
          { pipeline, actor: input },
        );
  const why = input.reason === undefined ? reason : `${reason}: ${input.reason}`;
  return setHold(withManualAction(without, manualActionOf("rolled-back", input)), {
    ...input,
    reason: why,
  });
}

/** Holds a stage whose rollback to `input.version` is active or complete. No further version is marked as failed. */
export function holdAfterRollback(
  record: PipelineRecord,
  input: ManualActionInput & { readonly version: string },
): PipelineRecord {
  const { stage, version } = input;
  const { hold } = stageRecord(record, stage);
  const updated = withManualAction(record, manualActionOf("rolled-back", input));
  if (hold?.version === version && input.reason === undefined) return updated;
  const reason = `rolled back to ${version}`;
  const why = input.reason === undefined ? reason : `${reason}: ${input.reason}`;
  return setHold(updated, { ...input, reason: why });
}
