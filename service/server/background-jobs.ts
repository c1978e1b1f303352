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
  const deliveries = catchUpJob("deliveries", on.accounts, (account) => account.runDeliveries());
  const accounts = new Map(on.accounts.map(({ name = "", db }) => [name, db]));
  const runner = await startJobs(
    { database: on.stores.database, schema, accounts },
    {
      jobs: [
        sweep,
        modelSweep,
        catchUpJob("build", on.accounts, (account) => account.runBuilds()),
        catchUpJob("git-remotes", on.accounts, async (account) => {
          await removeLeftFolders();
          await account.syncGitRemotes();
        }),
        catchUpJob("transform-syncs", on.accounts, (account) => account.runSyncs()),
        { ...deliveries, heartbeatSeconds: 10 },
      ],
      watch: on.watch,
      pollMs: limits.jobPollMs,
    },
  );
  // A server that was killed may have left mails.
  for (const account of on.accounts) {
    account.runDeliveries().catch((error: unknown) => on.watch.failed(deliveries.name, error));
  }
  return runner;
}

/**
 * Returns a job that does each minute what no request did, for example after a crash or while a remote did not answer.
 */
function catchUpJob(
  name: string,
  accounts: readonly OpenAccount[],
  run: (account: OpenAccount) => Promise<void>,
): Job {
  return {
    name,
    attempts: 3,
    retrySeconds: 10,
    leaseSeconds: 600,
    everyMinutes: 1,
    run: async (_, { db }) => {
      const account = accounts.find((one) => one.db === db);
      if (account !== undefined) await run(account);
    },
  };
}

/** Returns a listener that logs failed jobs and counts all. */
export function jobListener(log: Logger, metrics: Metrics | undefined): JobListener {
  return {
    failed: (job, err) => log.warn({ job, err }, "a background job failed"),
    ended: (job, outcome, seconds) => metrics?.job(job, outcome, seconds),
  };
}
