// Makes the exports and sends the notifications of one account in this process. Another server
// of the account continues the work of a server that stopped.
import type { DeliveryQueue } from "../areas/shared/operation-handler.ts";
import { claimRun, finishRun, queueDueRuns, replanRuns } from "../areas/notifications/runs.ts";
import { isFailure } from "../../core/errors.ts";
import { toTimestamp } from "../store/codec.ts";
import type { LeaseHolders } from "../store/lease-holders.ts";
import { inTransaction } from "../store/transaction.ts";
import type { DashboardSource } from "./dashboard-data.ts";
import { runNextExport } from "./make-export.ts";
import { type SendParts, sendRun } from "./send-run.ts";
import type { DeliveryTools } from "./tools.ts";

/** The services that the deliveries of an account use. */
export interface DeliveryParts extends DashboardSource, DeliveryTools, Pick<SendParts, "links"> {
  /** The servers that send notifications of the account. */
  readonly leaseHolders: LeaseHolders;
}

/** Runs the deliveries of an account. */
export interface DeliveryRunner extends DeliveryQueue {
  /** Queues the notifications that are due, then makes exports and sends notifications until the queue is empty. */
  runQueued(): Promise<void>;
  /** Stops running deliveries, which another server or the next start continues, and waits for them. */
  stop(): Promise<void>;
}

/** Exports and notifications of one account that a server runs concurrently: a slow query must not delay the others. */
const concurrency = 3;
/** A clock that goes back by more than this was set, not just adjusted. */
const clockStepMs = 60_000;

/** Creates the runner of an account. */
export function createDeliveryRunner(parts: DeliveryParts): DeliveryRunner {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loops = new Set<Promise<void>>();
  let again = false;
  let lastNow = Number.POSITIVE_INFINITY;
  const queueDue = async (): Promise<void> => {
    const now = parts.now();
    const wasSetBack = now.getTime() < lastNow - clockStepMs;
    lastNow = now.getTime();
    if (wasSetBack) await replanRuns(parts.db, now);
    await queueDueRuns({ db: parts.db, now, unsentReason: parts.unsentReason });
  };
  const runNext = async (): Promise<boolean> =>
    !signal.aborted && ((await runNextExport(parts, signal)) || (await sendNext(parts, signal)));
  const loop = async (): Promise<void> => {
    do {
      again = false;
      while (await runNext());
      // A wake between the last look and the end of the loop starts another one.
    } while (again && !signal.aborted);
  };
  const work = async (): Promise<void> => {
    again = true;
    if (loops.size < concurrency && !signal.aborted) {
      const next: Promise<void> = loop().finally(() => loops.delete(next));
      loops.add(next);
    }
    await Promise.all(loops);
  };
  return {
    unsentReason: parts.unsentReason,
    runQueued: async () => {
      await queueDue();
      await work();
    },
    // The scheduled job reports errors, and finds the work that this attempt missed.
    wake: () => void work().catch(() => undefined),
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(loops);
    },
  };
}

/** Sends the next run of a notification. Returns false if there is none. */
async function sendNext(parts: DeliveryParts, signal: AbortSignal): Promise<boolean> {
  const { mailer, db, now, leaseHolders } = parts;
  if (mailer === undefined) return false;
  const run = await claimRun(db, now(), leaseHolders);
  if (run === undefined) return false;
  if (run === "taken") return true;
  try {
    await sendRun({ ...parts, mailer }, run, signal);
  } catch (error) {
    if (!isFailure(error, "aborted")) throw error;
    // Another server has it, or the next start continues it immediately.
    if (signal.aborted) {
      await inTransaction(db, (tx) => finishRun(tx, run, toTimestamp(now())));
    }
  }
  return true;
}
