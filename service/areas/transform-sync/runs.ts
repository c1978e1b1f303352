// The syncs of transformation projects in the store. Only conditional updates claim, change and end a run.
import { createHash, randomBytes } from "node:crypto";
import type { syncPhases } from "../../../api/transform-sync.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { toJson, toTimestamp } from "../../store/codec.ts";
import { deadlineIsOver } from "../../store/deadlines.ts";
import type { Db, Row } from "../../store/schema.ts";

/** A sync in the store. */
export type SyncRow = Row<"sync_runs">;

/** The columns that the history shows; the others can be long. */
export const shownColumns = [
  "id",
  "deployment_id",
  "job_id",
  "status",
  "stage",
  "trigger_name",
  "source",
  "output",
  "branch_name",
  "git_ref",
  "head_sha",
  "user_id",
  "started_at",
  "updated_at",
  "completed_at",
  "duration_ms",
  "failed_phase",
  "error_text",
  "phases",
  "stats",
] as const satisfies readonly (keyof SyncRow)[];

/** A sync with the columns that the history shows. */
export type ShownSync = Pick<SyncRow, (typeof shownColumns)[number]>;

/** A sync with its generated files. */
export type KnownSync = ShownSync & Pick<SyncRow, "paths" | "tree_id">;

/** Attempts of a sync whose server died, or whose host was too busy. */
const attemptsMax = 3;

/** Stages of a running sync, in order. */
export type SyncStage =
  | "INITIALIZING"
  | "UPLOADING_PROJECT"
  | "PROCESSING_MANIFEST"
  | "WRITING_MODEL_FILES";

/** An ended phase. Times are of one monotonic clock, except `at`. */
export interface SyncPhase extends JsonObject {
  readonly phase: (typeof syncPhases)[number];
  readonly startedOffsetMs: number;
  readonly durationMs: number;
  readonly outcome: "ok" | "failed";
  /** When it ended, for the log. */
  readonly at: string;
}

/** Returns the name of a new branch for a ref: letters, digits and `_.-` stay, and the length has a limit. */
export function syncBranchName(ref: string, now: Date): string {
  const shown = ref.replace(/[^A-Za-z0-9_.-]/gu, "-").slice(0, limits.syncRefLength);
  const at = now.toISOString().replace(/\D/gu, "").slice(0, 14);
  return `sync/${shown}-${at}-${randomBytes(4).toString("hex")}`;
}

/** Returns the name of the branch that gets the files of all pushes to a ref. A long ref is cut, with a hash. */
export function pushedBranchName(ref: string): string {
  if (ref.length <= limits.syncPushedRefLength) return `sync/${ref}`;
  const hash = createHash("sha256").update(ref).digest("hex").slice(0, 8);
  return `sync/${ref.slice(0, limits.syncRefLength)}-${hash}`;
}

/** Throws `limit_reached` if a deployment has the maximum number of running and waiting syncs. */
export async function requireRoom(tx: Db, deploymentId: number): Promise<void> {
  const running = await tx
    .selectFrom("sync_runs")
    .select("id")
    .where("deployment_id", "=", deploymentId)
    .where("status", "=", "RUNNING")
    .limit(limits.syncsRunning)
    .execute();
  if (running.length < limits.syncsRunning) return;
  const most = `a deployment can have ${limits.syncsRunning} syncs that run or wait`;
  throw new Failure("limit_reached", `${most}; wait for one, or cancel it`);
}

/** Adds a sync to run. Deletes older ended runs. */
export async function addRun(
  tx: Db,
  run: Pick<
    SyncRow,
    | "deployment_id"
    | "source"
    | "output"
    | "output_path"
    | "branch_name"
    | "git_ref"
    | "manifest"
    | "user_id"
    | "trigger_name"
  >,
  now: Date,
): Promise<SyncRow> {
  const { deployment_id } = run;
  const oldest = await tx
    .selectFrom("sync_runs")
    .select("id")
    .where("deployment_id", "=", deployment_id)
    .where("status", "!=", "RUNNING")
    .orderBy("id", "desc")
    .offset(limits.syncsKept - 1)
    .limit(limits.syncsKept)
    .execute();
  const ids = oldest.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom("sync_runs").where("id", "in", ids).execute();
  const at = toTimestamp(now);
  return tx
    .insertInto("sync_runs")
    .values({
      ...run,
      job_id: randomBytes(12).toString("hex"),
      status: "RUNNING",
      stage: "INITIALIZING",
      attempts: 0,
      started_at: at,
      updated_at: at,
      phases: "[]",
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns a sync by its ID for callers. Throws `not_found` if the deployment has none. */
export async function readRun(db: Db, deploymentId: number, jobId: string): Promise<KnownSync> {
  const run = await db
    .selectFrom("sync_runs")
    .select([...shownColumns, "paths", "tree_id"])
    .where("deployment_id", "=", deploymentId)
    .where("job_id", "=", jobId)
    .executeTakeFirst();
  if (run) return run;
  throw new Failure("not_found", `deployment ${deploymentId} has no sync ${JSON.stringify(jobId)}`);
}

/** A sync that no server is running. */
type DueRun = Pick<SyncRow, "id" | "attempts">;

/**
 * Returns the oldest sync that waits, or whose server died. The pushes of a deployment are synced one after another,
 * because they share a branch, and an older one must not replace the files of a newer one.
 */
export async function findDueRun(db: Db, now: Date): Promise<DueRun | undefined> {
  return db
    .selectFrom("sync_runs")
    .select(["id", "attempts"])
    .where("status", "=", "RUNNING")
    .where(isUnleased(now))
    .where((eb) => {
      const earlier = eb
        .selectFrom("sync_runs as earlier")
        .select("earlier.id")
        .whereRef("earlier.deployment_id", "=", "sync_runs.deployment_id")
        .whereRef("earlier.id", "<", "sync_runs.id")
        .where("earlier.trigger_name", "=", "webhook")
        .where("earlier.status", "=", "RUNNING");
      return eb.or([eb("trigger_name", "!=", "webhook"), eb.not(eb.exists(earlier))]);
    })
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

function isUnleased(now: Date) {
  return deadlineIsOver("leased_until", { now, longestMs: limits.syncLeaseMs });
}

/**
 * Claims a sync, unless another server did: the condition of the update decides. A sync with too many attempts has
 * failed.
 */
export async function claimRun(tx: Db, due: DueRun, now: Date): Promise<SyncRow | undefined> {
  const at = toTimestamp(now);
  const isOver = due.attempts >= attemptsMax;
  const failed = {
    status: "FAILED",
    stage: "FAILED",
    error_text: "The sync did not end.",
    completed_at: at,
    manifest: null,
    leased_until: null,
  };
  const claimed = {
    attempts: due.attempts + 1,
    leased_until: toTimestamp(now.getTime() + limits.syncLeaseMs),
  };
  const run = await tx
    .updateTable("sync_runs")
    .set({ ...(isOver ? failed : claimed), updated_at: at })
    .where("id", "=", due.id)
    .where("status", "=", "RUNNING")
    .where("attempts", "=", due.attempts)
    .where(isUnleased(now))
    .returningAll()
    .executeTakeFirst();
  return run?.status === "RUNNING" ? run : undefined;
}

/** The columns that change while a sync runs and when it ends. */
type RunChange = Partial<
  Pick<
    SyncRow,
    | "status"
    | "stage"
    | "head_sha"
    | "git_ref"
    | "duration_ms"
    | "failed_phase"
    | "error_text"
    | "stats"
    | "paths"
    | "tree_id"
    | "completed_at"
  >
> & { readonly phases: readonly SyncPhase[] };

/**
 * Changes a sync that this attempt runs, and renews its lease. Throws `aborted` if it was cancelled, or claimed by
 * another server.
 */
export async function changeRun(
  tx: Db,
  { id, attempts }: SyncRow,
  { change: { phases, ...columns }, now }: { change: RunChange; now: Date },
): Promise<void> {
  const isEnded = columns.completed_at !== undefined;
  const changed = await tx
    .updateTable("sync_runs")
    .set({
      ...columns,
      ...(isEnded
        ? { leased_until: null, manifest: null }
        : { leased_until: toTimestamp(now.getTime() + limits.syncLeaseMs) }),
      phases: toJson(phases),
      updated_at: toTimestamp(now),
    })
    .where("id", "=", id)
    .where("status", "=", "RUNNING")
    .where("attempts", "=", attempts)
    .returning("id")
    .executeTakeFirst();
  if (!changed) throw new Failure("aborted", "the sync was cancelled");
}

/** Records the phases of a cancelled sync. */
export async function recordCancelled(
  tx: Db,
  { id, attempts }: SyncRow,
  { phases, durationMs }: { phases: readonly SyncPhase[]; durationMs: number },
): Promise<void> {
  await tx
    .updateTable("sync_runs")
    .set({ phases: toJson(phases), duration_ms: durationMs })
    .where("id", "=", id)
    .where("status", "=", "CANCELLED")
    .where("attempts", "=", attempts)
    .execute();
}

/** Returns a sync to the queue if its server could not finish it, such as on shutdown. The attempt does not count. */
export async function releaseRun(tx: Db, run: SyncRow): Promise<void> {
  await restartRun(tx, run, run.attempts - 1);
}

/** Starts a sync again after an attempt that failed for a reason of the server. Returns false after the last attempt. */
export async function retryRun(tx: Db, run: SyncRow): Promise<boolean> {
  if (run.attempts >= attemptsMax) return false;
  await restartRun(tx, run, run.attempts);
  return true;
}

async function restartRun(tx: Db, { id, attempts }: SyncRow, counted: number): Promise<void> {
  await tx
    .updateTable("sync_runs")
    .set({ attempts: counted, leased_until: null, stage: "INITIALIZING", phases: "[]" })
    .where("id", "=", id)
    .where("status", "=", "RUNNING")
    .where("attempts", "=", attempts)
    .execute();
}

/** Cancels a sync. Throws `conflict` if it ended; a cancelled one stays cancelled. */
export async function cancelRun(tx: Db, run: ShownSync, now: Date): Promise<void> {
  const at = toTimestamp(now);
  const cancelled = await tx
    .updateTable("sync_runs")
    .set({
      status: "CANCELLED",
      error_text: "The sync was cancelled.",
      completed_at: at,
      updated_at: at,
      leased_until: null,
      manifest: null,
    })
    .where("id", "=", run.id)
    .where("status", "=", "RUNNING")
    .returning("id")
    .executeTakeFirst();
  if (cancelled || run.status === "CANCELLED") return;
  throw new Failure("conflict", `the sync has ended: ${run.status}`);
}
