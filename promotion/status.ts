// The status of a pipeline: a matrix of versions and stages, and the state of each stage.
import { batchesOf, objectsPerBatch } from "./batches.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { StageDecision } from "./decide.ts";
import { runningVersion, notPromotableReason } from "./candidate.ts";
import { isRolledBack, type BlockedReason } from "./blocked-reasons.ts";
import {
  type Rollout,
  type Evidence,
  type StageRecord,
  stageRecord,
  targetVersion,
  type Verification,
  verificationOf,
  whoOf,
} from "./record.ts";
import type { Stage } from "./pipeline.ts";
import { limits } from "../core/limits/limits.ts";
import { nextCheck, soakEnd } from "./soak.ts";
import { isFrom, orderIn, orderInPipeline, type StageSnapshot } from "./snapshot.ts";

/** The state of one version in one stage. */
export interface StatusCell {
  readonly version: string;
  readonly stage: string;
  /** Objects of the stage that run the version. */
  readonly running: number;
  readonly total: number;
  /** `promotable`: it passed and completed its soak time. Undefined: it was never verified in this stage. `rolled-back`: someone rolled the stage back from it, and no check failed. */
  readonly verification: "promotable" | "passed" | "stale" | "failed" | "rolled-back" | undefined;
  /** ISO 8601: time of the last verification. */
  readonly verifiedAt: string | undefined;
  /** Milliseconds since then. */
  readonly ageMs: number | undefined;
  readonly isApproved: boolean;
  readonly isCandidate: boolean;
  readonly rollout: "in-progress" | "failed" | undefined;
  /** The soak time of a version that passed: its begin, its end and the next checks, ISO 8601. Undefined without one. */
  readonly soak:
    | { readonly since: string; readonly ends: string; readonly nextCheck: string | undefined }
    | undefined;
  /** The last results of the checks; failed ones first. */
  readonly checks: readonly Evidence[];
}

/** The current status of a pipeline. */
export interface PipelineStatus {
  readonly pipeline: string;
  readonly stages: readonly StageStatus[];
  /** Newest first. */
  readonly versions: readonly string[];
  /** Subjects of those that are commits, by hash. */
  readonly titles: Readonly<Record<string, string>>;
  /** Ordered by version, then by stage. */
  readonly cells: readonly StatusCell[];
  /** Number of older versions that the matrix omits. */
  readonly omittedVersions: number;
}

/** The current status of one stage. */
export interface StageStatus {
  readonly stage: string;
  /** The source of the versions, as text. */
  readonly source: string;
  readonly objects: number;
  /** The version that each object runs, by address. Undefined: unknown, or the object does not exist yet. */
  readonly deployed: readonly { readonly address: string; readonly version: string | undefined }[];
  readonly candidate: string | undefined;
  readonly step: StageDecision["step"];
  /** Addresses that the step and the ones after it change, by batch. Undefined if the step changes none. */
  readonly batches: readonly (readonly string[])[] | undefined;
  readonly reasons: readonly BlockedReason[];
  readonly hold: StageRecord["hold"];
  /** The version that all objects run. Undefined if they differ. */
  readonly running: string | undefined;
  /** Every approval that the record keeps, the latest first. A pending one is of a newer version than the stage runs. */
  readonly approvals: readonly (StageRecord["approvals"][number] & {
    readonly isPending: boolean;
  })[];
  readonly rollout:
    | Pick<Rollout, "version" | "cause" | "by" | "vouchedBy" | "at" | "mode" | "skipped" | "reason">
    | undefined;
}

/** Returns the status of a pipeline from its decisions. */
export function statusOf(
  input: DecisionInput,
  decisions: readonly StageDecision[],
): PipelineStatus {
  const { pipeline, snapshot } = input;
  const all = [...new Set(pipeline.stages.flatMap((stage) => versionsOf(stage, input)))];
  const versions = all.toSorted(orderInPipeline(snapshot)).toReversed();
  const shown = versions.slice(0, limits.matrixVersions);
  return {
    pipeline: pipeline.name,
    stages: pipeline.stages.map((stage, index) => stageStatus(stage, input, decisions[index])),
    versions: shown,
    titles: titlesOf(shown, snapshot),
    cells: shown.flatMap((version) =>
      pipeline.stages.map((stage, index) =>
        statusCell(stage, input, { version, candidate: decisions[index]?.candidate }),
      ),
    ),
    omittedVersions: versions.length - shown.length,
  };
}

function titlesOf(
  versions: readonly string[],
  snapshot: DecisionInput["snapshot"],
): PipelineStatus["titles"] {
  const listed = [...snapshot.values()].flatMap((stage) => stage.versions);
  const titles = new Map(listed.map(({ version, title }) => [version, title]));
  return Object.fromEntries(
    versions.flatMap((version) => {
      const title = titles.get(version);
      return title === undefined ? [] : [[version, title] as const];
    }),
  );
}

/** Returns the running, verified, approved and candidate versions of a stage. */
function versionsOf(stage: Stage, { record, snapshot }: DecisionInput): readonly string[] {
  const { verified, approvals, rollout } = stageRecord(record, stage.name);
  const stageSnapshot = snapshot.get(stage.name);
  const head = newestInChannel(stage, stageSnapshot);
  return [
    ...(stageSnapshot?.objects.flatMap(({ version }) => version ?? []) ?? []),
    ...verified.map(({ version }) => version),
    ...approvals.map(({ version }) => version),
    ...(rollout === undefined ? [] : [rollout.version]),
    ...(head === undefined ? [] : [head]),
  ];
}

function newestInChannel(
  { source }: Stage,
  snapshot: StageSnapshot | undefined,
): string | undefined {
  if (!("channel" in source)) return undefined;
  return snapshot?.versions.find((one) => isFrom(source, one) && one.isNewestInChannel)?.version;
}

function statusCell(
  stage: Stage,
  { record, snapshot, context }: DecisionInput,
  { version, candidate }: { readonly version: string; readonly candidate: string | undefined },
): StatusCell {
  const known = stageRecord(record, stage.name);
  const objects = snapshot.get(stage.name)?.objects ?? [];
  const verified = verificationOf(known, version);
  const { rollout } = known;
  const rolloutState = rollout?.failedAt === undefined ? "in-progress" : "failed";
  return {
    version,
    stage: stage.name,
    running: objects.filter((one) => one.version === version).length,
    total: objects.length,
    verification: verificationState(stage, verified, context.now),
    verifiedAt: verified?.at,
    ageMs: verified && context.now.getTime() - Date.parse(verified.at),
    isApproved: known.approvals.some((one) => one.version === version),
    isCandidate: candidate === version,
    rollout: rollout?.version === version ? rolloutState : undefined,
    soak: verified && soakOf(stage, verified),
    checks: verified?.evidence ?? (rollout?.version === version ? rollout.evidence : []),
  };
}

function soakOf(stage: Stage, verified: Verification): StatusCell["soak"] {
  if (!verified.passed || stage.soakMs === 0 || verified.leftAt !== undefined) return undefined;
  const next = nextCheck(stage, verified);
  return {
    since: verified.since,
    ends: new Date(soakEnd(stage, verified)).toISOString(),
    nextCheck: next === undefined ? undefined : new Date(next).toISOString(),
  };
}

function verificationState(
  stage: Stage,
  verified: ReturnType<typeof verificationOf>,
  now: Date,
): StatusCell["verification"] {
  if (verified === undefined) return undefined;
  if (!verified.passed) return isRolledBack(verified) ? "rolled-back" : "failed";
  const reason = notPromotableReason(stage, verified, now);
  if (reason === undefined) return "promotable";
  return reason.code === "stale" ? "stale" : "passed";
}

function stageStatus(
  stage: Stage,
  { record, snapshot }: DecisionInput,
  decision: StageDecision | undefined,
): StageStatus {
  const { hold, rollout, approvals } = stageRecord(record, stage.name);
  const stageSnapshot = snapshot.get(stage.name);
  const running = stageSnapshot && runningVersion(stageSnapshot);
  return {
    stage: stage.name,
    source: sourceText(stage),
    objects: stageSnapshot?.objects.length ?? 0,
    deployed: (stageSnapshot?.objects ?? []).map(({ address, version }) => ({ address, version })),
    running,
    candidate: decision?.candidate,
    step: decision?.step,
    batches: batchesAhead(stage, stageSnapshot, { step: decision?.step, rollout }),
    reasons: decision?.reasons ?? [],
    hold,
    approvals: approvals.map((one) => ({
      ...one,
      isPending:
        stageSnapshot === undefined ||
        running === undefined ||
        orderIn(stageSnapshot)(one.version, running) > 0,
    })),
    rollout: rollout && {
      version: rollout.version,
      cause: rollout.cause,
      ...whoOf(rollout),
      at: rollout.at,
      mode: rollout.mode,
      ...(rollout.skipped && { skipped: rollout.skipped }),
      ...(rollout.reason !== undefined && { reason: rollout.reason }),
    },
  };
}

function sourceText({ source, candidates }: Stage): string {
  if ("stage" in source) return `${candidates} verified in ${source.stage}`;
  return `the newest of ${source.channel ?? "its branch"}`;
}

/** Returns the batches of the rollout that a step starts or continues. */
function batchesAhead(
  stage: Stage,
  snapshot: StageSnapshot | undefined,
  {
    step,
    rollout,
  }: { readonly step: StageDecision["step"]; readonly rollout: Rollout | undefined },
): StageStatus["batches"] {
  if (step?.action !== "start" && step?.action !== "move") return undefined;
  const target = step.action === "start" ? step : rollout;
  if (target === undefined) return undefined;
  const objects = snapshot?.objects ?? [];
  const left = objects.filter((one) => one.version !== targetVersion(target, one.address));
  const size = objectsPerBatch(stage, objects.length, target.cause);
  return batchesOf(
    left.map(({ address }) => address),
    size,
  );
}
