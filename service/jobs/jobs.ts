// Work in the background: one interface, kept by pg-boss on PostgreSQL and by a runner of our own on SQLite.
import type { JsonObject } from "../../core/json.ts";
import type { OpenStore } from "../store/open.ts";
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
  run(payload: JsonObject, work: Work): Promise<void>;
}

/** What a job works with. */
export interface Work {
  readonly db: Db;
  /** Aborted when the time is over or the server stops. */
  readonly signal: AbortSignal;
}

/** When and as what something is to be done. */
export interface Order {
  /** Two orders of one job and key are one until it is done. */
  readonly key?: string;
  /** Not before; at once where left out. */
  readonly at?: Date;
}

/** The jobs of an account. */
export interface Jobs {
  /** Orders it; false where one of the key is ordered already. Durable when this resolves. */
  enqueue(name: string, payload: JsonObject, order?: Order): Promise<boolean>;
  /** Begins nothing any more, waits for what runs for as long as the limits allow, and tells the rest to end. */
  stop(): Promise<void>;
}

/** How jobs are run. */
export interface JobOptions {
  readonly jobs: readonly Job[];
  /** Told of a job that failed, with its name. */
  readonly failed: (name: string, error: unknown) => void;
  /** Pause between two looks for work. */
  readonly pollMs: number;
}

/** Looks after the jobs of the account from now on. */
export async function startJobs(store: OpenStore, options: JobOptions): Promise<Jobs> {
  if (store.dialect === "sqlite") {
    return (await import("./sqlite-jobs.ts")).startSqliteJobs(store.db, options);
  }
  return (await import("./postgres-jobs.ts")).startPostgresJobs(store, options);
}
