// Has the rollups that queries used in the last day built again when their data changes, before a query waits for them.
import { limits } from "../../core/limits/limits.ts";

/** The rollups of a server that are built without queries. */
export interface ScheduledRollups {
  /** Adds a rollup that a query could use. */
  add(key: string, refresh: () => Promise<void>): void;
  close(): void;
}

/** Rollups that are remembered. */
const scheduledMax = 1000;

/** Starts to refresh rollups. `now` returns milliseconds since 1970. */
export function scheduleRollups(now: () => number): ScheduledRollups {
  const entries = new Map<
    string,
    { readonly refresh: () => Promise<void>; readonly usedAt: number }
  >();
  let isRunning = false;
  const refreshAll = async () => {
    if (isRunning) return;
    isRunning = true;
    for (const [key, { refresh, usedAt }] of entries) {
      if (usedAt + limits.rollupUnusedMs <= now()) entries.delete(key);
      // A build reports its own failure, and a deployment can be gone.
      else await refresh().catch(() => undefined);
    }
    isRunning = false;
  };
  const timer = setInterval(() => void refreshAll(), limits.rollupRefreshMs).unref();
  return {
    add(key, refresh) {
      entries.delete(key);
      entries.set(key, { refresh, usedAt: now() });
      const [oldest] = entries.keys();
      if (entries.size > scheduledMax && oldest !== undefined) entries.delete(oldest);
    },
    close: () => clearInterval(timer),
  };
}
