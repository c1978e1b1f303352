// Acquires and releases locks with leases, and takes over those that nobody uses anymore.
import { setTimeout as pause } from "node:timers/promises";
import { Failure, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { currentHolder, currentProcess, hasExited } from "../operator/lock-process.ts";
import type { Lease, LockRequest } from "./backend.ts";
import type { LockInfo } from "./store.ts";

/** Returns a request for a new lock of this process. */
export function lockRequest(purpose: string, now = Date.now()): LockRequest {
  const acquiredAt = new Date(now).toISOString();
  const [holder, process] = [currentHolder(), currentProcess()];
  return { id: crypto.randomUUID(), purpose, holder, acquiredAt, process };
}

/** True if the lease expired. */
export function isExpired({ expiresAt }: Pick<LockInfo, "expiresAt">, now: number): boolean {
  return !(Date.parse(expiresAt) > now);
}

/** True if the process that took the lock exited. */
export function isOfExitedProcess({ process }: LockInfo): boolean {
  return process !== undefined && hasExited(process);
}

/** The acquired lock, or the holder; undefined if the holder kept changing. */
type Acquired = { readonly acquired: LockInfo } | { readonly holder: LockInfo | undefined };

/** Acquires a lock, and releases one of an exited process for it. */
export async function acquireLease(lease: Lease, request: LockRequest): Promise<Acquired> {
  for (let attempt = 1; ; attempt++) {
    const result = await lease.acquire(request);
    if ("until" in result) return { acquired: { ...request, expiresAt: result.until } };
    const { holder } = result;
    const isHeld = holder !== undefined && !isOfExitedProcess(holder);
    if (isHeld || attempt === limits.lockAttempts) return { holder };
    if (holder !== undefined) await lease.release(holder.id);
  }
}

/** Proves that the lock is still held; fails with `locked` otherwise. */
type RequireHeld = () => Promise<void>;

/**
 * Runs `act` under the lock on the ownership of all objects of a store, so that exactly one of two stacks wins that claim
 * one object. Waits while another stack holds it, and fails with `locked` after too long. `act` calls its argument right
 * before it writes.
 */
export async function withOwnership<T>(
  lease: Lease,
  where: string,
  act: (requireHeld: RequireHeld) => Promise<T>,
): Promise<T> {
  const lock = await waitForLease(lease, where);
  const renewal = setInterval(() => {
    // A failed renewal shows in the check before the write.
    lease.renew(lock).catch(() => undefined);
  }, limits.leaseRenewMs);
  renewal.unref();
  try {
    return await act(async () => {
      if ((await lease.renew(lock)) !== undefined) return;
      throw new Failure("locked", `the lock on the ownership of objects in ${where} was lost`, {
        remedy: "Run the command again.",
      });
    });
  } finally {
    clearInterval(renewal);
    // A lock that cannot be released ends with its lease and does not undo the writes.
    await lease.release(lock.id).catch(() => undefined);
  }
}

async function waitForLease(lease: Lease, where: string): Promise<LockInfo> {
  const request = lockRequest("claim objects");
  const end = performance.now() + limits.claimWaitMs;
  for (;;) {
    const result = await acquireLease(lease, request).catch(busyIfLocked);
    if ("acquired" in result) return result.acquired;
    if (performance.now() >= end) {
      const { holder } = result;
      const who = holder?.holder ?? "another stack";
      throw new Failure("locked", `${who} keeps claiming objects in ${where}`, {
        ...(holder && { details: { ...holder } }),
        remedy: "Wait until it ends and run the command again.",
      });
    }
    await pause(Math.random() * limits.claimPauseMs);
  }
}

function busyIfLocked(error: unknown): { readonly holder: undefined } {
  if (isFailure(error, "locked")) return { holder: undefined };
  throw error;
}
