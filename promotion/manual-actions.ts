// What people say of a stage: approve, hold, release. Each is one step of the record, also while a promotion runs.
import { hasErrors } from "../core/diagnostics.ts";
import { Failure } from "../core/errors.ts";
import { actorOf, type PipelineOptions, decisionContextFor } from "./options.ts";
import { candidateOf } from "./candidate.ts";
import type { DecisionInput } from "./decision-input.ts";
import { withdrawnReasons } from "./decide.ts";
import { loadStack } from "../reconciler/manifest/load.ts";
import { type OpenOptions, openStores } from "../reconciler/inventory/open-stores.ts";
import { type RecordUpdate, updateRecord, recordStore } from "./record-store.ts";
import { findPipeline, parseVersion, refusedError, findStage } from "./lookup.ts";
import { stageRecord } from "./record.ts";
import { type VerbResult, withSession } from "../reconciler/verbs/session.ts";
import { approveVersion, holdStage, releaseStage, type ManualActionInput } from "./transitions.ts";
import { takeSnapshot } from "./snapshot.ts";

/** What {@link approve}, {@link hold} and {@link release} name. */
export interface StageActionOptions extends PipelineOptions {
  readonly stage: string;
  /** Why, for whoever asks. */
  readonly reason?: string | undefined;
}

/** The same for what asks no server. */
export type RecordActionOptions = Omit<StageActionOptions, "connection" | "runGrants"> &
  Pick<OpenOptions, "connection">;

/** Lets a version into a stage; its candidate where none is named. Answers the version. */
export async function approve(
  options: StageActionOptions & { readonly version?: string | undefined },
): Promise<VerbResult<{ readonly version: string }>> {
  return withSession<{ version: string }>(options, async (session, diagnostics) => {
    const pipeline = findPipeline(session, options);
    const stage = findStage(pipeline, options.stage);
    const snapshot = await takeSnapshot(session, pipeline, options.signal);
    const named = options.version === undefined ? undefined : parseVersion(options.version);
    const context = decisionContextFor(session, options);
    let version = "";
    await updateRecord(
      await recordStore(session),
      { pipeline: pipeline.name, purpose: "approve" },
      (record) => {
        const input: DecisionInput = { pipeline, snapshot, record, context };
        const found = named ?? candidateOf(stage, input).version;
        if (found === undefined)
          throw refusedError(`nothing is there to be approved for ${stage.name}`);
        const [gone] = withdrawnReasons({ stage, input }, found);
        if (gone !== undefined) throw refusedError(gone.message);
        version = found;
        return approveVersion(record, { ...actionInput(options, session.desired.stack), version });
      },
    );
    return { ok: true, version, diagnostics };
  });
}

/**
 * Keeps every version out of a stage until it is released: candidates, and what is coming in right now, whose run sees it before
 * its next batch. Asks a server only where that keeps the inventory. Fails with `usage` without a reason.
 */
export async function hold(
  options: RecordActionOptions & { readonly reason: string },
): Promise<VerbResult<object>> {
  const reason = options.reason.trim();
  if (reason === "")
    throw new Failure("usage", "a hold needs a reason, for whoever it keeps waiting");
  return recordAction(options, "hold", (input) => (now) => holdStage(now, { ...input, reason }));
}

/** Lets versions into a stage again. Asks a server only where that keeps the inventory. */
export async function release(options: RecordActionOptions): Promise<VerbResult<object>> {
  return recordAction(options, "release", (input) => (now) => {
    if (stageRecord(now, input.stage).hold !== undefined) return releaseStage(now, input);
    throw new Failure("not_found", `nobody holds ${input.stage}`);
  });
}

async function recordAction(
  options: RecordActionOptions,
  purpose: string,
  change: (input: ManualActionInput) => RecordUpdate,
): Promise<VerbResult<object>> {
  const { desired, diagnostics } = await loadStack(options);
  if (desired === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics };
  const pipeline = findPipeline({ desired }, options);
  const { name: stage } = findStage(pipeline, options.stage);
  await using stores = openStores(desired.stack, options);
  const input = actionInput({ ...options, stage }, desired.stack);
  await updateRecord(await recordStore(stores), { pipeline: pipeline.name, purpose }, change(input));
  return { ok: true, diagnostics };
}

function actionInput(
  options: Pick<StageActionOptions, "stage" | "reason" | "by" | "now">,
  stack: Parameters<typeof actorOf>[1],
): ManualActionInput {
  const { stage, reason } = options;
  return { ...actorOf(options, stack), stage, reason };
}
