// Limits the calls of a client: concurrency, calls per second, and pauses that the server requests.
import { Failure } from "../core/errors.ts";
import { createRequestRate, type RequestRate } from "./request-rate.ts";

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

/** Creates a throttle for `concurrency` parallel calls and, if given, for so many calls per second. */
export function createThrottle(
  concurrency: number,
  requestsPerSecond: number | RequestRate | undefined,
): Throttle {
  const waiting = new Set<() => void>();
  const rate =
    typeof requestsPerSecond === "number"
      ? createRequestRate(requestsPerSecond)
      : requestsPerSecond;
  let running = 0;
  /** The reserved time of the next call. */
  let reserved: number | undefined;
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
      reserved ??= rate?.reserve(now) ?? 0;
      const wait = Math.max(pausedUntil, reserved) - now;
      if (wait > 0) {
        timer = setTimeout(() => {
          timer = undefined;
          admit();
        }, wait);
        return;
      }
      reserved = undefined;
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
