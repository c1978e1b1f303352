// The matrix of a pipeline: which version is where, how it was verified there, and how long ago.
import type { DecisionInput } from "./decision-input.ts";
import type { StageDecision } from "./decide.ts";
import { runningVersion, notPromotableReason } from "./candidate.ts";
import type { BlockedReason } from "./blocked-reasons.ts";
import { type Rollout, type StageRecord, stageRecord, verificationOf } from "./record.ts";
import type { Stage } from "./pipeline.ts";
import { limits } from "../core/limits.ts";
import { compareVersions, type StageSnapshot } from "./snapshot.ts";

/** One version in one stage. */
export interface StatusCell {
  readonly version: string;
  readonly stage: string;
  /** Objects that run it, of as many. */
  readonly running: number;
  readonly total: number;
  /** `promised`: it has passed and soaked, so the next stage may have it. Undefined: it was never verified there. */
  readonly verification: "promotable" | "passed" | "stale" | "failed" | undefined;
  /** ISO 8601: when it was verified last; left out where it never was. */
  readonly verifiedAt: string | undefined;
  /** Milliseconds since then. */
  readonly ageMs: number | undefined;
  readonly isApproved: boolean;
  readonly isCandidate: boolean;
  readonly rollout: "in-progress" | "failed" | undefined;
}

/** A pipeline as it stands. */
export interface PipelineStatus {
  readonly pipeline: string;
  readonly stages: readonly StageStatus[];
  /** Newest first. */
  readonly versions: readonly string[];
  /** By version, then by stage in their order. */
  readonly cells: readonly StatusCell[];
  /** Versions that are left out of the matrix. */
  readonly omittedVersions: number;
}

/** One stage as it stands. */
export interface StageStatus {
  readonly stage: string;
  /** What comes in: a channel's newest, or from which stage. */
  readonly enters: string;
  readonly objects: number;
  readonly candidate: string | undefined;
  readonly step: StageDecision["step"];
  readonly reasons: readonly BlockedReason[];
  readonly hold: StageRecord["hold"];
  /** Who has let in versions that it does not run yet. */
  readonly approvals: StageRecord["approvals"];
  readonly rollout: Pick<Rollout, "version" | "cause" | "by" | "at" | "mode"> | undefined;
}

/** The matrix, and why each stage does not go on. */
export function statusOf(
  input: DecisionInput,
  decisions: readonly StageDecision[],
): PipelineStatus {
  const { pipeline } = input;
  const all = [...new Set(pipeline.stages.flatMap((stage) => versionsOf(stage, input)))];
  const versions = all.toSorted(compareVersions).toReversed();
  const shown = versions.slice(0, limits.matrixVersions);
  return {
    pipeline: pipeline.name,
    stages: pipeline.stages.map((stage, index) => stageStatus(stage, input, decisions[index])),
    versions: shown,
    cells: shown.flatMap((version) =>
      pipeline.stages.map((stage, index) =>
        statusCell(stage, input, { version, candidate: decisions[index]?.candidate }),
      ),
    ),
    omittedVersions: versions.length - shown.length,
  };
}

/** Those that run, were verified, are approved, or would come in. */
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

function newestInChannel({ enters }: Stage, snapshot: StageSnapshot | undefined): string | undefined {
  if (!("channel" in enters)) return undefined;
  return snapshot?.versions.find((one) => one.channel === enters.channel && one.isNewestInChannel)
    ?.version;
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
  const goes = rollout?.failedAt === undefined ? "in-progress" : "failed";
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
    rollout: rollout?.version === version ? goes : undefined,
  };
}

function verificationState(
  stage: Stage,
  verified: ReturnType<typeof verificationOf>,
  now: Date,
): StatusCell["verification"] {
  if (verified === undefined) return undefined;
  if (!verified.passed) return "failed";
  const against = notPromotableReason(stage, verified, now);
  if (against === undefined) return "promotable";
  return against.code === "stale" ? "stale" : "passed";
}

function stageStatus(
  stage: Stage,
  { record, snapshot }: DecisionInput,
  decision: StageDecision | undefined,
): StageStatus {
  const { hold, rollout, approvals } = stageRecord(record, stage.name);
  const { enters } = stage;
  const stageSnapshot = snapshot.get(stage.name);
  const running = stageSnapshot && runningVersion(stageSnapshot);
  return {
    stage: stage.name,
    enters: "channel" in enters ? `newest of ${enters.channel}` : `verified in ${enters.stage}`,
    objects: stageSnapshot?.objects.length ?? 0,
    candidate: decision?.candidate,
    step: decision?.step,
    reasons: decision?.reasons ?? [],
    hold,
    approvals: approvals.filter(({ version }) => isNewerThanRunning(version, running)),
    rollout: rollout && {
      version: rollout.version,
      cause: rollout.cause,
      by: rollout.by,
      at: rollout.at,
      mode: rollout.mode,
    },
  };
}

/** What was let in long ago, and has come and gone, is no news. */
function isNewerThanRunning(version: string, running: string | undefined): boolean {
  return running === undefined || compareVersions(version, running) > 0;
}
