// Runs each query once for all requests that ask for it, and answers requests that wait too long with `Continue wait`.
import { limits } from "../../core/limits/limits.ts";
import { canceledFailure } from "./engine.ts";
import { createFairQueue, type FairLimits } from "./fair-queue.ts";
import { keepResults, type KeptEntry } from "./kept-results.ts";

/** Bounds of a queue, for tests. */
export type QueueLimits = Pick<
  typeof limits,
  | "queriesRunning"
  | "queryEngines"
  | "deploymentQueriesRunning"
  | "queriesWaiting"
  | "deploymentQueriesWaiting"
  | "queryHoldMs"
  | "queryAbandonMs"
  | "queryResultMs"
  | "queryResults"
  | "queryResultsBytes"
  | "deploymentResultsBytes"
>;

/** A value, or `waiting` if it is not ready in time. */
export type ResultOrWaiting<T> = { readonly value: T } | "waiting";

/** The group of a request, and whether it needs a fresh result. */
export interface QueueOptions {
  /** Groups take turns. */
  readonly group?: string;
  readonly fresh?: boolean;
}

/** Computes a result. */
type Work<T> = (signal: AbortSignal) => Promise<T>;

/** A queue of queries. */
export interface QueryQueue<T> {
  /**
   * Returns the result of `work`, which runs once for all requests with one key. The result is kept until no request
   * has used it for a time. With `fresh`, it runs again unless another waiting request with `fresh` produced the
   * result. The signal of `work` is aborted when no request has asked for it for a time, and by `cancel`.
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
  bounds: { readonly [K in keyof QueueLimits]: number } = limits,
): QueryQueue<T> {
  const queue = createFairQueue(fairLimits(bounds));
  const kept = keepResults<T>(now, bounds);
  const runs = createCancelableRuns<T>(now, bounds.queryAbandonMs);
  const start = (key: string, work: Work<T>, options: QueueOptions) => {
    const { group = "", fresh = false } = options;
    const result = queue.add(group, async () => {
      // A request that comes back later runs the query again.
      const drop = () => kept.remove(key, entry);
      if (!runs.isAbandoned(entry)) return runs.run(entry, work, drop);
      drop();
      throw canceledFailure();
    });
    const entry: KeptEntry<T> = {
      result,
      group,
      isAwaited: fresh,
      settled: undefined,
      bytes: 0,
      usedAt: now(),
    };
    // Requests that wait report the error; without one, it is ignored.
    void result
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
      kept.use(key, entry);
      try {
        return await hold(entry.result, bounds.queryHoldMs);
      } catch (error) {
        // The next request may succeed.
        kept.remove(key, entry);
        throw error;
      } finally {
        if (kept.get(key) === entry) kept.use(key, entry);
      }
    },
    finish(key) {
      const entry = kept.get(key);
      if (entry) entry.isAwaited = false;
    },
    peek: (key) => kept.peek(key),
    cancel: () => runs.cancel(),
  };
}

function fairLimits(bounds: { readonly [K in keyof QueueLimits]: number }): FairLimits {
  return {
    running: bounds.queriesRunning,
    runningOfGroup: bounds.deploymentQueriesRunning,
    runningGroups: bounds.queryEngines,
    waiting: bounds.queriesWaiting,
    waitingOfGroup: bounds.deploymentQueriesWaiting,
  };
}

/** Runs queries until no request asks for them any more. */
function createCancelableRuns<T>(now: () => number, abandonMs: number) {
  const running = new Set<AbortController>();
  const isAbandoned = ({ usedAt }: KeptEntry<T>) => usedAt + abandonMs < now();
  return {
    isAbandoned,
    async run(entry: KeptEntry<T>, work: Work<T>, onAbandon: () => void): Promise<T> {
      const controller = new AbortController();
      running.add(controller);
      const stop = () => {
        if (!isAbandoned(entry)) return;
        onAbandon();
        controller.abort();
      };
      const watch = setInterval(stop, abandonMs / 2);
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

async function hold<T>(result: Promise<T>, ms: number): Promise<ResultOrWaiting<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"waiting">((resolve) => {
    timer = setTimeout(() => resolve("waiting"), ms);
  });
  try {
    return await Promise.race([result.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
