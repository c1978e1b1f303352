// Runs each query once for all requests that ask for it, and answers requests that wait too long with `Continue wait`.
import { limits } from "../../core/limits/limits.ts";
import { canceledFailure } from "./engine.ts";
import { createFairQueue, type FairLimits, type Turn } from "./fair-queue.ts";
import { keepResults, type KeptEntry, type KeptResults } from "./kept-results.ts";

/** Bounds of a queue, for tests. */
export type QueueLimits = Pick<
  typeof limits,
  | "queriesRunning"
  | "queryEngines"
  | "deploymentQueriesRunning"
  | "tenantQueriesRunning"
  | "sessionQueriesRunning"
  | "queriesWaiting"
  | "deploymentQueriesWaiting"
  | "tenantQueriesWaiting"
  | "sessionQueriesWaiting"
  | "queryHoldMs"
  | "queryPollMs"
  | "queryAbandonMs"
  | "queryResultMs"
  | "queryResults"
  | "queryResultsBytes"
  | "deploymentResultsBytes"
>;

type QueueBounds = { readonly [K in keyof QueueLimits]: number };

/** A value, or `waiting` if it is not ready in time. */
export type ResultOrWaiting<T> = { readonly value: T } | "waiting";

/** Who asks, and whether the request needs a fresh result. */
export interface QueueOptions extends Partial<Turn> {
  readonly fresh?: boolean;
  /** Aborts when the client goes away. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the answer of a client without a result says to ask again. */
  readonly isPolled?: boolean;
}

/** Computes a result. */
type Work<T> = (signal: AbortSignal) => Promise<T>;

/** A queue of queries. */
export interface QueryQueue<T> {
  /**
   * Returns the result of `work`, which runs once for all requests with one key. The result is kept until no request
   * has used it for a time. With `fresh`, it runs again unless another waiting request with `fresh` produced the
   * result. The signal of `work` is aborted when the clients of all requests have gone away or no request has asked for
   * it for a time, and by `cancel`.
   */
  run(key: string, work: Work<T>, options?: QueueOptions): Promise<ResultOrWaiting<T>>;
  /** Ends a request with `fresh`, so that the next one runs the query again. */
  finish(key: string): void;
  /** Returns a result that is kept; undefined if there is none. */
  peek(key: string): { readonly value: T } | undefined;
  /** Cancels the queries that run. */
  cancel(): void;
}

/** Creates a queue. `now` is a monotonic clock in milliseconds, and `bytesOf` the size of a result. */
export function createQueryQueue<T>(
  now: () => number,
  bytesOf: (value: T) => number,
  bounds: QueueBounds = limits,
): QueryQueue<T> {
  const queue = createFairQueue(fairLimits(bounds));
  const kept = keepResults<T>(now, bounds);
  const runs = createCancelableRuns<T>(now, bounds);
  const start = (key: string, work: Work<T>, options: QueueOptions) => {
    const { group = "", tenant = "", session, fresh = false } = options;
    const stop = new AbortController();
    const turn = { group, tenant, session };
    const run = async () => {
      // A request that comes back later runs the query again.
      const drop = () => kept.remove(key, entry);
      if (!runs.isAbandoned(entry)) return runs.run(entry, work, drop);
      drop();
      throw canceledFailure();
    };
    const entry: KeptEntry<T> = {
      result: queue.add(turn, run, stop.signal),
      group,
      stop,
      waiters: 0,
      polledUntil: 0,
      isAwaited: fresh,
      settled: undefined,
      bytes: 0,
      usedAt: now(),
    };
    // Requests that wait report the error; without one, it is ignored.
    void entry.result
      .then((value) => kept.settle(entry, { value }, bytesOf(value)))
      .catch(() => kept.settle(entry, "failed", 0));
    return entry;
  };
  return {
    async run(key, work, options = {}) {
      kept.sweep();
      const known = kept.get(key);
      const isStale = options.fresh === true && known?.settled !== undefined && !known.isAwaited;
      const entry = known === undefined || isStale ? start(key, work, options) : known;
      return holdEntry({ key, entry, kept, now, bounds }, options);
    },
    finish(key) {
      const entry = kept.get(key);
      if (entry) entry.isAwaited = false;
    },
    peek: (key) => kept.peek(key),
    cancel: () => runs.cancel(),
  };
}

/** A query that a request waits for. */
interface HeldQuery<T> {
  readonly key: string;
  readonly entry: KeptEntry<T>;
  readonly kept: KeptResults<T>;
  readonly now: () => number;
  readonly bounds: QueueBounds;
}

/** Waits for a query, and cancels it if the client was the last and goes away. */
async function holdEntry<T>(
  { key, entry, kept, now, bounds }: HeldQuery<T>,
  { signal, isPolled }: QueueOptions,
): Promise<ResultOrWaiting<T>> {
  kept.use(key, entry);
  entry.waiters++;
  const hasLeft = () => signal?.aborted === true;
  try {
    const held = await hold(entry.result, bounds.queryHoldMs, signal);
    if (held === "waiting" && isPolled === true && !hasLeft()) {
      entry.polledUntil = now() + bounds.queryPollMs;
    }
    return held;
  } catch (error) {
    // The next request may succeed.
    kept.remove(key, entry);
    throw error;
  } finally {
    entry.waiters--;
    if (kept.get(key) === entry) kept.use(key, entry);
    const isWanted = entry.waiters > 0 || entry.polledUntil > now();
    if (hasLeft() && !isWanted && entry.settled === undefined) {
      kept.remove(key, entry);
      entry.stop.abort();
    }
  }
}

function fairLimits(bounds: QueueBounds): FairLimits {
  return {
    running: bounds.queriesRunning,
    runningOfGroup: bounds.deploymentQueriesRunning,
    runningOfTenant: bounds.tenantQueriesRunning,
    runningOfSession: bounds.sessionQueriesRunning,
    runningTenants: bounds.queryEngines,
    waiting: bounds.queriesWaiting,
    waitingOfGroup: bounds.deploymentQueriesWaiting,
    waitingOfTenant: bounds.tenantQueriesWaiting,
    waitingOfSession: bounds.sessionQueriesWaiting,
  };
}

/** Runs queries until no request asks for them any more. */
function createCancelableRuns<T>(
  now: () => number,
  { queryAbandonMs, queryPollMs }: Pick<QueueBounds, "queryAbandonMs" | "queryPollMs">,
) {
  const running = new Set<AbortController>();
  const isAbandoned = ({ usedAt, waiters, polledUntil }: KeptEntry<T>) => {
    const isLeft = waiters === 0 && polledUntil > 0 && polledUntil < now();
    return isLeft || usedAt + queryAbandonMs < now();
  };
  return {
    isAbandoned,
    async run(entry: KeptEntry<T>, work: Work<T>, onAbandon: () => void): Promise<T> {
      const controller = entry.stop;
      running.add(controller);
      const stop = () => {
        if (!isAbandoned(entry)) return;
        onAbandon();
        controller.abort();
      };
      const watch = setInterval(stop, Math.min(queryAbandonMs, queryPollMs) / 2);
      try {
        return await work(controller.signal);
      } finally {
        clearInterval(watch);
        running.delete(controller);
      }
    },
    cancel(): void {
      for (const controller of running) controller.abort();
    },
  };
}

async function hold<T>(
  result: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<ResultOrWaiting<T>> {
  const { promise: late, resolve } = Promise.withResolvers<"waiting">();
  const end = () => resolve("waiting");
  const timer = setTimeout(end, ms);
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted === true) end();
  try {
    return await Promise.race([result.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}
