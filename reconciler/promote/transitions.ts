// How the record of a pipeline changes: each step of a promotion as a pure function of the record before.
import type { Start } from "./decide.ts";
import type { Pipeline } from "./pipeline.ts";
import {
  ended,
  type Evidence,
  keptEvidence,
  type PipelineRecord,
  type Rollout,
  stageRecord,
  verificationOf,
  withStage,
  withVerification,
} from "./record.ts";
import type { StageSight } from "./world.ts";

/** Who does something, and when. */
export interface Actor {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A rollout begins; what was under way before is over, and what else was verified soaks no more. */
export function started(
  record: PipelineRecord,
  { stage, version, cause }: Start,
  { sight, way, actor }: { sight: StageSight; way: Rollout["way"]; actor: Actor },
): PipelineRecord {
  const before = stageRecord(record, stage).rollout;
  const result = before?.failedAt === undefined ? "superseded" : "failed";
  const from = sight.objects.map(({ address, version: ran }) => [address, ran ?? null] as const);
  return withStage(ended(record, stage, { result, at: actor.at }), stage, (now) => ({
    ...now,
    rollout: {
      id: crypto.randomUUID(),
      version,
      from: Object.fromEntries(from),
      cause,
      way,
      ...actor,
      checked: [],
      evidence: [],
    },
    verified: now.verified.map((one) =>
      one.version === version || one.leftAt !== undefined ? one : { ...one, leftAt: actor.at },
    ),
  }));
}

/** What was checked of a version in a stage. */
export interface Checked {
  readonly stage: string;
  readonly version: string;
  readonly addresses: readonly string[];
  readonly evidence: readonly Evidence[];
}

/** Checks have ended: of a rollout its next step, else a verification of what the stage runs. */
export function checked(
  record: PipelineRecord,
  done: Checked,
  { pipeline, actor }: { pipeline: Pipeline; actor: Actor },
): PipelineRecord {
  const { stage, version, evidence, addresses } = done;
  const passed = evidence.every((one) => one.passed);
  const { rollout } = stageRecord(record, stage);
  const goesOn = rollout !== undefined && rollout.version === version;
  if (!goesOn) return verified(record, { ...done, passed }, { pipeline, actor });
  const next = withStage(record, stage, (now) => ({
    ...now,
    rollout: {
      ...rollout,
      checked: [...rollout.checked, ...(passed ? addresses : [])],
      evidence: keptEvidence([...rollout.evidence, ...evidence]),
      ...(passed ? {} : { failedAt: actor.at }),
    },
  }));
  return passed ? next : verified(next, { ...done, passed }, { pipeline, actor });
}

/** A rollout has come to its end: the stage has verified the version. */
export function finished(
  record: PipelineRecord,
  { stage, version }: { readonly stage: string; readonly version: string },
  how: { pipeline: Pipeline; actor: Actor },
): PipelineRecord {
  const evidence = stageRecord(record, stage).rollout?.evidence ?? [];
  const passed = verified(record, { stage, version, evidence, passed: true }, how);
  return ended(passed, stage, { result: "done", at: how.actor.at });
}

/** A failed one takes back the approvals that stood on it. */
function verified(
  record: PipelineRecord,
  done: Omit<Checked, "addresses"> & { readonly passed: boolean },
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
      evidence: keptEvidence(done.evidence),
    });
  });
  return passed ? next : withdrawnFrom(next, { pipeline, stage, version });
}

/** Takes back a version's approvals in every stage that gets it by way of this one. */
function withdrawnFrom(
  record: PipelineRecord,
  { pipeline, stage, version }: { pipeline: Pipeline; stage: string; version: string },
): PipelineRecord {
  return pipeline.stages
    .filter(({ enters }) => "stage" in enters && enters.stage === stage)
    .reduce((now, { name }) => {
      const without = withStage(now, name, (known) => ({
        ...known,
        approvals: known.approvals.filter((one) => one.version !== version),
      }));
      return withdrawnFrom(without, { pipeline, stage: name, version });
    }, record);
}

/** Somebody holds a stage. */
export function held(
  record: PipelineRecord,
  stage: string,
  hold: Actor & { readonly reason: string },
): PipelineRecord {
  return withStage(record, stage, (now) => ({ ...now, hold }));
}

/** Nobody holds the stage any more. */
export function released(record: PipelineRecord, stage: string): PipelineRecord {
  return withStage(record, stage, ({ hold: _, ...now }) => now);
}

/** Somebody lets a version into a stage. */
export function approved(
  record: PipelineRecord,
  stage: string,
  approval: Actor & { readonly version: string },
): PipelineRecord {
  return withStage(record, stage, (now) => ({
    ...now,
    approvals: [
      approval,
      ...now.approvals.filter(({ version }) => version !== approval.version),
    ].slice(0, 50),
  }));
}

/** Somebody has found a version wanting, whatever the checks said. */
export function rejected(
  record: PipelineRecord,
  { stage, version }: { readonly stage: string; readonly version: string },
  how: { pipeline: Pipeline; actor: Actor },
): PipelineRecord {
  const { by, at } = how.actor;
  const evidence = [{ check: "rollback", passed: false, said: `taken back by ${by}`, at }];
  return verified(record, { stage, version, evidence, passed: false }, how);
}
