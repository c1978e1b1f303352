// Syncs of transformation projects in the API form. A cancelled sync is CANCELLED in the history, and failed in its status.
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import type { AnswerOf } from "../../../core/operation/operation.ts";
import type {
  getSyncResult,
  getSyncStatus,
  listSyncLogs,
  listSyncs,
} from "../../../api/transform-sync.ts";
import { fromJson } from "../../store/codec.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import type { KnownSync, ShownSync, SyncPhase } from "./runs.ts";

type SyncRun = AnswerOf<typeof listSyncs>;

/** Returns a run of the history. */
export function showRun(run: ShownSync): SyncRun {
  const { head_sha: headSha } = run;
  return {
    syncJobId: run.job_id,
    deploymentId: run.deployment_id,
    status: run.status as SyncRun["status"],
    trigger: run.trigger_name as SyncRun["trigger"],
    source: run.source as SyncRun["source"],
    branchName: run.branch_name,
    startedAt: run.started_at,
    ...omitNullish({
      completedAt: run.completed_at,
      errorMessage: run.error_text,
      userId: run.user_id,
    }),
    lastStage: run.stage,
    ...(headSha !== null && { triggerContext: { headSha, ...pushOf(run) } }),
    ...outcomeOf(run),
  };
}

/** Returns the push that started a sync; undefined for other syncs. */
function pushOf({ trigger_name, git_ref, branch_name }: ShownSync) {
  if (trigger_name !== "webhook" || git_ref === null) return {};
  return { pushedBranch: git_ref, targetBranch: branch_name };
}

/** Share of the work before each stage. */
const percents: Readonly<Record<string, number>> = {
  INITIALIZING: 0,
  UPLOADING_PROJECT: 10,
  PROCESSING_MANIFEST: 50,
  WRITING_MODEL_FILES: 80,
};

/** Returns the status of a sync. */
export function showStatus(run: ShownSync): AnswerOf<typeof getSyncStatus> {
  const status = run.status === "CANCELLED" ? "FAILED" : run.stage;
  return {
    syncJobId: run.job_id,
    status,
    progress: { stage: run.stage, percentComplete: percents[status] ?? 100 },
    updatedAt: run.updated_at,
    branchName: run.branch_name,
    ...omitNullish({ error: run.error_text }),
    ...outcomeOf(run),
  };
}

function outcomeOf(run: ShownSync) {
  const phases = phasesOf(run).map(({ at: _at, ...phase }) => phase);
  const stats = run.stats === null ? undefined : (fromJson(run.stats) as SyncRun["stats"]);
  return {
    ...omitNullish({
      gitRef: run.git_ref,
      failedPhase: run.failed_phase as SyncRun["failedPhase"],
      durationMs: run.duration_ms,
      stats,
    }),
    ...(phases.length > 0 && { phases }),
  };
}

function phasesOf({ phases }: ShownSync): readonly SyncPhase[] {
  return fromJson(phases) as readonly SyncPhase[];
}

/** Returns the result of a completed sync. Throws `not_found` for any other. */
export function resultOf(run: KnownSync): AnswerOf<typeof getSyncResult> {
  const { status, paths, completed_at: completedAt, duration_ms: durationMs } = run;
  if (status !== "COMPLETED" || paths === null || completedAt === null) {
    throw new Failure("not_found", `the sync has no result: it is ${status}`);
  }
  const stats = fromJson(run.stats ?? "{}");
  const { models, sources, macros } = isObject(stats) ? stats : ({} as JsonObject);
  const generated = fromJson(paths) as readonly string[];
  return {
    syncJobId: run.job_id,
    generatedFiles: generated.map((path) => ({ path })),
    manifestStats: { models: Number(models), sources: Number(sources), macros: Number(macros) },
    cubeCount: generated.length,
    completedAt,
    durationMs: durationMs ?? 0,
  };
}

/** Returns a line for each phase, and for the end of the sync. */
export function logLines(run: ShownSync): readonly AnswerOf<typeof listSyncLogs>[] {
  const lines = phasesOf(run).map(({ at, phase, durationMs, outcome }) => {
    const isFailed = outcome === "failed";
    return {
      timestamp: at,
      level: isFailed ? ("error" as const) : ("info" as const),
      stream: "system" as const,
      message: isFailed ? (run.error_text ?? "The phase failed.") : "The phase succeeded.",
      phase,
      durationMs,
    };
  });
  const isReported = run.error_text === null || lines.some(({ level }) => level === "error");
  const { completed_at: timestamp, error_text: message } = run;
  if (isReported || timestamp === null || message === null) return lines;
  return [...lines, { timestamp, level: "error", stream: "system", message }];
}
