// Runs each query once, however many requests ask for it, and answers requests that wait too long with `Continue wait`.
import pLimit from "p-limit";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";

/** Bounds of a queue, for tests. */
export type QueueLimits = Pick<
  typeof limits,
  | "queriesRunning"
  | "queriesWaiting"
  | "queryHoldMs"
  | "queryAbandonMs"
  | "queryResultMs"
  | "queryResults"
>;

/** A value, or `waiting` if it is not ready in time. */
export type Held<T> = { readonly value: T } | "waiting";

/** A queue of queries. */
export interface QueryQueue<T> {
  /** Returns the result of `work`, which runs once for all requests with one key. The result is kept for a short time. */
  run(
    key: string,
    work: () => Promise<T>,
    options?: { readonly fresh?: boolean },
  ): Promise<Held<T>>;
}

interface Entry<T> {
  readonly result: Promise<T>;
  started: boolean;
  settledAt: number | undefined;
  /** Until when a request waits for it. */
  neededUntil: number;
}

/** Creates a queue. `now` is a monotonic clock in milliseconds. */
export function createQueryQueue<T>(
  now: () => number,
  bounds: { readonly [K in keyof QueueLimits]: number } = limits,
): QueryQueue<T> {
  const running = pLimit(bounds.queriesRunning);
  const entries = new Map<string, Entry<T>>();
  const start = (key: string, work: () => Promise<T>): Entry<T> => {
    if (running.pendingCount >= bounds.queriesWaiting) {
      const text = "too many queries wait; try again";
      throw new Failure("unavailable", text, { retryAfter: 1 });
    }
    const entry: Entry<T> = {
      started: false,
      settledAt: undefined,
      neededUntil: now() + bounds.queryAbandonMs,
      result: running(async () => {
        if (entry.neededUntil < now()) {
          // A request that comes back later runs the query again.
          if (entries.get(key) === entry) entries.delete(key);
          throw abandoned();
        }
        entry.started = true;
        return work();
      }),
    };
    entries.set(key, entry);
    // Whoever waits reports the error; without a request it is of no interest.
    void entry.result.catch(() => undefined).then(() => (entry.settledAt = now()));
    return entry;
  };
  const sweep = () => {
    for (const [key, { settledAt }] of entries) {
      const isOld = settledAt !== undefined && settledAt + bounds.queryResultMs <= now();
      const isExcess = settledAt !== undefined && entries.size > bounds.queryResults;
      if (isOld || isExcess) entries.delete(key);
    }
  };
  return {
    async run(key, work, { fresh = false } = {}) {
      sweep();
      const known = entries.get(key);
      const isUsable = known !== undefined && !(fresh && known.settledAt !== undefined);
      const entry = isUsable ? known : start(key, work);
      entry.neededUntil = now() + bounds.queryAbandonMs;
      return hold(entry.result, bounds.queryHoldMs);
    },
  };
}

function abandoned(): Failure {
  return new Failure("aborted", "the query was dropped, because no request asked for it any more");
}

async function hold<T>(result: Promise<T>, ms: number): Promise<Held<T>> {
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
