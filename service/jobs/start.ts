// Starts the jobs of a server where its stores are.
import type { JobBackend, JobOptions, JobRunner } from "./jobs.ts";

/** Looks after the jobs of the accounts from now on. */
export async function startJobs(ground: JobBackend, options: JobOptions): Promise<JobRunner> {
  const { database, schema, accounts } = ground;
  return database === undefined
    ? (await import("./sqlite-jobs.ts")).startSqliteJobs(accounts, options)
    : (await import("./postgres-jobs.ts")).startPostgresJobs(
        { database, schema, accounts },
        options,
      );
}
