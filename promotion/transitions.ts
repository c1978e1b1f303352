// How the record of a pipeline changes: each step of a promotion as a pure function of the record before.
import { limits } from "../core/limits.ts";
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
  targetVersion,
  verificationOf,
  withStage,
  withVerification,
  type ManualAction,
} from "./record.ts";
import type { StageSnapshot } from "./snapshot.ts";

/** Who does something, and when. */
export interface Actor {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  /** What is checked out where it is done; left out where that is no commit. */
  readonly commit?: string | undefined;
}

/** What somebody says of a stage beside who they are. */
export interface ManualActionInput extends Actor {
  readonly stage: string;
  readonly version?: string | undefined;
  readonly reason?: string | undefined;
  readonly promotion?: string | undefined;
}

function manualActionOf(
  action: ManualAction["action"],
  { stage, by, at, version, reason, commit, promotion }: ManualActionInput,
): ManualAction {
  return {
    action,
    stage,
    by,
    at,
    ...(version !== undefined && { version }),
    ...(reason !== undefined && { reason: reason.slice(0, limits.messageCharacters) }),
    ...(commit !== undefined && { commit }),
    ...(promotion !== undefined && { promotion }),
  };
}

/** A rollout begins; what was under way before is over, and what else was verified soaks no more. */
export function startRollout(
  record: PipelineRecord,
  { stage, version, cause, each }: StartStep,
  how: { id: string; snapshot: StageSnapshot; mode: Rollout["mode"]; actor: Actor },
): PipelineRecord {
  const { id, snapshot, mode } = how;
  const { by, at } = how.actor;
  const before = stageRecord(record, stage).rollout;
  const comes = new Set(
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
      by,
      at,
      checked: [],
      evidence: [],
      ...(each && { each }),
    },
    verified: now.verified.map((one) =>
      comes.has(one.version) || one.leftAt !== undefined ? one : { ...one, leftAt: at },
    ),
  }));
}

/** What was under way moved something by a run, or by a commit. */
export function recordTrace(
  record: PipelineRecord,
  stage: string,
  { run, commit }: { readonly run?: string | undefined; readonly commit?: string | undefined },
): PipelineRecord {
  const { rollout } = stageRecord(record, stage);
  if (rollout === undefined || (run === undefined && commit === undefined)) return record;
  const added = (known: readonly string[] = [], one: string): string[] =>
    [...known.filter((other) => other !== one), one].slice(-limits.promotionRuns);
  const next = {
    ...rollout,
    ...(run !== undefined && { runs: added(rollout.runs, run) }),
    ...(commit !== undefined && { commits: added(rollout.commits, commit) }),
  };
  return withStage(record, stage, (now) => ({ ...now, rollout: next }));
}

/** What was checked of a version in a stage. */
export interface CheckedObjects {
  readonly stage: string;
  readonly version: string;
  readonly addresses: readonly string[];
  readonly evidence: readonly Evidence[];
}

/** Checks have ended: of a rollout its next step, else a verification of what the stage runs. */
export function recordChecks(
  record: PipelineRecord,
  done: CheckedObjects,
  { pipeline, actor }: { pipeline: Pipeline; actor: Actor },
): PipelineRecord {
  const { stage, version, evidence, addresses } = done;
  const passed = evidence.every((one) => one.passed);
  const { rollout } = stageRecord(record, stage);
  const goesOn =
    rollout !== undefined && addresses.every((one) => targetVersion(rollout, one) === version);
  const known = passed ? recordPassed(record, done) : record;
  if (!goesOn) return recordVerification(known, { ...done, passed }, { pipeline, actor });
  const next = withStage(known, stage, (now) => ({
    ...now,
    rollout: {
      ...rollout,
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
      const others = (passed[address] ?? []).filter((one) => one !== version);
      return [address, [version, ...others].slice(0, limits.objectVersionsKept)] as const;
    });
    return { ...now, passed: { ...passed, ...Object.fromEntries(added) } };
  });
}

/** A rollout has come to its end: the stage has verified the version, unless its objects parted. */
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

/** A failed one takes back the approvals that stood on it. */
function recordVerification(
  record: PipelineRecord,
  done: Omit<CheckedObjects, "addresses"> & { readonly passed: boolean },
  { pipeline, actor }: { pipeline: Pipeline; actor: Actor },
): PipelineRecord {
  const { stage, version, passed } = done;
  const { by, at } = actor;
  const next = withStage(record, stage, (now) => {
    const before = verificationOf(now, version);
    const isSame = before?.passed === true && passed && before.leftAt === undefined;
    const since = isSame ? before.since : at;
    return withVerification(now, {
      version,
      passed,
      at,
      since,
      by,
      evidence: limitEvidence(done.evidence),
    });
  });
  if (passed) return next;
  const reason = `${version} did not pass in ${stage}`;
  return withdrawApprovals(next, { pipeline, stage }, { ...actor, stage, version, reason });
}

/** Takes back a version's approvals in every stage that gets it by way of this one. */
function withdrawApprovals(
  record: PipelineRecord,
  { pipeline, stage }: { readonly pipeline: Pipeline; readonly stage: string },
  input: ManualActionInput,
): PipelineRecord {
  return pipeline.stages
    .filter(({ enters }) => "stage" in enters && enters.stage === stage)
    .reduce((now, { name }) => {
      const { approvals } = stageRecord(now, name);
      const left = approvals.filter((one) => one.version !== input.version);
      const without = withStage(now, name, (known) => ({ ...known, approvals: left }));
      const updated =
        left.length === approvals.length
          ? without
          : withManualAction(without, manualActionOf("approval-withdrawn", { ...input, stage: name }));
      return withdrawApprovals(updated, { pipeline, stage: name }, input);
    }, record);
}

/** Somebody holds a stage. */
export function holdStage(
  record: PipelineRecord,
  input: ManualActionInput & { readonly reason: string },
): PipelineRecord {
  return withManualAction(setHold(record, input), manualActionOf("held", input));
}

/** The hold alone; one that comes with a version lets that one in. */
function setHold(
  record: PipelineRecord,
  { stage, by, at, version, reason }: ManualActionInput & { readonly reason: string },
): PipelineRecord {
  const hold = { by, at, reason, ...(version !== undefined && { version }) };
  return withStage(record, stage, (now) => ({ ...now, hold }));
}

/** Nobody holds the stage any more. */
export function releaseStage(record: PipelineRecord, input: ManualActionInput): PipelineRecord {
  if (stageRecord(record, input.stage).hold === undefined) return record;
  const free = withStage(record, input.stage, ({ hold: _, ...now }) => now);
  return withManualAction(free, manualActionOf("released", input));
}

/** Somebody lets a version into a stage. */
export function approveVersion(
  record: PipelineRecord,
  input: ManualActionInput & { readonly version: string },
): PipelineRecord {
  const { stage, version, by, at } = input;
  const next = withStage(record, stage, (now) => ({
    ...now,
    approvals: [
      { version, by, at },
      ...now.approvals.filter((one) => one.version !== version),
    ].slice(0, limits.approvalsKept),
  }));
  return withManualAction(next, manualActionOf("approved", input));
}

/** Somebody asks for a version by name: the candidate lifts the hold, any other is held there. */
export function recordRequest(
  record: PipelineRecord,
  input: ManualActionInput & { readonly version: string },
  candidate: string | undefined,
): PipelineRecord {
  const updated = withManualAction(record, manualActionOf("requested", input));
  const { version } = input;
  if (version === candidate)
    return releaseStage(updated, { ...input, reason: `${version} was asked for` });
  const instead = candidate === undefined ? "" : `, and not ${candidate}`;
  return setHold(updated, { ...input, reason: `${version} was asked for${instead}` });
}

/** Somebody takes a stage back to `input.version`; the version that it leaves is found wanting, whatever the checks input. */
export function recordRollback(
  record: PipelineRecord,
  input: ManualActionInput & { readonly version: string },
  { leaving, pipeline }: { readonly leaving: string | undefined; readonly pipeline: Pipeline },
): PipelineRecord {
  const { stage, version: back, by, at } = input;
  const evidence = [{ check: "rollback", passed: false, message: `taken back by ${by}`, at }];
  // What runs side by side is no one version to be found wanting.
  const without =
    leaving === undefined
      ? record
      : recordVerification(
          record,
          { stage, version: leaving, evidence, passed: false },
          { pipeline, actor: input },
        );
  const reason = `rolled back from ${leaving ?? "several versions"} to ${back}`;
  const why = input.reason === undefined ? reason : `${reason}: ${input.reason}`;
  return setHold(
    withManualAction(without, manualActionOf("rolled-back", { ...input, reason: why })),
    {
      ...input,
      reason: why,
    },
  );
}

/** Somebody takes a stage back that is on its way back already, to `input.version`: it is held there, and nothing more is found wanting. */
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
