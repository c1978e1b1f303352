// What a pipeline has done so far: what was verified where, what is under way, who approved and who holds. Kept in the inventory store.
import { Type, type Static } from "typebox";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { validator } from "../core/validate.ts";

const closed = { additionalProperties: false } as const;
const text = Type.String();

const Evidence = Type.Object({ check: text, passed: Type.Boolean(), message: text, at: text }, closed);

const Verification = Type.Object(
  {
    version: text,
    passed: Type.Boolean(),
    /** When it was looked at last. */
    at: text,
    /** Since when it has passed each time; of a failed one, when it failed. */
    since: text,
    /** When the stage began to leave the version; it soaks no more. */
    leftAt: Type.Optional(text),
    by: text,
    evidence: Type.Array(Evidence),
  },
  closed,
);

const actorFields = { by: text, at: text };

/** Ids of runs in `svc history`, and commits, by which a promotion moved what it moved. */
const traceFields = {
  runs: Type.Optional(Type.Array(text)),
  commits: Type.Optional(Type.Array(text)),
};

/** What somebody said of a stage, as a schema. */
export const ManualAction = Type.Object(
  {
    action: Type.Union(
      [
        Type.Literal("held"),
        Type.Literal("released"),
        Type.Literal("approved"),
        Type.Literal("requested"),
        Type.Literal("rolled-back"),
        Type.Literal("approval-withdrawn"),
      ],
      { description: "`withdrew`: a check failed, and approvals of the version are gone." },
    ),
    stage: text,
    ...actorFields,
    version: Type.Optional(Type.String({ description: "What it was about." })),
    reason: Type.Optional(text),
    commit: Type.Optional(Type.String({ description: "What was checked out there." })),
    promotion: Type.Optional(Type.String({ description: "Id of the promotion that it began." })),
  },
  closed,
);

const Hold = Type.Object(
  {
    ...actorFields,
    reason: text,
    /** Of a hold that came with a version: that one may go on coming in. */
    version: Type.Optional(text),
  },
  closed,
);

const Rollout = Type.Object(
  {
    id: text,
    version: text,
    /** What each object ran before, by address; null where that is not known. */
    from: Type.Record(text, Type.Union([text, Type.Null()])),
    cause: Type.Union([Type.Literal("candidate"), Type.Literal("requested"), Type.Literal("rollback")]),
    mode: Type.Union([Type.Literal("direct"), Type.Literal("write")]),
    ...actorFields,
    /** Addresses that run the version and have passed. */
    checked: Type.Array(text),
    /** By address, of a way back on which objects part; left out where all go to the version. */
    each: Type.Optional(Type.Record(text, text)),
    evidence: Type.Array(Evidence),
    ...traceFields,
    failedAt: Type.Optional(text),
  },
  closed,
);

const StageRecord = Type.Object(
  {
    rollout: Type.Optional(Rollout),
    verified: Type.Array(Verification),
    /** By address, the versions that an object passed with, the last one first. */
    passed: Type.Optional(Type.Record(text, Type.Array(text))),
    approvals: Type.Array(Type.Object({ version: text, ...actorFields }, closed)),
    hold: Type.Optional(Hold),
  },
  closed,
);

/** A promotion that has ended, as a schema. */
export const Promotion = Type.Object(
  {
    id: text,
    stage: text,
    from: Type.Array(text),
    to: text,
    cause: text,
    mode: text,
    by: text,
    startedAt: text,
    endedAt: text,
    result: Type.Union([Type.Literal("done"), Type.Literal("failed"), Type.Literal("superseded")]),
    evidence: Type.Array(Evidence),
    ...traceFields,
  },
  closed,
);

const recordSchema = Type.Object(
  {
    stages: Type.Record(text, StageRecord),
    history: Type.Array(Promotion),
    /** The newest first. */
    manualActions: Type.Optional(Type.Array(ManualAction)),
  },
  closed,
);

/** How one check ended; `said` is ours and holds nothing of an answer but its status. */
export type Evidence = Static<typeof Evidence>;
/** Whether a version passed in a stage, and since when. */
export type Verification = Static<typeof Verification>;
/** A promotion under way in a stage; what is done of it shows in the snapshot. */
export type Rollout = Static<typeof Rollout>;
/** What is known of one stage. */
export type StageRecord = Static<typeof StageRecord>;
/** A promotion that has ended. */
export type Promotion = Static<typeof Promotion>;
/** What somebody said of a stage. */
export type ManualAction = Static<typeof ManualAction>;
/** All that is known of a pipeline. */
export type PipelineRecord = Static<typeof recordSchema>;

/** Of a pipeline that has done nothing yet. */
export const emptyRecord: PipelineRecord = { stages: {}, history: [] };

const emptyStage: StageRecord = { verified: [], approvals: [] };

/** The record in a stored value; fails with `corrupt` where it is none. */
export function parseRecord(value: unknown, pipeline: string): PipelineRecord {
  if (value === undefined) return emptyRecord;
  const [wrong] = validator(recordSchema)(value);
  if (wrong === undefined) return value as PipelineRecord;
  throw new Failure(
    "corrupt",
    `the record of the pipeline ${pipeline} cannot be read: ${wrong.path} ${wrong.message}`,
    { remedy: "use the version of svc that wrote it, or restore the inventory from a copy" },
  );
}

/** What is known of a stage, also where that is nothing. */
export function stageRecord({ stages }: PipelineRecord, stage: string): StageRecord {
  return Object.hasOwn(stages, stage) ? (stages[stage] ?? emptyStage) : emptyStage;
}

/** The record with another word on one stage. */
export function withStage(
  record: PipelineRecord,
  stage: string,
  change: (now: StageRecord) => StageRecord,
): PipelineRecord {
  return {
    ...record,
    stages: { ...record.stages, [stage]: change(stageRecord(record, stage)) },
  };
}

/** What an object comes to by a rollout. */
export function targetVersion(
  to: { readonly version: string; readonly each?: Readonly<Record<string, string>> | undefined },
  address: string,
): string {
  const { version, each = {} } = to;
  return Object.hasOwn(each, address) ? (each[address] ?? version) : version;
}

/** The verification of a version in a stage. */
export function verificationOf(
  { verified }: StageRecord,
  version: string,
): Verification | undefined {
  return verified.find((one) => one.version === version);
}

/** The stage with this verification as its newest; the oldest beyond what is kept go. */
export function withVerification(now: StageRecord, made: Verification): StageRecord {
  const others = now.verified.filter(({ version }) => version !== made.version);
  return { ...now, verified: [made, ...others].slice(0, limits.verificationsKept) };
}

/** Ends what is under way in a stage, and puts it into the history. */
export function endRollout(
  record: PipelineRecord,
  stage: string,
  { result, at }: { readonly result: Promotion["result"]; readonly at: string },
): PipelineRecord {
  const { rollout, ...rest } = stageRecord(record, stage);
  if (rollout === undefined) return record;
  const { id, version: to, cause, mode, by, at: startedAt, evidence, runs, commits } = rollout;
  const from = [...new Set(Object.values(rollout.from).filter((one) => one !== null))].toSorted();
  const traced = { ...(runs && { runs }), ...(commits && { commits }) };
  const about = { id, stage, from, to, cause, mode, by, startedAt, endedAt: at };
  const ended = { ...about, result, evidence, ...traced };
  return {
    ...record,
    stages: { ...record.stages, [stage]: rest },
    history: [ended, ...record.history].slice(0, limits.promotionsKept),
  };
}

/** The record with one word more. */
export function withManualAction(record: PipelineRecord, action: ManualAction): PipelineRecord {
  return { ...record, manualActions: [action, ...(record.manualActions ?? [])].slice(0, limits.manualActionsKept) };
}

/** As much of the evidence as is kept: what failed first. */
export function limitEvidence(evidence: readonly Evidence[]): Evidence[] {
  return evidence
    .toSorted((left, right) => Number(left.passed) - Number(right.passed))
    .slice(0, limits.verificationChecksKept);
}
