// The delays between reconciliations.
import { limits } from "../core/limits/limits.ts";
import type { Source } from "./config.ts";
import type { Reconciliation, ReconciliationResult } from "./reconciliation.ts";

/** Returns whether the result is a failure to retry. */
export function isRetried(result: ReconciliationResult): boolean {
  return result === "failed" || result === "partial" || result === "unhealthy";
}

/** Returns the interval with jitter in milliseconds; `random` is from 0 to 1. */
export function intervalWithJitter({ intervalMs, jitterMs }: Source, random: number): number {
  return intervalMs + Math.floor(random * jitterMs);
}

/** Returns the retry delay in milliseconds after consecutive failures, up to a tenth less at random. */
export function retryDelay({ retry }: Source, failures: number, random: number): number {
  const grown = retry.firstMs * 2 ** Math.min(failures - 1, 30);
  return Math.ceil(Math.min(grown, retry.maxMs) * (1 - random / 10));
}

/** Returns the milliseconds until a maintenance window opens; undefined if the source waits for none. */
export function delayUntilOpen(
  { opens }: Pick<Reconciliation, "opens">,
  now: Date,
): number | undefined {
  if (opens === undefined) return undefined;
  return Math.max(Date.parse(opens) - now.getTime(), limits.controllerIntervalMinMs);
}
