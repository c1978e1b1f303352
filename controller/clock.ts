// The clock of a controller: the date, the time that passes, and pauses.

/** A clock, which tests replace. */
export interface Clock {
  /** Returns the date, which an operator or NTP may set back. Never measure a duration with it. */
  now(): Date;
  /** Returns milliseconds since some moment; never set back. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds, at once if they are negative, or when the signal aborts. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The system's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const ended = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", ended);
        resolve();
      };
      // The maximum of a timer. The caller waits again if it is too early.
      const timer = setTimeout(ended, Math.min(Math.max(ms, 0), 2 ** 31 - 1));
      signal.addEventListener("abort", ended, { once: true });
    }),
};
