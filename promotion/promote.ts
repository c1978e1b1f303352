// The verbs of pipelines that look and act, each one library call: status, promote, rollback; people have their say in words.ts.
import { Failure, invariant } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { type VerbResult, withSession } from "../reconciler/verbs/session.ts";
import { candidateOf, runningVersion, getStage, notPromotableReason } from "./candidate.ts";
import type { DecisionInput } from "./decision-input.ts";
import { decide, type StartStep, withdrawnReasons } from "./decide.ts";
import { dryRunRecord, lockRecord, readRecord, recordStore } from "./record-store.ts";
import { type PipelineStatus, statusOf } from "./status.ts";
import { findPipeline, parseVersion, refusedError, findStage } from "./lookup.ts";
import type { Stage } from "./pipeline.ts";
import { unlistedReason, type BlockedReason } from "./blocked-reasons.ts";
import { type Promotion, stageRecord, verificationOf, type ManualAction } from "./record.ts";
import { type CompletedStep, PromotionRun, type PromotionMode } from "./promotion-run.ts";
import { type PipelineOptions, decisionContextFor } from "./options.ts";
import { approveVersion, recordRequest, holdAfterRollback, recordRollback } from "./transitions.ts";
import { activeRollback, rollbackTarget, unlistedRollbackReason } from "./rollback-target.ts";
import { compareVersions, isListed, takeSnapshot, type StageSnapshot } from "./snapshot.ts";
import { requireBranch, pushPending } from "./manifest-write.ts";

/** A pipeline as it stands, and what it has done. */
export interface PipelineView {
  readonly status: PipelineStatus;
  /** What has ended, the newest first. */
  readonly history: readonly Promotion[];
  /** What people said, the newest first. */
  readonly manualActions: readonly ManualAction[];
}

/** Looks at a pipeline. Writes nothing anywhere. */
export async function pipelineStatus(options: PipelineOptions): Promise<VerbResult<PipelineView>> {
  return withSession<PipelineView>(options, async (session, diagnostics) => {
    const pipeline = findPipeline(session, options);
    const snapshot = await takeSnapshot(session, pipeline, options.signal);
    const record = await readRecord(await recordStore(session), pipeline.name);
    const input: DecisionInput = {
      pipeline,
      record,
      snapshot,
      context: decisionContextFor(session, options),
    };
    const status = statusOf(input, decide(input));
    const { history, manualActions = [] } = record;
    return { ok: true, status, history, manualActions, diagnostics };
  });
}

/** What {@link promote} asks beside. */
export interface PromoteOptions extends PipelineOptions {
  /** Applied at once, or written into the manifests. */
  readonly mode: PromotionMode;
  /** The one stage that is asked for; all that may go on by themselves where it is left out. */
  readonly to?: string | undefined;
  /** For that stage; its candidate where it is left out. */
  readonly version?: string | undefined;
  /** Why a stage is asked for, for whoever asks later. */
  readonly reason?: string | undefined;
  /** Asked before a version begins to come into a stage. */
  readonly approve: (step: StartStep) => Promise<boolean>;
}

/** What a promotion did. */
export interface PromotionResult extends PipelineView {
  readonly done: readonly CompletedStep[];
  /** Why stages could not go on that tried. */
  readonly failures: readonly Failure[];
  /** What was committed, or would be; empty where nothing was. */
  readonly diff: string;
}

/**
 * Goes on with everything that may go on: ends what was begun, verifies, and lets candidates in. With `to`, brings one stage to
 * a version, and touches no other; fails with `refused` where that may not be, naming what is missing in its details.
 */
export async function promote(options: PromoteOptions): Promise<VerbResult<PromotionResult>> {
  return withPromotionRun(options, async (run) => {
    if (options.to !== undefined) await requestVersion(run, options.to, options);
    await run.runToCompletion(options.approve, options.to);
  });
}

/** What {@link rollback} asks beside. */
export interface RollbackOptions extends PipelineOptions {
  readonly mode: PromotionMode;
  readonly stage: string;
  /** Why, for whoever asks later. */
  readonly reason?: string | undefined;
  readonly approve: (step: StartStep) => Promise<boolean>;
}

/**
 * Brings a stage back to what it verified before, holds it there, and takes back what it had promised of the version it leaves.
 * A stage that is on its way back goes on with that, and one that came back last stays: it is held there, and no more is taken back.
 */
export async function rollback(options: RollbackOptions): Promise<VerbResult<PromotionResult>> {
  return withPromotionRun(options, async (run) => {
    const stage = findStage(run.pipeline, options.stage);
    const stageSnapshot = run.snapshot.get(stage.name);
    invariant(stageSnapshot !== undefined, "every stage was looked at");
    requireOpenWindow(stage, run.decisionContext.closedReason(stage, "rollback"));
    const isBegun =
      (await continueRollback(run, options, stageSnapshot)) || (await startRollback(run, options, stageSnapshot));
    if (isBegun) await run.runToCompletion(() => Promise.resolve(false), stage.name);
  });
}

/** Holds a stage on the way back that it is on; false where it is on none. */
async function continueRollback(
  run: PromotionRun,
  { stage, reason }: RollbackOptions,
  snapshot: StageSnapshot,
): Promise<boolean> {
  const under = activeRollback(stage, run.lockedRecord.record, snapshot);
  if (under === undefined) return false;
  if (!under.isComplete) run.activeRollout(stage);
  const { version, promotion } = under;
  const said = { ...run.actor, stage, version, reason, promotion };
  await run.lockedRecord.update((now) => holdAfterRollback(now, said));
  return true;
}

/** Begins a way back; false where that is not confirmed. */
async function startRollback(
  run: PromotionRun,
  options: RollbackOptions,
  snapshot: StageSnapshot,
): Promise<boolean> {
  const stage = findStage(run.pipeline, options.stage);
  const known = stageRecord(run.lockedRecord.record, stage.name);
  const { rollout } = known;
  // What a way back leads to is not what is left: that was found wanting when it began.
  const isBack = rollout?.cause === "rollback" && rollout.failedAt === undefined;
  const leaving = isBack ? undefined : (rollout?.version ?? runningVersion(snapshot));
  const back = rollbackTarget({ record: known, snapshot }, leaving);
  if (back === undefined) {
    const gone = unlistedRollbackReason(stage.name, { record: known, snapshot }, leaving);
    const said = `${stage.name} has verified nothing but what it leaves`;
    throw refusedError(
      gone?.message ?? said,
      `name a version: ${promoteCommandFor(run, stage)} --version V`,
    );
  }
  run.requireMatchingMode(stage);
  const step: StartStep = { action: "start", stage: stage.name, cause: "rollback", ...back };
  if (!(await options.approve(step))) return false;
  const { pipeline } = run;
  const { reason } = options;
  await run.begin(step, (now, promotion) => {
    const { version } = back;
    const said = { ...run.actor, stage: stage.name, version, reason, promotion };
    return recordRollback(now, said, { leaving, pipeline });
  });
  return true;
}

function promoteCommandFor({ pipeline }: PromotionRun, { name }: Stage): string {
  return `svc promote ${pipeline.name} --to ${name}`;
}

async function withPromotionRun(
  options: PipelineOptions & { readonly mode: PromotionMode },
  work: (run: PromotionRun) => Promise<void>,
): Promise<VerbResult<PromotionResult>> {
  return withSession<PromotionResult>(options, async (session, diagnostics) => {
    const pipeline = findPipeline(session, options);
    const { mode } = options;
    const isDry = mode !== "direct" && mode.dryRun;
    const isRecorded = mode === "direct" || !(mode.dryRun || mode.forPullRequest === true);
    if (mode !== "direct") await requireBranch(session, options.env);
    const lock = isRecorded
      ? await lockRecord(session, pipeline.name)
      : await dryRunRecord(session, pipeline.name);
    try {
      const signal =
        options.signal === undefined ? lock.lost : AbortSignal.any([options.signal, lock.lost]);
      const snapshot = await takeSnapshot(session, pipeline, signal);
      const run = new PromotionRun({
        session,
        pipeline,
        held: lock,
        options: { ...options, signal },
        mode,
        snapshot,
      });
      // What a run committed that ended before it pushed.
      const pushes = mode !== "direct" && mode.push && !isDry;
      if (pushes) await pushPending(session, options.env);
      await work(run);
      if (pushes) await pushPending(session, options.env);
      const { done, failures, status, diagnostics: found } = run;
      const diff = run.diffs.join("");
      const { history, manualActions = [] } = lock.record;
      const told = [...diagnostics, ...found];
      return {
        ok: true,
        done,
        failures,
        status,
        diff,
        history,
        manualActions,
        diagnostics: told,
      };
    } finally {
      await lock.release();
    }
  });
}

/** Somebody asks for a stage by name: it may be brought to what was promised, or to what it verified itself. */
async function requestVersion(
  run: PromotionRun,
  to: string,
  options: PromoteOptions,
): Promise<void> {
  const stage = findStage(run.pipeline, to);
  const { decisionInput: input } = run;
  const found = candidateOf(stage, input);
  const version = options.version === undefined ? found.version : parseVersion(options.version);
  if (version === undefined) {
    const why = found.skippedReasons.map(({ message }) => message).join("; ");
    throw refusedError(`nothing is there to be promoted to ${stage.name}${why && `: ${why}`}`);
  }
  if (run.mode !== "direct" && run.mode.forPullRequest === true) {
    const said = { ...run.actor, stage: stage.name, version, reason: "requested" };
    await run.lockedRecord.update((now) => approveVersion(now, said));
  }
  requireAdmissible(stage, version, run.decisionInput);
  const stageSnapshot = input.snapshot.get(stage.name);
  const known = stageRecord(input.record, stage.name);
  const isThere =
    stageSnapshot !== undefined && runningVersion(stageSnapshot) === version && known.rollout === undefined;
  const isUnderWay = known.rollout?.version === version && known.rollout.failedAt === undefined;
  run.requireMatchingMode(stage);
  const step: StartStep = { action: "start", stage: stage.name, version, cause: "requested" };
  if (!isThere && !isUnderWay && !(await options.approve(step))) return;
  const { reason } = options;
  const said = { ...run.actor, stage: stage.name, version, reason };
  if (isThere || isUnderWay) {
    return run.lockedRecord.update((now) => recordRequest(now, said, found.version));
  }
  await run.begin(step, (now, promotion) =>
    recordRequest(now, { ...said, promotion }, found.version),
  );
}

/** The newest versions that may come in. */
function availableVersionsText(snapshot: StageSnapshot | undefined): string | undefined {
  const all = new Set((snapshot?.versions ?? []).map(({ version }) => version));
  const listed = [...all].filter((one) => snapshot !== undefined && isListed(snapshot, one));
  const newest = listed.toSorted(compareVersions).toReversed().slice(0, limits.placesNamed);
  return newest.length === 0 ? undefined : `those that it may run: ${newest.join(", ")}`;
}

/** Fails with `refused` where the version may not come into the stage, not even when asked for. */
function requireAdmissible(stage: Stage, version: string, input: DecisionInput): void {
  const { record, snapshot, context } = input;
  const stageSnapshot = snapshot.get(stage.name);
  const known = stageRecord(record, stage.name);
  if (stageSnapshot === undefined || !isListed(stageSnapshot, version)) {
    throw refusedError(unlistedReason(stage.name, version).message, availableVersionsText(stageSnapshot));
  }
  const [gone] = withdrawnReasons({ stage, input }, version);
  if (gone !== undefined) throw refusedError(gone.message);
  const own = verificationOf(known, version)?.passed === true;
  if ("stage" in stage.enters && !own) {
    const from = getStage(input, stage.enters.stage);
    const upstream = verificationOf(stageRecord(record, from.name), version);
    if (upstream === undefined) throw refusedError(`${from.name} has not verified ${version}`);
    const against = notPromotableReason(from, upstream, context.now);
    if (against !== undefined) throw refusedError(against.message);
  }
  if (!stage.isAutomatic && !known.approvals.some((one) => one.version === version)) {
    throw new Failure("refused", `nobody has approved ${version} for ${stage.name}`, {
      details: { confirmation: "approval", stage: stage.name, version },
      remedy: `svc promote approve ${input.pipeline.name} --stage ${stage.name} --version ${version}`,
    });
  }
  requireOpenWindow(stage, context.closedReason(stage, "requested"));
}

function requireOpenWindow(stage: Stage, closed: BlockedReason | undefined): void {
  if (closed === undefined) return;
  throw new Failure("window_closed", `${stage.name} must not change now: ${closed.message}`, {
    details: { opens: closed.until },
    remedy:
      closed.until === undefined ? "it does not open within a year" : `it opens at ${closed.until}`,
  });
}
