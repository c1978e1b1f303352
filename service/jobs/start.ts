// Starts the job runner that matches the stores of the server.
import type { JobBackend, JobOptions, JobRunner } from "./jobs.ts";

/** Starts the jobs of the accounts. */
export async function startJobs(context: JobBackend, options: JobOptions): Promise<JobRunner> {
  const { database, schema, accounts } = context;
  return database === undefined
    ? (await import("./sqlite-jobs.ts")).startSqliteJobs(accounts, options)
    : (await import("./postgres-jobs.ts")).startPostgresJobs(
        { database, schema, accounts },
        options,
      );
}
