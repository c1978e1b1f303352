// Runs a section under the lock on the ownership of a whole store, so that exactly one of two stacks wins that claim
// one object.
import { setTimeout as pause } from "node:timers/promises";
import { Failure, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { currentHolder, currentProcess, hasExited } from "../operator/lock-process.ts";
import type { LockInfo } from "./store.ts";
import { isUnreleased, keepOnFailure } from "./unreleased-locks.ts";

/** A lock to acquire. */
export type LockRequest = Omit<LockInfo, "expiresAt">;

/** When an acquired lock expires, or who holds it. */
export type LockResult = { readonly until: string } | { readonly holder: LockInfo };

/** A lock that all stacks of a store share. */
export interface OwnershipLock {
  /** Acquires the lock for one lease. */
  acquireLock(request: LockRequest): Promise<LockResult>;
  /** Extends the lease; returns undefined if the lock is no longer held. */
  renewLock(request: LockRequest): Promise<string | undefined>;
  /** Releases the lock with this id; returns false if it is not held. */
  releaseLock(id: string): Promise<boolean>;
}

/** Proves that the lock is still held; fails with `locked` otherwise. */
export type RequireHeld = () => Promise<void>;

/**
 * Runs `act` under the lock and waits while another stack holds it. `act` calls its argument right before it writes. Fails
 * with `locked` if another stack holds the lock for too long.
 */
export async function withOwnershipLock<T>(
  lock: OwnershipLock,
  where: string,
  act: (requireHeld: RequireHeld) => Promise<T>,
): Promise<T> {
  const request: LockRequest = {
    id: crypto.randomUUID(),
    purpose: "claim objects",
    holder: currentHolder(),
    acquiredAt: new Date().toISOString(),
    process: currentProcess(),
  };
  await acquireWithRetry(lock, request, where);
  const renewal = setInterval(() => {
    // A failed renewal shows in the check before the write.
    lock.renewLock(request).catch(() => undefined);
  }, limits.leaseRenewMs);
  renewal.unref();
  try {
    return await act(async () => {
      if ((await lock.renewLock(request)) === undefined) throw lostError(where);
    });
  } finally {
    clearInterval(renewal);
    // A lock that cannot be released ends with its lease and does not undo the writes.
    await keepOnFailure(request.id, lock.releaseLock(request.id)).catch(() => undefined);
  }
}

async function acquireWithRetry(
  lock: OwnershipLock,
  request: LockRequest,
  where: string,
): Promise<void> {
  const end = performance.now() + limits.claimWaitMs;
  for (;;) {
    const result = await acquireOrBusy(lock, request, where);
    if ("until" in result) return;
    const { busy, holder } = result;
    if (performance.now() >= end) throw busy;
    const isOver = holder?.process !== undefined && hasExited(holder.process);
    if (holder !== undefined && (isOver || isUnreleased(holder.id))) {
      await lock.releaseLock(holder.id);
    } else await pause(Math.random() * limits.claimPauseMs);
  }
}

type BusyResult = { readonly busy: Failure; readonly holder?: LockInfo };

/** A store whose lock changes hands between two calls fails with `locked`: that is busy too. */
async function acquireOrBusy(
  lock: OwnershipLock,
  request: LockRequest,
  where: string,
): Promise<{ readonly until: string } | BusyResult> {
  try {
    const result = await keepOnFailure(request.id, lock.acquireLock(request));
    if ("until" in result) return result;
    const { holder } = result;
    const message = `${holder.holder} keeps claiming objects in ${where}.`;
    const remedy = "Wait until it ends and run the command again.";
    return {
      busy: new Failure("locked", message, { details: { ...holder }, remedy }),
      holder,
    };
  } catch (error) {
    if (isFailure(error, "locked")) return { busy: error };
    throw error;
  }
}

function lostError(where: string): Failure {
  return new Failure("locked", `the lock on the ownership of objects in ${where} was lost`, {
    remedy: "Run the command again.",
  });
}
