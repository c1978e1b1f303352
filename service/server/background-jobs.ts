// The background jobs of a server: deletions, builds and synchronizations without a request.
import type { Logger } from "pino";
import { limits } from "../../core/limits/limits.ts";
import { removeLeftFolders } from "../git/remote.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Job, JobListener, JobRunner } from "../jobs/jobs.ts";
import { startJobs } from "../jobs/start.ts";
import { modelSweep, sweep } from "../jobs/sweep.ts";
import type { Stores } from "../store/stores.ts";
import type { OpenAccount } from "./accounts.ts";

/** Starts the background jobs. */
export async function startBackgroundJobs(
  schema: string,
  on: { stores: Stores; accounts: readonly OpenAccount[]; watch: JobListener },
): Promise<JobRunner> {
  const accounts = new Map(on.accounts.map(({ name = "", db }) => [name, db]));
  return startJobs(
    { database: on.stores.database, schema, accounts },
    {
      jobs: [
        sweep,
        modelSweep,
        buildJob(on.accounts),
        gitJob(on.accounts),
        syncJob(on.accounts),
        deliveryJob(on.accounts),
      ],
      watch: on.watch,
      pollMs: limits.jobPollMs,
    },
  );
}

/** Runs builds that no request started, for example after a crash. */
function buildJob(accounts: readonly OpenAccount[]): Job {
  return {
    name: "build",
    attempts: 3,
    retrySeconds: 10,
    leaseSeconds: 600,
    everyMinutes: 1,
    run: async (_, { db }) => accounts.find((account) => account.db === db)?.runBuilds(),
  };
}

/** Pulls and pushes changes that no request did, for example after a crash or while a remote did not answer. */
function gitJob(accounts: readonly OpenAccount[]): Job {
  return {
    name: "git-remotes",
    attempts: 3,
    retrySeconds: 10,
    leaseSeconds: 600,
    everyMinutes: 1,
    run: async (_, { db }) => {
      await removeLeftFolders();
      await accounts.find((account) => account.db === db)?.syncGitRemotes();
    },
  };
}

/** Runs syncs of transformation projects that no request started, such as after a crash. */
function syncJob(accounts: readonly OpenAccount[]): Job {
  return {
    name: "transform-syncs",
    attempts: 3,
    retrySeconds: 10,
    leaseSeconds: 600,
    everyMinutes: 1,
    run: async (_, { db }) => accounts.find((account) => account.db === db)?.runSyncs(),
  };
}

/** Sends the notifications that are due, and makes exports that no request made, for example after a crash. */
function deliveryJob(accounts: readonly OpenAccount[]): Job {
  return {
    name: "deliveries",
    attempts: 3,
    retrySeconds: 10,
    leaseSeconds: 600,
    everyMinutes: 1,
    run: async (_, { db }) => accounts.find((account) => account.db === db)?.runDeliveries(),
  };
}

/** Returns a listener that logs failed jobs and counts all. */
export function jobListener(log: Logger, metrics: Metrics | undefined): JobListener {
  return {
    failed: (job, err) => log.warn({ job, err }, "a background job failed"),
    ended: (job, outcome, seconds) => metrics?.job(job, outcome, seconds),
  };
}
