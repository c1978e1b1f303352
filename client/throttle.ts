// The one gate that all calls of a client pass: so many at once, so many a second, and a pause for everybody when told to slow down.
import { Failure } from "../core/errors.ts";

/** Admits calls in the order in which they came. */
export interface Throttle {
  /** Resolves when a call may be sent, with what gives its place back. Fails with `aborted`. */
  acquire(signal: AbortSignal | undefined): Promise<() => void>;
  /** Admits nobody for `ms` milliseconds from now; a longer pause that runs already is kept. */
  pause(ms: number): void;
}

/** The failure of a run that was asked to stop. */
export function abortedFailure(): Failure {
  return new Failure("aborted", "Stopped before the call was made.");
}

/** A gate for `concurrency` calls at once and, where given, `perSecond` calls a second. */
export function createThrottle(concurrency: number, perSecond: number | undefined): Throttle {
  const waiting = new Set<() => void>();
  const pace = createTokenBucket(perSecond);
  let running = 0;
  let pausedUntil = 0;
  let timer: NodeJS.Timeout | undefined;

  const leave = (): void => {
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
          resolve(callOnce(leave));
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

/** A token bucket told as the moment at which the next call is due; it saves up at most a tenth of a second. */
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
