// Background jobs: one interface, implemented by pg-boss on PostgreSQL and by a built-in runner on SQLite.
import type { JsonObject } from "../../core/json.ts";
import type { Database } from "../store/stores.ts";
import type { Db } from "../store/schema.ts";

/** A named job. It may run more than once, so it must be idempotent. */
export interface Job {
  readonly name: string;
  /** Maximum number of attempts. After the last one the job has failed. */
  readonly attempts: number;
  /** Pause before the second attempt. It doubles with each further attempt. */
  readonly retrySeconds: number;
  /** Time limit of an attempt. Afterwards another runner may start it, as after a crash. */
  readonly leaseSeconds: number;
  /**
   * The job of a server that was killed starts again after this many seconds, at least 10, instead of after its lease. On
   * PostgreSQL, where other servers go on; on SQLite, the next start does.
   */
  readonly heartbeatSeconds?: number;
  /** Runs at every multiple of this many minutes in the hour; at most 30. */
  readonly everyMinutes?: number;
  run(payload: JsonObject, work: JobContext): Promise<void>;
}

/** The context of a running job. */
export interface JobContext {
  readonly db: Db;
  /** Aborted when the time limit expires or the server stops. */
  readonly signal: AbortSignal;
}

/** A request to run a job. */
export interface JobRequest {
  /** The account to run in. */
  readonly account: string;
  /** The name of the job. */
  readonly name: string;
  readonly payload?: JsonObject;
  /** Requests with the same account, job and key are merged until the job has run. */
  readonly key?: string;
  /** Earliest start; immediately if absent. */
  readonly at?: Date;
}

/** The job runner of a server. */
export interface JobRunner {
  /** Enqueues a job. Returns false if one with the same key is already queued. Durable when it resolves. */
  enqueue(order: JobRequest): Promise<boolean>;
  /** Starts no more jobs, waits for running ones up to the time limit, then aborts them. */
  stop(): Promise<void>;
}

/** Receives job events. */
export interface JobListener {
  /** A job or the runner failed. Further attempts may follow. */
  failed(name: string, error: unknown): void;
  /** An attempt ended. */
  ended(name: string, outcome: "done" | "failed", seconds: number): void;
}

/** Options of the job runner. */
export interface JobOptions {
  readonly jobs: readonly Job[];
  readonly watch: JobListener;
  /** Pause between two polls. */
  readonly pollMs: number;
}

/** The database and the accounts in which jobs are stored and run. */
export interface JobBackend {
  /** The database of all accounts; undefined on SQLite, where each account has its own. */
  readonly database: Database | undefined;
  /** The schema of the jobs, on PostgreSQL. */
  readonly schema: string;
  readonly accounts: ReadonlyMap<string, Db>;
}

/** Runs one attempt of a job and reports it to `watch`. Returns the error, or undefined on success. */
export async function runAttempt(
  job: Job,
  { payload, work }: { readonly payload: JsonObject; readonly work: JobContext },
  watch: JobListener,
): Promise<{ readonly error: Error } | undefined> {
  const from = performance.now();
  const ended = (outcome: "done" | "failed") =>
    watch.ended(job.name, outcome, (performance.now() - from) / 1000);
  try {
    await job.run(payload, work);
    ended("done");
    return undefined;
  } catch (cause) {
    ended("failed");
    watch.failed(job.name, cause);
    return { error: cause instanceof Error ? cause : new Error("the job failed", { cause }) };
  }
}
