// Limits the calls of a client: concurrency, calls per second, and pauses that the server requests.
import { Failure } from "../core/errors.ts";

/** Admits calls in order of arrival. */
export interface Throttle {
  /** Waits until a call may be sent, and returns a function that releases its slot. Fails with `aborted`. */
  acquire(signal: AbortSignal | undefined): Promise<() => void>;
  /** Admits no calls for `ms` milliseconds. A longer current pause is kept. */
  pause(ms: number): void;
}

/** Returns the failure of a canceled call. */
export function abortedFailure(): Failure {
  return new Failure("aborted", "Canceled before the call was sent.");
}

/** Creates a throttle for `concurrency` parallel calls and, if given, `perSecond` calls per second. */
export function createThrottle(concurrency: number, perSecond: number | undefined): Throttle {
  const waiting = new Set<() => void>();
  const pace = createTokenBucket(perSecond);
  let running = 0;
  let pausedUntil = 0;
  let timer: NodeJS.Timeout | undefined;

  const release = (): void => {
    running--;
    admit();
  };
  const admit = (): void => {
    for (const start of waiting) {
      if (running >= concurrency || timer !== undefined) return;
      const now = performance.now();
      const wait = Math.max(pausedUntil, pace.next(now)) - now;
      if (wait > 0) {
        timer = setTimeout(() => {
          timer = undefined;
          admit();
        }, wait);
        return;
      }
      pace.take(now);
      running++;
      waiting.delete(start);
      start();
    }
  };
  return {
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(abortedFailure());
        const stop = (): void => {
          waiting.delete(start);
          reject(abortedFailure());
        };
        const start = (): void => {
          signal?.removeEventListener("abort", stop);
          resolve(callOnce(release));
        };
        signal?.addEventListener("abort", stop, { once: true });
        waiting.add(start);
        admit();
      }),
    pause: (ms) => {
      pausedUntil = Math.max(pausedUntil, performance.now() + ms);
    },
  };
}

function callOnce(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

/** A token bucket as the time of the next call. It allows bursts of at most a tenth of a second. */
function createTokenBucket(perSecond: number | undefined): {
  next(now: number): number;
  take(now: number): void;
} {
  if (perSecond === undefined) return { next: () => 0, take: () => {} };
  const interval = 1000 / perSecond;
  const saved = (Math.max(1, Math.floor(perSecond / 10)) - 1) * interval;
  let due = 0;
  return {
    next: () => due - saved,
    take: (now) => {
      due = Math.max(now, due) + interval;
    },
  };
}
