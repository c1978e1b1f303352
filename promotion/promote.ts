// The pipeline verbs `status`, `promote` and `rollback`. Each is one library call.
import { Failure, invariant } from "../core/errors.ts";
import {
  grantRemedy,
  holdLocks,
  openSession,
  recordStore,
  type Session,
} from "../reconciler/sessions.ts";
import { callerOf } from "./approvers.ts";
import { candidateKinds } from "./candidate-kinds.ts";
import { candidateOf, runningVersion, isSettledOn } from "./candidate.ts";
import { namedReasons } from "./admission.ts";
import type { DecisionInput } from "./decision-input.ts";
import { decide, decideVersion, type PromotionStep, type StartStep } from "./decide.ts";
import { dryRunRecord, lockRecord, readRecord } from "./record-store.ts";
import { type PipelineStatus, statusOf } from "./status.ts";
import {
  findPipeline,
  findStage,
  listedVersions,
  newestVersionsText,
  parseVersion,
  refusedError,
} from "./lookup.ts";
import type { Stage } from "./pipeline.ts";
import { type PlannedRollout, planRollout } from "./planned-rollout.ts";
import { modeOption, promoteCommand, promoteToCommand } from "./promote-command.ts";
import { modeOfRollout } from "./who-writes.ts";
import type { BlockedReason } from "./blocked-reasons.ts";
import { type Promotion, stageRecord, type ManualAction } from "./record.ts";
import { type CompletedStep, PromotionRun, type PromotionMode } from "./promotion-run.ts";
import { type PipelineOptions, decisionContextFor } from "./options.ts";
import { recordRequest, holdAfterRollback, recordRollback } from "./record-transitions.ts";
import {
  type ActiveRollback,
  activeRollback,
  rollbackTarget,
  unlistedRollbackReason,
  versionsOf,
} from "./rollback-target.ts";
import { isListed, takeSnapshot, type StageSnapshot } from "./snapshot.ts";
import { requireBranch, pushPending } from "./manifest-write.ts";
import { pipelinesOf, withPipelines } from "./document-type.ts";
import type { VerbResult } from "../reconciler/index.ts";

/** The current status of a pipeline and its history. */
export interface PipelineView {
  readonly status: PipelineStatus;
  /** Completed promotions, newest first. */
  readonly history: readonly Promotion[];
  /** Approvals, holds and other manual actions, newest first. */
  readonly manualActions: readonly ManualAction[];
}

/** The options of {@link pipelineStatus}. */
export interface StatusOptions extends PipelineOptions {
  /** A stage and a version that the status of this stage is about, instead of its candidate. */
  readonly about?: { readonly stage: string; readonly version: string } | undefined;
}

/** Returns the status of a pipeline. Writes nothing. Fails with `usage` for an unknown stage of `about`. */
export async function pipelineStatus(options: StatusOptions): Promise<VerbResult<PipelineView>> {
  const opened = await openSession(withPipelines(options));
  if (!opened.ok) return opened;
  await using session = opened.session;
  const view = await viewPipeline(session, options);
  return { ok: true, ...view, diagnostics: session.diagnostics };
}

/** Returns the status of a pipeline of an open session. Writes nothing. Fails with `usage` for an unknown stage of `about`. */
async function viewPipeline(session: Session, options: StatusOptions): Promise<PipelineView> {
  const pipeline = findPipeline(session, options);
  const snapshot = await takeSnapshot(session, pipeline, options.signal);
  const record = await readRecord(await recordStore(session), pipeline.name);
  const input: DecisionInput = {
    pipeline,
    record,
    snapshot,
    context: decisionContextFor(session, options),
  };
  const { about } = options;
  const asked = about && findStage(pipeline, about.stage);
  const version = about && parseVersion(pipeline, about.version, listedVersions(snapshot));
  const decisions = decide(input).map((one) =>
    asked !== undefined && version !== undefined && one.stage === asked.name
      ? decideVersion(asked, version, input)
      : one,
  );
  const status = statusOf(input, decisions);
  const { history, manualActions = [] } = record;
  return { status, history, manualActions };
}

/** Returns the status of each pipeline of an open session. Writes nothing. */
export async function viewPipelines(
  session: Session,
  options: Omit<PipelineOptions, "pipeline">,
): Promise<readonly PipelineView[]> {
  const views: PipelineView[] = [];
  for (const { name } of pipelinesOf(session.desired))
    views.push(await viewPipeline(session, { ...options, pipeline: name }));
  return views;
}

/** The options of {@link promote}. */
export interface PromoteOptions extends PipelineOptions {
  /** `direct` applies the version; otherwise it is written to the manifests. */
  readonly mode: PromotionMode;
  /** The stage to promote to. Without it, every automatic stage continues. */
  readonly to?: string | undefined;
  /** The version for that stage. Defaults to the stage's candidate. */
  readonly version?: string | undefined;
  /** The reason, kept in the record. */
  readonly reason?: string | undefined;
  /** With `to`, `version` and `reason`: the version may enter although the stages before have not verified it. Needs a grant. */
  readonly skipStages?: boolean | undefined;
  /** Confirms each rollout before it starts. */
  readonly approve: (step: PlannedRollout) => Promise<boolean>;
}

/** The result of a promotion or rollback. */
export interface PromotionResult extends PipelineView {
  readonly done: readonly CompletedStep[];
  /** Why stages failed in this run. */
  readonly failures: readonly Failure[];
  /** The committed diff, or the diff of a dry run. Empty if nothing changed. */
  readonly diff: string;
}

/**
 * Continues active rollouts, verifies, and starts rollouts of candidates. With `to`, brings one stage to a version and
 * changes no other stage. Fails with `refused` if the version may not enter; the details name the missing conditions.
 */
export async function promote(options: PromoteOptions): Promise<VerbResult<PromotionResult>> {
  return withPromotionRun(options, async (run) => {
    if (options.to !== undefined) await requestVersion(run, options.to, options);
    await run.runToCompletion(options.approve, options.to);
  });
}

/** The options of {@link verify}. */
export interface VerifyOptions extends PipelineOptions {
  readonly stage: string;
}

/**
 * Runs the checks of a stage again on the version that it runs, and records the result: a failure blocks the next stages and
 * withdraws their approvals. Moves nothing. Fails with `refused` if a promotion of the stage is in progress, or if it runs
 * several versions.
 */
export async function verify(options: VerifyOptions): Promise<VerbResult<PromotionResult>> {
  return withPromotionRun({ ...options, mode: "direct" }, async (run) => {
    const stage = findStage(run.pipeline, options.stage);
    const snapshot = run.snapshot.get(stage.name);
    invariant(snapshot !== undefined, "the snapshot contains every stage");
    const { rollout } = stageRecord(run.lockedRecord.record, stage.name);
    if (rollout !== undefined) {
      const message = `a promotion of ${stage.name} to ${rollout.version} is in progress, and verifies it`;
      throw refusedError(message, `Continue it: ${promoteCommand(run.pipeline, "run")}`);
    }
    const merged = run.merged(stage.name);
    if (merged !== undefined) {
      const message = `${merged.version} was merged for ${stage.name} and is not recorded yet`;
      const command = promoteCommand(run.pipeline, "run", modeOption("request"));
      throw refusedError(message, `Record and verify it: ${command}`);
    }
    const version = runningVersion(snapshot);
    if (version === undefined) throw refusedError(`${stage.name} does not run one version`);
    await run.executeStep(verifyStep(run, stage.name, version));
  });
}

/** Returns the step that checks all objects of a stage. */
function verifyStep(run: PromotionRun, stage: string, version: string): PromotionStep {
  const addresses = run.objects(stage).map(({ address }) => address);
  return { action: "verify", stage, version, addresses };
}

/** The options of {@link rollback}. */
export interface RollbackOptions extends PipelineOptions {
  readonly mode: PromotionMode;
  readonly stage: string;
  /** The reason, kept in the record. */
  readonly reason?: string | undefined;
  readonly approve: (step: PlannedRollout) => Promise<boolean>;
}

/**
 * Rolls a stage back to the version that it verified before, holds it there, and marks the version that it leaves as failed.
 * A stage with an active rollback continues it. A stage whose last promotion was an automatic rollback stays where it is and
 * is held. Fails with `refused`, and records nothing, if someone has rolled the stage back already.
 */
export async function rollback(options: RollbackOptions): Promise<VerbResult<PromotionResult>> {
  return withPromotionRun(options, async (run) => {
    const stage = findStage(run.pipeline, options.stage);
    const stageSnapshot = run.snapshot.get(stage.name);
    invariant(stageSnapshot !== undefined, "the snapshot contains every stage");
    requireOpenWindow(stage, run.decisionContext.closedReason(stage, "rollback"));
    const isBegun =
      (await continueRollback(run, options, stageSnapshot)) ||
      (await startRollback(run, options, stageSnapshot));
    if (isBegun) await run.runToCompletion(() => Promise.resolve(false), stage.name);
  });
}

/** Continues an active rollback and holds the stage. Returns false if no rollback is active. */
async function continueRollback(
  run: PromotionRun,
  { stage, reason }: RollbackOptions,
  snapshot: StageSnapshot,
): Promise<boolean> {
  const active = activeRollback(stage, run.lockedRecord.record, snapshot);
  if (active === undefined) return false;
  const { version, promotion } = active;
  if (active.isComplete) {
    requireUnrecorded(run, stage, { snapshot, rolledBack: active });
    run.diagnostics.push({
      code: "already-rolled-back",
      severity: "info",
      summary: `${stage} was rolled back to ${version} before: it stays there, and is held now`,
      remedy: `To move it elsewhere, name a version: ${runCommand(run, findStage(run.pipeline, stage))}`,
    });
  } else run.activeRollout(stage);
  const action = { ...run.actor, stage, version, reason, promotion };
  await run.lockedRecord.update((now) => holdAfterRollback(now, action));
  return true;
}

/** Refuses a repeated rollback: someone has requested the complete one. */
function requireUnrecorded(
  run: PromotionRun,
  name: string,
  {
    snapshot,
    rolledBack: { version, promotion },
  }: { readonly snapshot: StageSnapshot; readonly rolledBack: ActiveRollback },
): void {
  const { record } = run.lockedRecord;
  const isRecorded = record.manualActions?.some(
    (one) => one.action === "rolled-back" && one.promotion === promotion,
  );
  if (isRecorded !== true) return;
  const stage = findStage(run.pipeline, name);
  const further = rollbackTarget({ record: stageRecord(record, name), snapshot }, version);
  throw refusedError(
    further === undefined
      ? `${name} already runs ${version}, and no other verified version is before it`
      : `${name} was already rolled back to ${version}`,
    `Name a version: ${runCommand(run, stage)}`,
  );
}

/** Starts a rollback. Returns false if it is not confirmed. */
async function startRollback(
  run: PromotionRun,
  options: RollbackOptions,
  snapshot: StageSnapshot,
): Promise<boolean> {
  const stage = findStage(run.pipeline, options.stage);
  const known = stageRecord(run.lockedRecord.record, stage.name);
  const { rollout } = known;
  // The target of a rollback is not the version to leave: that one was marked as failed when the rollback started.
  const isRollback = rollout?.cause === "rollback" && rollout.failedAt === undefined;
  const leaving = isRollback ? undefined : (rollout?.version ?? runningVersion(snapshot));
  const target = rollbackTarget({ record: known, snapshot }, leaving);
  if (target === undefined) {
    const unlisted = unlistedRollbackReason(stage.name, { record: known, snapshot }, leaving);
    const message = `${stage.name} has no other verified version to roll back to`;
    throw refusedError(unlisted?.message ?? message, `Name a version: ${runCommand(run, stage)}`);
  }
  run.requireMatchingMode(stage);
  const step: StartStep = { action: "start", stage: stage.name, cause: "rollback", ...target };
  if (!(await options.approve(planRollout(step, snapshot.objects)))) {
    run.markUnconfirmed(step);
    return false;
  }
  const { pipeline } = run;
  const { reason } = options;
  const kept = versionsOf(target);
  const running = new Set(snapshot.objects.flatMap(({ version }) => version ?? []));
  const left = [...running].filter((version) => !kept.includes(version));
  await run.begin(step, {
    first: (now, promotion) => {
      const { version } = target;
      const action = { ...run.actor, stage: stage.name, version, reason, promotion };
      return recordRollback(now, action, { leaving, left, pipeline });
    },
  });
  return true;
}

async function withPromotionRun(
  options: PipelineOptions & { readonly mode: PromotionMode },
  work: (run: PromotionRun) => Promise<void>,
): Promise<VerbResult<PromotionResult>> {
  const opened = await openSession(withPipelines(options));
  if (!opened.ok) return opened;
  await using session = opened.session;
  const { diagnostics } = session;
  const pipeline = findPipeline(session, options);
  const { mode } = options;
  const isDry = mode !== "direct" && mode.dryRun;
  const isRecorded = mode === "direct" || !(mode.dryRun || mode.forPullRequest === true);
  if (mode !== "direct") await requireBranch(session, options.env);
  const caller = await callerOf(session, options);
  const { result, unreleased } = await holdLocks(async (hold) => {
    const open = isRecorded ? lockRecord : dryRunRecord;
    const lock = await hold(open(session, pipeline.name));
    const signal =
      options.signal === undefined ? lock.lost : AbortSignal.any([options.signal, lock.lost]);
    const snapshot = await takeSnapshot(session, pipeline, signal);
    const run = new PromotionRun({
      session,
      pipeline,
      held: lock,
      options: { ...options, signal },
      caller,
      mode,
      snapshot,
    });
    // Pushes the commits of an earlier run that stopped before its push.
    const pushes = mode !== "direct" && mode.push && !isDry;
    if (pushes) await pushPending(session, options.env);
    await work(run);
    if (pushes) await pushPending(session, options.env);
    const { done, failures, status, diagnostics: found } = run;
    const diff = run.diffs.join("");
    const { history, manualActions = [] } = lock.record;
    const allDiagnostics = [...diagnostics, ...found, ...lock.warnings];
    return { done, failures, status, diff, history, manualActions, diagnostics: allDiagnostics };
  });
  return { ok: true, ...result, diagnostics: [...result.diagnostics, ...unreleased] };
}

/** Promotes one stage by name: to a version promotable from the stage before, or to one that the stage verified itself. */
async function requestVersion(
  run: PromotionRun,
  to: string,
  options: PromoteOptions,
): Promise<void> {
  const stage = findStage(run.pipeline, to);
  const { decisionInput: input } = run;
  const { rollout } = stageRecord(input.record, to);
  const named =
    options.version === undefined
      ? undefined
      : parseVersion(run.pipeline, options.version, listedVersions(run.snapshot));
  const isNamed = (version: string): boolean => named === undefined || named === version;
  // What was merged, and its rollback, need no further approval.
  const active = run.modeName === "request" && !rollout?.failedAt ? rollout : undefined;
  if (active?.mode === "request" && isNamed(active.version)) return;
  // A merge takes over no version while a rollback is in progress.
  if (active?.cause === "rollback") {
    const command = promoteToCommand(run.pipeline, { stage: to }, "request");
    const message = `${to} is being rolled back to ${active.version}`;
    throw refusedError(message, `Complete that first: ${command}`);
  }
  const found = candidateOf(stage, input);
  const version = named ?? found.version;
  if (version === undefined) {
    const why = found.skippedReasons.map(({ message }) => message).join("; ");
    throw refusedError(
      `no ${candidateKinds[stage.candidates].noun} can be promoted to ${stage.name}${why && `: ${why}`}`,
    );
  }
  // The run records what was merged, and its approval, as its first step.
  if (run.modeName !== "direct" && run.merged(to)?.version === version) return;
  if (options.skipStages === true) requireSkip(to, options);
  requireAdmissible(stage, version, { ...options, input: run.decisionInput });
  const known = stageRecord(input.record, stage.name);
  const isRunning = isSettledOn(stage, version, input);
  const isInProgress = known.rollout?.version === version && known.rollout.failedAt === undefined;
  run.requireMatchingMode(stage);
  const step: StartStep = { action: "start", stage: stage.name, version, cause: "requested" };
  const planned = planRollout(step, run.objects(stage.name));
  if (!isRunning && !isInProgress && !(await options.approve(planned)))
    return run.markUnconfirmed(step);
  const { reason } = options;
  const action = { ...run.actor, stage: stage.name, version, reason };
  // To name the version that runs is to ask for its checks again.
  if (isRunning && options.version !== undefined)
    await run.executeStep(verifyStep(run, to, version));
  if (isRunning || isInProgress) {
    const { hold } = known;
    const isRecorded = version === found.version ? hold === undefined : hold?.version === version;
    if (isRecorded) return;
    return run.lockedRecord.update((now) => recordRequest(now, action, found.version));
  }
  await run.begin(step, {
    first: (now, promotion) => recordRequest(now, { ...action, promotion }, found.version),
    reason,
  });
}

/** Fails with `usage` without a reason, and with `forbidden` if the operator does not let a version skip the stages before this one. */
function requireSkip(
  stage: string,
  { version, reason = "", grants: { skipStages = [] } }: PromoteOptions,
): void {
  if (version === undefined || reason.trim() === "")
    throw new Failure("usage", "a promotion that skips stages needs a version and a reason");
  if (skipStages.includes(stage) || skipStages.includes("all")) return;
  const message = `the operator has not granted ${stage} versions that skip the stages before it`;
  throw new Failure("forbidden", message, { remedy: grantRemedy("skipStages", stage) });
}

/** Names the newest versions that a stage can run, and says why. */
function availableVersionsText(
  { name, candidates }: Stage,
  snapshot: StageSnapshot,
): string | undefined {
  const listed = listedVersions(new Map([[name, snapshot]]));
  const newest = listed.filter((one) => isListed(snapshot, one));
  const where = candidates === "versions" ? "the channels" : "the branch";
  const which = ` that the server lists for ${where} of ${name}`;
  return newestVersionsText(newest, { candidates, which });
}

/** Fails with `refused` if the version may not enter the stage, even by name. */
function requireAdmissible(
  stage: Stage,
  version: string,
  {
    input,
    skipStages = false,
  }: Pick<PromoteOptions, "skipStages"> & { readonly input: DecisionInput },
): void {
  const snapshot = input.snapshot.get(stage.name);
  invariant(snapshot !== undefined, "the snapshot contains every stage");
  const record = stageRecord(input.record, stage.name);
  const how = { skipsStages: skipStages };
  const [reason] = namedReasons({ stage, snapshot, record, input }, version, how);
  if (reason === undefined) return;
  const { code, message, remedy } = reason;
  if (code === "closed-window") requireOpenWindow(stage, reason);
  if (code === "version-not-listed")
    throw refusedError(message, availableVersionsText(stage, snapshot));
  const details = { confirmation: "approval", stage: stage.name, version };
  throw new Failure("refused", message, {
    ...(remedy !== undefined && { remedy }),
    ...(code === "needs-approval" && { details }),
  });
}

function runCommand(
  { pipeline, modeName, lockedRecord: { record } }: PromotionRun,
  stage: Stage,
): string {
  const about = { stage: stage.name, version: "V" };
  const rollout = { cause: "requested", version: "V" } as const;
  const mode = modeOfRollout(rollout, stage, { record, ofRun: modeName });
  return promoteToCommand(pipeline, about, mode);
}

function requireOpenWindow(stage: Stage, closed: BlockedReason | undefined): void {
  if (closed === undefined) return;
  throw new Failure("window_closed", `${stage.name} may not change now: ${closed.message}`, {
    details: { opens: closed.until },
    remedy:
      closed.until === undefined
        ? "No maintenance window opens within a year."
        : `Wait until ${closed.until}.`,
  });
}
