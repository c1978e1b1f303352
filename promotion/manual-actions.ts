// The manual actions on a stage: approve, withdraw, hold, release. Each changes the record in one step, also while a promotion runs.
import { type Diagnostic, hasErrors } from "../core/diagnostics.ts";
import { Failure } from "../core/errors.ts";
import { whoText } from "../core/text/who-text.ts";
import { actorOf, type PipelineOptions, decisionContextFor } from "./options.ts";
import { candidateOf, isSettledOn, withdrawnReasons } from "./candidate.ts";
import { callerAsApprover, callerOf, mayApprove } from "./approvers.ts";
import type { DecisionInput } from "./decision-input.ts";
import { failedReasonFor } from "./failed-version.ts";
import { openStores, openSession, recordStore, rejectOtherOrigin } from "../reconciler/sessions.ts";
import { type RecordUpdate, updateRecord } from "./record-store.ts";
import {
  findPipeline,
  findStage,
  listedVersions,
  parseVersion,
  refusedError,
  requireListedVersion,
} from "./lookup.ts";
import type { Pipeline, Stage } from "./pipeline.ts";
import { stageRecord, type StageRecord, verificationOf, type Who, whoOf } from "./record.ts";
import {
  approveVersion,
  holdStage,
  releaseStage,
  withdrawApproval,
  type ManualActionInput,
} from "./record-transitions.ts";
import { takeSnapshot } from "./snapshot.ts";
import { withPipelines } from "./document-type.ts";
import { loadStack, type Stack, type VerbResult } from "../reconciler/index.ts";

/** The options of {@link approve}, {@link withdraw}, {@link hold} and {@link release}. */
export interface StageActionOptions extends PipelineOptions {
  readonly stage: string;
  /** The reason, kept in the record. */
  readonly reason?: string | undefined;
}

/** The options of actions that only change the record. Without a connection, nobody vouches for who acts. */
export type RecordActionOptions = Omit<StageActionOptions, "connection"> & {
  readonly connection?: StageActionOptions["connection"] | undefined;
};

/** The result of an action that only changes the record. */
export interface RecordedAction {
  readonly who: Who;
}

/** The result of {@link approve}. */
interface ApproveResult {
  readonly version: string;
  /** Why nothing was recorded, as a sentence. Undefined if the approval was recorded. */
  readonly unchanged: string | undefined;
}

/**
 * Approves a version for a stage, as the user of the credential where the server says who that is. Defaults to the candidate.
 * Returns the version. Records nothing if the stage runs the version, or if the version is approved already.
 */
export async function approve(
  options: StageActionOptions & {
    readonly version?: string | undefined;
  },
): Promise<VerbResult<ApproveResult>> {
  const opened = await openSession(withPipelines(options));
  if (!opened.ok) return opened;
  await using session = opened.session;
  const pipeline = findPipeline(session, options);
  const stage = findStage(pipeline, options.stage);
  const snapshot = await takeSnapshot(session, pipeline, options.signal);
  const named =
    options.version === undefined
      ? undefined
      : parseVersion(pipeline, options.version, listedVersions(snapshot));
  const context = decisionContextFor(session, options);
  const approver = callerAsApprover(await callerOf(session, options), stage);
  let version = "";
  let unchanged: string | undefined;
  let failed: readonly Diagnostic[] = [];
  const { unreleased } = await updateRecord(
    await recordStore(session),
    { pipeline: pipeline.name, purpose: "approve" },
    (record) => {
      const state: DecisionInput = { pipeline, snapshot, record, context };
      const found = named ?? candidateOf(stage, state).version;
      if (found === undefined) throw refusedError(`${stage.name} has no candidate to approve`);
      version = found;
      failed = failedWarnings(stage, version, state);
      unchanged = needlessApproval(stage, version, state);
      if (unchanged !== undefined) return record;
      requireListedVersion(pipeline, snapshot, found);
      const [withdrawn] = withdrawnReasons({ stage, input: state }, found);
      if (withdrawn !== undefined) throw refusedError(withdrawn.message);
      const input = actionInput(approver, options, session.desired.stack);
      return approveVersion(record, { ...input, ...approver, version });
    },
  );
  const diagnostics = [...session.diagnostics, ...failed, ...unreleased];
  return { ok: true, version, unchanged, diagnostics };
}

/** Warns that an approval does not let a version into a stage where it failed. */
function failedWarnings(stage: Stage, version: string, input: DecisionInput): Diagnostic[] {
  const record = stageRecord(input.record, stage.name);
  const snapshot = input.snapshot.get(stage.name);
  if (snapshot === undefined || verificationOf(record, version)?.passed !== false) return [];
  const { message, remedy } = failedReasonFor({ stage, record, snapshot, input }, version);
  const summary = `the approval alone promotes nothing: ${message}`;
  return [{ code: "failed-version", severity: "warning", summary, ...(remedy && { remedy }) }];
}

/** Says why a version needs no approval: the stage runs it, or it is approved. Undefined if it needs one. */
function needlessApproval(stage: Stage, version: string, input: DecisionInput): string | undefined {
  const { name } = stage;
  if (isSettledOn(stage, version, input)) return `${name} already runs ${version}`;
  const { approvals } = stageRecord(input.record, name);
  const known = approvals.find((one) => one.version === version && mayApprove(stage, one));
  return known && `${version} is already approved for ${name}, by ${whoText(known)} at ${known.at}`;
}

/**
 * Withdraws the approval of a version for a stage. Defaults to the version that was approved last. A promotion in
 * progress continues. Fails with `not_found` without an approval.
 */
export async function withdraw(
  options: RecordActionOptions & { readonly version?: string | undefined },
): Promise<VerbResult<RecordedAction & { readonly version: string }>> {
  let version = "";
  const done = await recordAction(options, "withdraw", (input, pipeline) => (now) => {
    const approved = stageRecord(now, input.stage).approvals.map((one) => one.version);
    const found =
      options.version === undefined
        ? approved[0]
        : parseVersion(pipeline, options.version, approved);
    if (found !== undefined && approved.includes(found)) {
      version = found;
      return withdrawApproval(now, { ...input, version });
    }
    throw noApprovalError(input.stage, found, approved);
  });
  return done.ok ? { ...done, version } : done;
}

/** Returns the error for a version without an approval, with the versions that have one. */
function noApprovalError(
  stage: string,
  version: string | undefined,
  approved: readonly string[],
): Failure {
  if (approved.length === 0) {
    const remedy = "Nothing is approved for the stage, so there is nothing to withdraw.";
    const what = version === undefined ? "approval" : `approval of ${version}`;
    return new Failure("not_found", `${stage} has no ${what}`, { remedy });
  }
  const remedy = `Pass --version with an approved version: ${approved.join(", ")}.`;
  return new Failure("not_found", `${stage} has no approval of ${version}`, { remedy });
}

/** The result of {@link hold}. */
export interface HoldResult extends RecordedAction {
  /** The hold of the stage before. */
  readonly before: StageRecord["hold"];
  /** False if the stage was already held for the same reason: nothing was recorded. */
  readonly isChanged: boolean;
}

/**
 * Blocks every version from a stage until it is released. A running promotion sees the hold before
 * its next batch. Fails with `usage` without a reason.
 */
export async function hold(
  options: RecordActionOptions & { readonly reason: string },
): Promise<VerbResult<HoldResult>> {
  const reason = options.reason.trim();
  if (reason === "") throw new Failure("usage", "a hold needs a reason: pass --reason TEXT");
  let before: StageRecord["hold"];
  let isChanged = true;
  const done = await recordAction(options, "hold", (input) => (now) => {
    before = stageRecord(now, input.stage).hold;
    isChanged = before?.reason !== reason || before.version !== undefined;
    return isChanged ? holdStage(now, { ...input, reason }) : now;
  });
  return done.ok ? { ...done, before, isChanged } : done;
}

/** Releases the hold of a stage. */
export async function release(options: RecordActionOptions): Promise<VerbResult<RecordedAction>> {
  return recordAction(options, "release", (input, { stages }) => (now) => {
    if (stageRecord(now, input.stage).hold !== undefined) return releaseStage(now, input);
    // The record keeps the holds of stages that the pipeline no longer has.
    const held = stages.filter(({ name }) => stageRecord(now, name).hold !== undefined);
    throw new Failure("not_found", `${input.stage} is not held`, {
      remedy: heldStagesText(held.map(({ name }) => name)),
    });
  });
}

/** Says which stages of a pipeline are held. */
function heldStagesText(held: readonly string[]): string {
  return held.length === 0
    ? "No stage is held, so there is nothing to release."
    : `Pass --stage with a stage that is held: ${held.join(", ")}.`;
}

async function recordAction(
  options: RecordActionOptions,
  purpose: string,
  change: (input: ManualActionInput, pipeline: Pipeline) => RecordUpdate,
): Promise<VerbResult<RecordedAction>> {
  const loaded = await loadStack(withPipelines(options));
  const { desired, diagnostics } = loaded;
  if (desired === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics };
  const pipeline = findPipeline({ desired }, options);
  const { name: stage } = findStage(pipeline, options.stage);
  const { connection } = options;
  const opened = connection && (await openSession({ ...options, connection }, loaded));
  if (opened?.ok === false) return opened;
  await using stores = opened?.session ?? openStores(desired.stack, { env: options.env });
  // Another server vouches for nobody here.
  if (opened) rejectOtherOrigin(await opened.session.store.read(), opened.session);
  const caller = await callerOf(opened?.session, options);
  const input = actionInput(caller, { ...options, stage }, desired.stack);
  const { unreleased } = await updateRecord(
    await recordStore(stores),
    { pipeline: pipeline.name, purpose },
    change(input, pipeline),
  );
  return { ok: true, who: whoOf(caller), diagnostics: [...diagnostics, ...unreleased] };
}

function actionInput(
  who: Who,
  options: Pick<StageActionOptions, "stage" | "reason" | "now">,
  stack: Stack,
): ManualActionInput {
  const { stage, reason } = options;
  return { ...actorOf(who, options, stack), stage, reason };
}
