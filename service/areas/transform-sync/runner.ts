// Runs the syncs of one account in this process. Any server of the account continues syncs whose server died.
import { inTransaction } from "../../store/transaction.ts";
import type { SyncQueue } from "../shared/operation-handler.ts";
import { runSync, type SyncParts } from "./run-sync.ts";
import { claimRun, findDueRun } from "./runs.ts";

/** Syncs of one account that a server runs concurrently: a slow remote must not delay every other deployment. */
const concurrency = 3;

/** Runs the syncs of an account. */
export interface SyncRunner extends SyncQueue {
  /** Runs syncs until none waits. */
  runQueued(): Promise<void>;
  /** Stops the running syncs, which another server or the next start continues, and waits for them. */
  stop(): Promise<void>;
}

/** Creates the runner of an account. */
export function createSyncRunner(parts: SyncParts): SyncRunner {
  const stopping = new AbortController();
  const running = new Map<number, AbortController>();
  const loops = new Set<Promise<void>>();
  let again = false;
  const runNext = async (): Promise<boolean> => {
    if (stopping.signal.aborted) return false;
    // Looking only reads; write only if there is a sync.
    const due = await findDueRun(parts.db, parts.now());
    if (due === undefined) return false;
    const run = await inTransaction(parts.db, (tx) => claimRun(tx, due, parts.now()));
    if (run === undefined) return true;
    const cancelling = new AbortController();
    running.set(run.id, cancelling);
    const signal = AbortSignal.any([stopping.signal, cancelling.signal]);
    try {
      await runSync(parts, run, { signal, isStopping: () => stopping.signal.aborted });
    } finally {
      running.delete(run.id);
    }
    return true;
  };
  const loop = async (): Promise<void> => {
    do {
      again = false;
      while (await runNext());
      // A wake between the last look and the end of the loop starts another one.
    } while (again);
  };
  const runQueued = async (): Promise<void> => {
    again = true;
    if (loops.size < concurrency) {
      const next: Promise<void> = loop().finally(() => loops.delete(next));
      loops.add(next);
    }
    await Promise.all(loops);
  };
  return {
    runQueued,
    // The scheduled job reports errors, and finds syncs that this attempt missed.
    wake: () => void runQueued().catch(() => undefined),
    cancel: (id) => running.get(id)?.abort(),
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(loops);
    },
  };
}
