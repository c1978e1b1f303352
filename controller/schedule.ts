// The clock of a controller, and when a source has its next round.
import { limits } from "../core/limits.ts";
import type { Source } from "./config.ts";
import type { Reconciliation, ReconciliationResult } from "./reconcile.ts";

/** Tells the time, and lets it pass. */
export interface Clock {
  now(): Date;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted; it never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const ended = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", ended);
        resolve();
      };
      // A timer holds no more than this; whoever waits looks again then.
      const timer = setTimeout(ended, Math.min(ms, 2 ** 31 - 1));
      signal.addEventListener("abort", ended, { once: true });
    }),
};

/** What failed counts until a round ends otherwise. */
export function isRetried(result: ReconciliationResult): boolean {
  return result === "failed" || result === "partial";
}

/** Milliseconds until the source is looked at next, with as much chance as it allows; `random` is from 0 to 1. */
export function intervalWithJitter({ intervalMs, jitterMs }: Source, random: number): number {
  return intervalMs + Math.floor(random * jitterMs);
}

/** Milliseconds until what failed so many times in a row is tried again; up to a tenth less, by chance. */
export function retryDelay({ retry }: Source, failures: number, random: number): number {
  const grown = retry.firstMs * 2 ** Math.min(failures - 1, 30);
  return Math.ceil(Math.min(grown, retry.maxMs) * (1 - random / 10));
}

/** Milliseconds until a window opens that a round waits for; undefined where it waits for none. */
export function delayUntilOpen(
  { opens }: Pick<Reconciliation, "opens">,
  now: Date,
): number | undefined {
  if (opens === undefined) return undefined;
  return Math.max(Date.parse(opens) - now.getTime(), limits.controllerIntervalMinMs);
}
