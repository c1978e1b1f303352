// Jobs on SQLite: rows with a lease, run one by one by the only server of the data folder.
import { setTimeout as pause } from "node:timers/promises";
import { invariant } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { fromJson, toTimestamp, toJson } from "../store/codec.ts";
import { deadlineIsOver } from "../store/deadlines.ts";
import type { Db, Row } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import { runAttempt, type Job, type JobOptions, type JobRunner } from "./jobs.ts";

const scheduleKey = "schedule";

/** The longest interval of a schedule. */
const longestIntervalMs = 30 * 60_000;

/** Starts a runner for each account. */
export async function startSqliteJobs(
  accounts: ReadonlyMap<string, Db>,
  options: JobOptions,
): Promise<JobRunner> {
  for (const db of accounts.values()) {
    for (const job of options.jobs) await scheduleJob(db, job);
  }
  const byName = new Map(options.jobs.map((job) => [job.name, job]));
  const stopping = new AbortController();
  const cutting = new AbortController();
  const on: PollContext = { ...options, byName, stopping: stopping.signal, aborting: cutting };
  const looking = [...accounts.values()].map((db) => poll(db, on));
  return {
    enqueue: async ({ account, name, payload = {}, key = null, at = new Date() }) => {
      const db = accounts.get(account);
      invariant(db && byName.has(name), `there is no job ${name} in ${account}`);
      return insertJob(db, { name, key, payload, at });
    },
    stop: async () => {
      stopping.abort();
      const late = setTimeout(() => cutting.abort(), limits.drainMs);
      await Promise.all(looking);
      clearTimeout(late);
    },
  };
}

interface NewJobRow {
  readonly name: string;
  readonly key: string | null;
  readonly payload: JsonObject;
  readonly at: Date;
}

async function insertJob(db: Db, { name, key, payload, at }: NewJobRow): Promise<boolean> {
  const added = await inTransaction(db, (tx) =>
    tx
      .insertInto("jobs")
      .values({
        name,
        job_key: key,
        payload: toJson(payload),
        run_at: toTimestamp(at),
        attempts: 0,
      })
      .onConflict((on) => on.columns(["name", "job_key"]).doNothing())
      .returning("id")
      .executeTakeFirst(),
  );
  return added !== undefined;
}

async function scheduleJob(db: Db, job: Job): Promise<void> {
  if (job.everyMinutes === undefined) return;
  await insertJob(db, {
    name: job.name,
    key: scheduleKey,
    payload: {},
    at: nextRunAt(job.everyMinutes),
  });
}

/** Returns the next multiple of the given minutes. */
function nextRunAt(everyMinutes: number): Date {
  const span = everyMinutes * 60_000;
  return new Date((Math.floor(Date.now() / span) + 1) * span);
}

interface PollContext extends JobOptions {
  readonly byName: ReadonlyMap<string, Job>;
  readonly stopping: AbortSignal;
  readonly aborting: AbortController;
}

async function poll(db: Db, on: PollContext): Promise<void> {
  while (!on.stopping.aborted) {
    let taken: Row<"jobs"> | undefined;
    try {
      taken = await claimJob(db, on.byName);
      if (taken) await executeJob(db, taken, on);
    } catch (error) {
      // The store may become writable again. The job runs again when its lease expires.
      on.watch.failed(taken?.name ?? "jobs", error);
      taken = undefined;
    }
    if (taken) continue;
    await pause(on.pollMs, undefined, { signal: on.stopping, ref: false }).catch(() => undefined);
  }
}

/** Claims the job that has been due longest, or whose lease has expired. */
async function claimJob(
  db: Db,
  byName: ReadonlyMap<string, Job>,
): Promise<Row<"jobs"> | undefined> {
  const now = new Date();
  const leaseSeconds = Math.max(0, ...[...byName.values()].map((job) => job.leaseSeconds));
  const due = (on: Db) =>
    on
      .selectFrom("jobs")
      .selectAll()
      .where("failed_at", "is", null)
      .where((eb) =>
        eb.or([
          eb("run_at", "<=", toTimestamp(now)),
          // Jobs that were scheduled before the clock was set back.
          eb.and([
            eb("job_key", "=", scheduleKey),
            deadlineIsOver("run_at", { now, longestMs: longestIntervalMs }),
          ]),
        ]),
      )
      .where("name", "in", ["", ...byName.keys()])
      .where(deadlineIsOver("leased_until", { now, longestMs: leaseSeconds * 1000 }))
      .orderBy("run_at")
      .limit(1);
  // Polling only reads; write only if there is a job.
  if (!(await due(db).executeTakeFirst())) return undefined;
  return inTransaction(db, async (tx) => {
    const found = await due(tx).executeTakeFirst();
    const job = found && byName.get(found.name);
    if (!found || !job) return undefined;
    if (found.attempts >= job.attempts) {
      await finishAttempt(tx, found, { job, error: "its last attempt did not end" });
      return undefined;
    }
    return tx
      .updateTable("jobs")
      .set({
        attempts: found.attempts + 1,
        leased_until: toTimestamp(now.getTime() + job.leaseSeconds * 1000),
      })
      .where("id", "=", found.id)
      .returningAll()
      .executeTakeFirst();
  });
}

async function executeJob(
  db: Db,
  taken: Row<"jobs">,
  { byName, watch, aborting: cutting }: PollContext,
) {
  const job = byName.get(taken.name);
  invariant(job, `there is no job ${taken.name}`);
  const signal = AbortSignal.any([cutting.signal, AbortSignal.timeout(job.leaseSeconds * 1000)]);
  const payload = fromJson(taken.payload);
  const work = { db, signal };
  const failed = await runAttempt(job, { payload: isObject(payload) ? payload : {}, work }, watch);
  await inTransaction(db, (tx) => finishAttempt(tx, taken, { job, error: failed?.error.message }));
}

/**
 * Records the end of an attempt. On success deletes the job or schedules its next run. On failure schedules a retry,
 * or keeps the failed job and frees its key.
 */
async function finishAttempt(
  tx: Db,
  { id, job_key, attempts }: Row<"jobs">,
  { job, error }: { job: Job; error: string | undefined },
): Promise<void> {
  const isOver = error === undefined || attempts >= job.attempts;
  const row = tx.updateTable("jobs").where("id", "=", id);
  if (!isOver) {
    const wait = job.retrySeconds * 1000 * 2 ** (attempts - 1);
    await row.set({ leased_until: null, run_at: toTimestamp(Date.now() + wait), error }).execute();
  } else if (job_key === scheduleKey && job.everyMinutes !== undefined) {
    const run_at = toTimestamp(nextRunAt(job.everyMinutes));
    await row.set({ leased_until: null, run_at, attempts: 0, error: error ?? null }).execute();
  } else if (error === undefined) {
    await tx.deleteFrom("jobs").where("id", "=", id).execute();
  } else {
    const failed_at = toTimestamp(Date.now());
    await row.set({ leased_until: null, job_key: null, failed_at, error }).execute();
  }
}
