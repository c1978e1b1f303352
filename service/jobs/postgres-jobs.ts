// Jobs on PostgreSQL: one pg-boss per server, in its own schema, over the server's connection pool.
import { randomUUID } from "node:crypto";
import { PgBoss } from "pg-boss";
import { Failure, invariant } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Database } from "../store/stores.ts";
import type { Db } from "../store/schema.ts";
import {
  runAttempt,
  type Job,
  type JobOptions,
  type JobRunner,
  type JobListener,
  type JobRequest,
} from "./jobs.ts";

/** The database and the accounts in which jobs are stored and run. */
export interface PostgresJobBackend {
  readonly database: Database;
  readonly schema: string;
  readonly accounts: ReadonlyMap<string, Db>;
}

/** The data of a queued job. */
interface QueuedJobData {
  readonly account: string;
  readonly payload: JsonObject;
}

/** Starts pg-boss and its workers. Creates its tables if they do not exist, one server at a time. */
export async function startPostgresJobs(
  { database, schema, accounts }: PostgresJobBackend,
  { jobs, watch, pollMs }: JobOptions,
): Promise<JobRunner> {
  const pollSeconds = Math.max(0.5, pollMs / 1000);
  const supervised = Math.max(1, Math.round(pollSeconds));
  const boss = new PgBoss({
    db: {
      executeSql: async (text, values = []) => ({
        rows: [...(await database.query(text, values))],
      }),
    },
    schema,
    superviseIntervalSeconds: supervised,
    monitorIntervalSeconds: supervised,
    cronMonitorIntervalSeconds: 30,
  });
  boss.on("error", (error) => watch.failed("pg-boss", error));
  const stopping = new AbortController();
  const at = { boss, accounts, watch, pollSeconds, stopping: stopping.signal };
  // Servers that start concurrently must not create tables and queues at the same time.
  await database.withLock(`jobs ${schema}`, async () => {
    await boss.start();
    for (const job of jobs) await startWorker(job, at);
  });
  return {
    enqueue: async (order) => {
      const { account, name } = order;
      const isKnown = accounts.has(account) && jobs.some((job) => job.name === name);
      invariant(isKnown, `there is no job ${name} in ${account}`);
      return sendJob(boss, order);
    },
    stop: async () => {
      const late = setTimeout(() => stopping.abort(), limits.drainMs);
      try {
        await boss.stop({ graceful: true, timeout: limits.drainMs + 1000, close: false });
      } finally {
        clearTimeout(late);
      }
    },
  };
}

async function sendJob(boss: PgBoss, order: JobRequest): Promise<boolean> {
  const { account, name, payload = {}, key = randomUUID(), at } = order;
  const jobId = await boss.send(name, { account, payload } satisfies QueuedJobData, {
    singletonKey: JSON.stringify([account, key]),
    ...(at === undefined ? {} : { startAfter: at }),
  });
  return jobId !== null;
}

interface WorkerContext {
  readonly boss: PgBoss;
  readonly accounts: ReadonlyMap<string, Db>;
  readonly watch: JobListener;
  readonly pollSeconds: number;
  readonly stopping: AbortSignal;
}

async function startWorker(job: Job, at: WorkerContext): Promise<void> {
  const { boss, pollSeconds } = at;
  const queue = {
    retryLimit: job.attempts - 1,
    retryDelay: job.retrySeconds,
    retryBackoff: true,
    expireInSeconds: job.leaseSeconds,
    ...(job.heartbeatSeconds !== undefined && { heartbeatSeconds: job.heartbeatSeconds }),
  };
  // At most one job per key, queued or running. An existing queue may have outdated settings.
  await boss.createQueue(job.name, { policy: "exclusive", ...queue });
  await boss.updateQueue(job.name, queue);
  if (job.everyMinutes !== undefined) {
    await boss.schedule(job.name, `*/${job.everyMinutes} * * * *`, null, { singletonKey: "all" });
  }
  // Polls again without a pause while a full batch was available.
  const how = {
    pollingIntervalSeconds: pollSeconds,
    batchSize: limits.concurrentJobs,
    burstWhenBatchFull: true,
    perJobResults: true,
  } as const;
  await boss.work<QueuedJobData | null>(job.name, how, (batch) =>
    Promise.all(
      batch.map(async ({ id, data, signal }) => {
        const failed = await executeJob(job, { data, signal }, at);
        if (failed === undefined) return { id, status: "completed" as const };
        return { id, status: "failed" as const, output: { message: failed.error.message } };
      }),
    ),
  );
}

/** Runs one job. A scheduled job names no account and enqueues one job per account of this server. */
async function executeJob(
  job: Job,
  { data, signal }: { readonly data: QueuedJobData | null; readonly signal: AbortSignal },
  { boss, accounts, watch, stopping }: WorkerContext,
): Promise<{ readonly error: Error } | undefined> {
  if (data === null) {
    for (const account of accounts.keys()) {
      await sendJob(boss, { account, name: job.name, key: "schedule" });
    }
    return undefined;
  }
  const db = accounts.get(data.account);
  if (db === undefined) {
    // Another server that knows the account may run the next attempt.
    return { error: new Failure("not_found", `this server has no account ${data.account}`) };
  }
  const within = { db, signal: AbortSignal.any([signal, stopping]) };
  return runAttempt(job, { payload: data.payload, work: within }, watch);
}
