// Work in the background: one interface, kept by pg-boss on PostgreSQL and by a runner of our own on SQLite.
import type { JsonObject } from "../../core/json.ts";
import type { Database } from "../store/stores.ts";
import type { Db } from "../store/schema.ts";

/** What is to be done under a name. It may be done more than once, and has to end the same way. */
export interface Job {
  readonly name: string;
  /** Times it is begun at most; after the last it has failed and is left alone. */
  readonly attempts: number;
  /** Pause before the second attempt; it doubles with each further one. */
  readonly retrySeconds: number;
  /** Time it has; afterwards somebody else may begin it, as after a crash. */
  readonly leaseSeconds: number;
  /** Begun by itself at every multiple of so many minutes of the hour; at most 30. */
  readonly everyMinutes?: number;
  run(payload: JsonObject, work: JobContext): Promise<void>;
}

/** What a job works with. */
export interface JobContext {
  readonly db: Db;
  /** Aborted when the time is over or the server stops. */
  readonly signal: AbortSignal;
}

/** Something that is to be done. */
export interface JobRequest {
  /** The account that it is done in. */
  readonly account: string;
  /** The job. */
  readonly name: string;
  readonly payload?: JsonObject;
  /** Two orders of one account, job and key are one until it is done. */
  readonly key?: string;
  /** Not before; at once where left out. */
  readonly at?: Date;
}

/** The jobs of a server. */
export interface JobRunner {
  /** Orders it; false where one of the key is ordered already. Durable when this resolves. */
  enqueue(order: JobRequest): Promise<boolean>;
  /** Begins nothing any more, waits for what runs for as long as the limits allow, and tells the rest to end. */
  stop(): Promise<void>;
}

/** Is told how jobs go. */
export interface JobListener {
  /** A job, or what looks after them, failed; more attempts may follow. */
  failed(name: string, error: unknown): void;
  /** An attempt came to its end. */
  ended(name: string, outcome: "done" | "failed", seconds: number): void;
}

/** How jobs are run. */
export interface JobOptions {
  readonly jobs: readonly Job[];
  readonly watch: JobListener;
  /** Pause between two looks for work. */
  readonly pollMs: number;
}

/** Where jobs are kept and done. */
export interface JobBackend {
  /** The database of all accounts; undefined where each has one of its own, on SQLite. */
  readonly database: Database | undefined;
  /** The schema of the jobs, on PostgreSQL. */
  readonly schema: string;
  readonly accounts: ReadonlyMap<string, Db>;
}

/** One attempt at a job, which is told to `watch`; answers its error, or undefined where it is done. */
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
    return { error: cause instanceof Error ? cause : new Error("it failed", { cause }) };
  }
}
