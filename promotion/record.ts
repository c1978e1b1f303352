// The record of a pipeline: verifications, active rollouts, approvals, holds and history. It is kept in the inventory store.
import { Type, type Static } from "typebox";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { declaredValidator } from "../core/schema/validate.ts";

const closed = { additionalProperties: false } as const;
const text = Type.String();

/** Schema of the result of a check. */
export const Evidence = Type.Object(
  {
    check: text,
    passed: Type.Boolean(),
    message: text,
    at: text,
    output: Type.Optional(
      Type.String({
        description: "The end of the output of a command that failed, with secrets masked.",
      }),
    ),
  },
  closed,
);

/** Who did something: the name, and who vouches for it. */
const whoFields = {
  by: text,
  vouchedBy: Type.Optional(
    Type.Union(
      [
        Type.Literal("server"),
        Type.Literal("git"),
        Type.Literal("controller"),
        Type.Literal("svc"),
      ],
      {
        description:
          "Who says that it was `by`: the server, of the credential; Git, of the author of a merge commit; a controller, of the token; or svc, which did it by itself. Missing if nobody does.",
      },
    ),
  ),
};

const Verification = Type.Object(
  {
    version: text,
    passed: Type.Boolean(),
    /** Time of the last check. */
    at: text,
    /** Since when every check passed; for a failed version, when it failed. */
    since: text,
    /** Verifications during the soak time that failed, and were tolerated. */
    failures: Type.Optional(Type.Integer()),
    /** When the stage started to leave the version, which ends its soak time. */
    leftAt: Type.Optional(text),
    ...whoFields,
    evidence: Type.Array(Evidence),
  },
  closed,
);

/** Who did something, and when. */
export const actorFields = { ...whoFields, at: text };

/** Run ids in `svc history` and commits of a promotion. */
const traceFields = {
  runs: Type.Optional(Type.Array(text)),
  commits: Type.Optional(Type.Array(text)),
};

/** Schema of a manual action. */
export const ManualAction = Type.Object(
  {
    action: Type.Union(
      [
        Type.Literal("held"),
        Type.Literal("released"),
        Type.Literal("approved"),
        Type.Literal("merged"),
        Type.Literal("requested"),
        Type.Literal("rolled-back"),
        Type.Literal("approval-withdrawn"),
      ],
      {
        description:
          "`merged`: the version was merged by someone who is no approver, or whom no merge commit names (`unknown`). `approval-withdrawn`: someone withdrew the approval of the version; or `svc` did, because the version failed a check or was rolled back there or in an earlier stage.",
      },
    ),
    stage: text,
    ...actorFields,
    version: Type.Optional(Type.String({ description: "The version concerned." })),
    reason: Type.Optional(text),
    commit: Type.Optional(
      Type.String({ description: "The commit that the actor had checked out." }),
    ),
    promotion: Type.Optional(Type.String({ description: "Id of the promotion that it started." })),
  },
  closed,
);

const Hold = Type.Object(
  {
    ...actorFields,
    reason: text,
    /** The version that the hold still admits. */
    version: Type.Optional(text),
  },
  closed,
);

/** How a version came into a stage past the stages before it. */
export const skipFields = {
  skipped: Type.Optional(
    Type.Array(text, { description: "The stages before that had not verified the version." }),
  ),
  reason: Type.Optional(text),
};

const Rollout = Type.Object(
  {
    id: text,
    version: text,
    /** Previous version of each object, by address; null if unknown. */
    from: Type.Record(text, Type.Union([text, Type.Null()])),
    cause: Type.Union([
      Type.Literal("candidate"),
      Type.Literal("requested"),
      Type.Literal("merged"),
      Type.Literal("rollback"),
    ]),
    /** Who writes the manifests: nobody, the run, or the merge of a pull request. */
    mode: Type.Union([Type.Literal("direct"), Type.Literal("write"), Type.Literal("request")]),
    ...actorFields,
    /** Addresses that run the version and passed the checks. */
    checked: Type.Array(text),
    /** Target version by address, if a rollback takes objects to different versions. */
    each: Type.Optional(Type.Record(text, text)),
    evidence: Type.Array(Evidence),
    ...traceFields,
    failedAt: Type.Optional(text),
    ...skipFields,
  },
  closed,
);

/** Schema of an approval. */
export const Approval = Type.Object(
  {
    version: text,
    ...actorFields,
    groups: Type.Optional(
      Type.Array(text, { description: "Groups of the user that are approvers of the stage." }),
    ),
  },
  closed,
);

const StageRecord = Type.Object(
  {
    rollout: Type.Optional(Rollout),
    verified: Type.Array(Verification),
    /** Versions that passed on each object, by address, latest first. */
    passed: Type.Optional(Type.Record(text, Type.Array(text))),
    approvals: Type.Array(Approval),
    hold: Type.Optional(Hold),
  },
  closed,
);

/** Schema of a completed promotion. */
export const Promotion = Type.Object(
  {
    id: text,
    stage: text,
    from: Type.Array(text),
    to: text,
    cause: text,
    mode: text,
    ...whoFields,
    startedAt: text,
    endedAt: text,
    result: Type.Union([Type.Literal("done"), Type.Literal("failed"), Type.Literal("superseded")]),
    evidence: Type.Array(Evidence),
    ...traceFields,
    ...skipFields,
  },
  closed,
);

const recordSchema = Type.Object(
  {
    stages: Type.Record(text, StageRecord),
    history: Type.Array(Promotion),
    /** Newest first. */
    manualActions: Type.Optional(Type.Array(ManualAction)),
  },
  closed,
);

const validateRecord = declaredValidator(recordSchema);

/** Who acts. */
export interface ActorOptions {
  /** The name of the author of runs in the history of the stack, and of the actor where the server names no user. */
  readonly by: string;
  /** A name that the caller claims, which is refused if the server names the user of the credential. */
  readonly claimedBy?: string | undefined;
  /** Set by a controller whose operator gave `by` a token: then `by` acts, not the user of the credential. */
  readonly vouchedBy?: "controller" | undefined;
  /** Groups of `by` at the server of the stack, for a controller that asked it; undefined if it did not. */
  readonly groups?: readonly string[] | undefined;
}

/** The result of one check. `svc` writes the `message`; of a response it contains only the status. The `output` is untrusted. */
export type Evidence = Static<typeof Evidence>;
/** The result of a check before it is recorded: whether it passed, and why not. */
export type CheckResult = Pick<Evidence, "passed" | "message" | "output">;
/** Who did something. */
export type Who = Pick<ManualAction, "by" | "vouchedBy">;
/** The approval of a version for a stage. */
export type Approval = Static<typeof Approval>;
/** The verification of a version in a stage. */
export type Verification = Static<typeof Verification>;
/** The active rollout of a stage. The live versions show its progress. */
export type Rollout = Static<typeof Rollout>;
/** The record of one stage. */
export type StageRecord = Static<typeof StageRecord>;
/** A completed promotion. */
export type Promotion = Static<typeof Promotion>;
/** A manual action on a stage: an approval, a hold, a request. */
export type ManualAction = Static<typeof ManualAction>;
/** The record of a pipeline. */
export type PipelineRecord = Static<typeof recordSchema>;

/** The record of a new pipeline. */
export const emptyRecord: PipelineRecord = { stages: {}, history: [] };

/** The actor of what svc does by itself. */
export const svcItself: Who = { by: "svc", vouchedBy: "svc" };

const emptyStage: StageRecord = { verified: [], approvals: [] };

/** Parses a stored record. Fails with `corrupt` if the value is invalid. */
export function parseRecord(value: unknown, pipeline: string): PipelineRecord {
  if (value === undefined) return emptyRecord;
  const [wrong] = validateRecord(value);
  if (wrong === undefined) return value as PipelineRecord;
  throw new Failure(
    "corrupt",
    `the record of the pipeline ${pipeline} cannot be read: ${wrong.path} ${wrong.message}`,
    { remedy: "Use the version of svc that wrote it, or restore the inventory from a backup." },
  );
}

/** Returns who did something, without other members. */
export function whoOf({ by, vouchedBy }: Who): Who {
  return { by, ...(vouchedBy !== undefined && { vouchedBy }) };
}

/** Returns the record of a stage, empty if there is none. */
export function stageRecord({ stages }: PipelineRecord, stage: string): StageRecord {
  return Object.hasOwn(stages, stage) ? (stages[stage] ?? emptyStage) : emptyStage;
}

/** Returns the record with one stage changed. */
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

/** Returns the target version of an object in a rollout. */
export function targetVersion(
  to: { readonly version: string; readonly each?: Readonly<Record<string, string>> | undefined },
  address: string,
): string {
  const { version, each = {} } = to;
  return Object.hasOwn(each, address) ? (each[address] ?? version) : version;
}

/** Returns the verification of a version in a stage. */
export function verificationOf(
  { verified }: Pick<StageRecord, "verified">,
  version: string,
): Verification | undefined {
  return verified.find((one) => one.version === version);
}

/** Adds a verification and drops the oldest beyond the limit. */
export function withVerification(now: StageRecord, verification: Verification): StageRecord {
  const others = now.verified.filter(({ version }) => version !== verification.version);
  return { ...now, verified: [verification, ...others].slice(0, limits.verificationsKept) };
}

/** Ends the active rollout of a stage and adds it to the history. */
export function endRollout(
  record: PipelineRecord,
  stage: string,
  { result, at }: { readonly result: Promotion["result"]; readonly at: string },
): PipelineRecord {
  const { rollout, ...rest } = stageRecord(record, stage);
  if (rollout === undefined) return record;
  const { id, version: to, cause, mode, at: startedAt, evidence, runs, commits } = rollout;
  const from = [...new Set(Object.values(rollout.from).filter((one) => one !== null))].toSorted();
  const { skipped, reason } = rollout;
  const traced = { ...(runs && { runs }), ...(commits && { commits }) };
  const skips = { ...(skipped && { skipped }), ...(reason !== undefined && { reason }) };
  const about = { id, stage, from, to, cause, mode, ...whoOf(rollout), startedAt, endedAt: at };
  const ended = { ...about, result, evidence, ...traced, ...skips };
  return {
    ...record,
    stages: { ...record.stages, [stage]: rest },
    history: [ended, ...record.history].slice(0, limits.promotionsKept),
  };
}

/** Adds a manual action, newest first, up to the limit. */
export function withManualAction(record: PipelineRecord, action: ManualAction): PipelineRecord {
  return {
    ...record,
    manualActions: [action, ...(record.manualActions ?? [])].slice(0, limits.manualActionsKept),
  };
}

/** Limits the evidence that is kept; failed checks come first. */
export function limitEvidence(evidence: readonly Evidence[]): Evidence[] {
  return evidence
    .toSorted((left, right) => Number(left.passed) - Number(right.passed))
    .slice(0, limits.verificationChecksKept)
    .map(({ output, ...rest }, index) =>
      output === undefined || index >= limits.checkOutputsKept ? rest : { ...rest, output },
    );
}
