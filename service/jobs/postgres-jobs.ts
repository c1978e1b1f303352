// Jobs on PostgreSQL: pg-boss, in a schema beside the account's, over the account's own connections.
import { randomUUID } from "node:crypto";
import { CompiledQuery } from "kysely";
import { PgBoss } from "pg-boss";
import { invariant } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { defaultSchema, type OpenStore } from "../store/open.ts";
import type { Job, JobOptions, Jobs } from "./jobs.ts";

/** Starts pg-boss and its workers; it makes its tables where they are missing, one server at a time. */
export async function startPostgresJobs(
  { db, schema = defaultSchema, alone }: OpenStore,
  { jobs, failed, pollMs }: JobOptions,
): Promise<Jobs> {
  const pollSeconds = Math.max(0.5, pollMs / 1000);
  const supervised = Math.max(1, Math.round(pollSeconds));
  const boss = new PgBoss({
    db: {
      executeSql: async (text, values = []) => {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, [...values]));
        return { rows: [...rows] };
      },
    },
    schema: `${schema}_jobs`,
    superviseIntervalSeconds: supervised,
    monitorIntervalSeconds: supervised,
    cronMonitorIntervalSeconds: 30,
  });
  boss.on("error", (error) => failed("pg-boss", error));
  const stopping = new AbortController();
  // Making its tables and queues is not for several servers at once.
  await alone?.(async () => {
    await boss.start();
    for (const job of jobs) await work(boss, job, { db, stopping, failed, pollSeconds });
  });
  return {
    enqueue: async (name, payload, { key = randomUUID(), at } = {}) => {
      invariant(
        jobs.some((job) => job.name === name),
        `there is no job ${name}`,
      );
      const made = await boss.send(name, payload, {
        singletonKey: key,
        ...(at === undefined ? {} : { startAfter: at }),
      });
      return made !== null;
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

interface Ground {
  readonly db: OpenStore["db"];
  readonly stopping: AbortController;
  readonly failed: JobOptions["failed"];
  readonly pollSeconds: number;
}

async function work(boss: PgBoss, job: Job, { db, stopping, failed, pollSeconds }: Ground) {
  const queue = {
    retryLimit: job.attempts - 1,
    retryDelay: job.retrySeconds,
    retryBackoff: true,
    expireInSeconds: job.leaseSeconds,
  };
  // One order of a key, waiting or running; where the queue is there already, what it says may be older.
  await boss.createQueue(job.name, { policy: "exclusive", ...queue });
  await boss.updateQueue(job.name, queue);
  if (job.everyMinutes !== undefined) {
    const cron = `*/${job.everyMinutes} * * * *`;
    await boss.schedule(job.name, cron, null, { singletonKey: "schedule" });
  }
  const how = { pollingIntervalSeconds: pollSeconds, batchSize: 1 };
  await boss.work<JsonObject | null>(job.name, how, async ([one]) => {
    if (one === undefined) return;
    try {
      const signal = AbortSignal.any([one.signal, stopping.signal]);
      await job.run(one.data ?? {}, { db, signal });
    } catch (error) {
      failed(job.name, error);
      throw error;
    }
  });
}
