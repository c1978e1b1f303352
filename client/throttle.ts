// Limits the calls of a client: concurrency, calls per second, and pauses that the server requests.
import { Failure } from "../core/errors.ts";
import { createRequestRate, type RequestRate } from "./request-rate.ts";

/** Admits calls in order of arrival. */
export interface Throttle {
  /**
   * Waits until a call of this cost may be sent, and returns a function that releases its slot. Fails with `aborted`.
   */
  acquire(signal: AbortSignal | undefined, cost?: number): Promise<() => void>;
  /**
   * Respects the limit that the server announced with a response. Until the next response, the calls that are sent cost
   * at most this together, or are sent one at a time. Call it before the slot of the response is released.
   */
  announce(left: number): void;
  /** Admits no calls for `ms` milliseconds. A longer current pause is kept. */
  pause(ms: number): void;
}

/** Returns the failure of a canceled call. */
export function abortedFailure(): Failure {
  return new Failure("aborted", "canceled before the call was sent");
}

/** Creates a throttle for `concurrency` parallel calls and, if given, for at most that many calls per second. */
export function createThrottle(
  concurrency: number,
  requestsPerSecond: number | RequestRate | undefined,
): Throttle {
  const waiting = new Map<() => void, number>();
  const rate = rateOf(requestsPerSecond);
  /** The reserved time of the next call. */
  let reserved: number | undefined;
  let pausedUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  const running = new RunningCalls(concurrency);

  const release = (cost: number) => (): void => {
    running.end(cost);
    admit();
  };
  const admit = (): void => {
    for (const [start, cost] of waiting) {
      if (!running.allows(cost) || timer !== undefined) return;
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
      running.start(cost);
      waiting.delete(start);
      start();
    }
  };
  return {
    acquire: (signal, cost = 1) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(abortedFailure());
        const stop = (): void => {
          waiting.delete(start);
          reject(abortedFailure());
        };
        const start = (): void => {
          signal?.removeEventListener("abort", stop);
          resolve(callOnce(release(cost)));
        };
        signal?.addEventListener("abort", stop, { once: true });
        waiting.set(start, cost);
        admit();
      }),
    announce: (left) => running.announce(left),
    pause: (ms) => {
      pausedUntil = Math.max(pausedUntil, performance.now() + ms);
    },
  };
}

function rateOf(perSecond: number | RequestRate | undefined): RequestRate | undefined {
  return typeof perSecond === "number" ? createRequestRate(perSecond) : perSecond;
}

/**
 * The calls that the server has not answered, and the cost that calls may have which are sent before the next response.
 */
class RunningCalls {
  readonly #most: number;
  #count = 0;
  #cost = 0;
  /** The limit that the server announced, less the requests sent since. */
  #left = Infinity;

  constructor(most: number) {
    this.#most = most;
  }

  allows(cost: number): boolean {
    return this.#count < this.#most && (this.#count === 0 || cost <= this.#left);
  }

  start(cost: number): void {
    this.#count++;
    this.#cost += cost;
    this.#left -= cost;
  }

  end(cost: number): void {
    this.#count--;
    this.#cost -= cost;
  }

  /** The server may not have counted the calls that run. */
  announce(left: number): void {
    this.#left = left - this.#cost;
  }
}

function callOnce(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}
