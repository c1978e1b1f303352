// Implements the lock file: a record with the holder and the end of the lease, which proper-lockfile guards while one process
// reads and replaces it. The record decides who holds the lock; its id is new with each holder, and a holder checks it before
// each write. So a process that is stopped inside the guard loses its lock if another takes the guard, but no data.
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Type } from "typebox";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { codeOf } from "../../core/system/system-error.ts";
import { readIfExists, syncFolder, writeAtomically } from "../../files/atomic-files.ts";
import { parseJson } from "./format.ts";
import { isExpired } from "./held-lock.ts";
import { type InventoryLabel, lockedError } from "./lock-messages.ts";
import { hasExited, isRunning, currentProcess, processSchema } from "../operator/lock-process.ts";
import type { LockInfo } from "./store.ts";
import { isUnreleased } from "./unreleased-locks.ts";

const lockSchema = Type.Object({
  // Part of a file name, so it must not contain separators.
  id: Type.String({ pattern: "^[0-9a-zA-Z-]{1,64}$" }),
  purpose: Type.String(),
  holder: Type.String(),
  acquiredAt: Type.String(),
  expiresAt: Type.String(),
  process: Type.Optional(processSchema),
});

const validateLock = declaredValidator(lockSchema);

/** The inventory to lock, the holder and the clock. */
export interface LockFileContext {
  /** Path of the inventory. */
  readonly path: string;
  readonly holder: string;
  /** The stack's folder as commands in messages name it. */
  readonly displayPath?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Returns the label of the inventory for messages. */
export function inventoryLabel({ path, displayPath: seenAt }: LockFileContext): InventoryLabel {
  return { location: path, displayPath: seenAt };
}

/** Returns the path of the lock file of the inventory at `path`. */
export function lockPath(path: string): string {
  return `${path}.lock`;
}

/** Reads the lock file, expired or not; undefined without one. */
export function readLock(file: string): LockInfo | undefined {
  const text = readIfExists(file);
  if (text === undefined) return undefined;
  const value = parseJson(text);
  if (validateLock(value).length === 0) return value as LockInfo;
  throw new Failure("corrupt", `the lock file ${file} cannot be read`, {
    details: { path: file },
    remedy: "Make sure that no svc is running on this inventory, then delete the file.",
  });
}

/** True if the lease expired, the process that took the lock exited, or this process could not release it. */
function isStale(info: LockInfo, now: number): boolean {
  if (isUnreleased(info.id)) return true;
  return isExpired(info, now) || (info.process !== undefined && hasExited(info.process));
}

/** True if the lease has not expired or the process runs on this machine. A stopped process can continue. */
export function isAlive(info: LockInfo, now: number): boolean {
  if (info.process !== undefined && hasExited(info.process)) return false;
  return !isExpired(info, now) || (info.process !== undefined && isRunning(info.process));
}

/** Acquires the lock, also from a stale holder. Fails with `locked` while another holder has it. */
export async function acquire(terms: LockFileContext, purpose: string): Promise<LockInfo> {
  requireFree(terms);
  const acquired = await withGuard(terms, (file) => {
    requireFree(terms);
    const info = createLockInfo(terms, purpose);
    replaceLock(file, info);
    return info;
  });
  removeLeftovers(terms);
  return acquired;
}

/** Fails with `locked` while another holder has the lock. */
export function requireFree(terms: LockFileContext): void {
  const current = readLock(lockPath(terms.path));
  if (current === undefined || isStale(current, terms.now())) return;
  throw lockedError(inventoryLabel(terms), current);
}

/** Extends the lease; undefined if the lock is no longer held. Fails with `locked` while others change the lock file. */
export async function renew(terms: LockFileContext, info: LockInfo): Promise<LockInfo | undefined> {
  const expiresAt = new Date(terms.now() + limits.leaseMs).toISOString();
  return withGuard(terms, (file) => {
    if (readLock(file)?.id !== info.id) return undefined;
    const renewed = { ...info, expiresAt };
    replaceLock(file, renewed);
    return renewed;
  });
}

/** Removes the lock with this id; false if there is none. */
export async function removeLock(terms: LockFileContext, id: string): Promise<boolean> {
  return withGuard(terms, (file) => {
    if (readLock(file)?.id !== id) return false;
    rmSync(file, { force: true });
    syncFolder(dirname(file));
    return true;
  });
}

function replaceLock(file: string, info: LockInfo): void {
  writeAtomically(file, [JSON.stringify(info)]);
}

/** Runs a synchronous read and write of the lock file while no other process runs one. */
async function withGuard<T>(terms: LockFileContext, act: (file: string) => T): Promise<T> {
  const file = lockPath(terms.path);
  const release = await acquireGuard(file).catch((error: unknown) => {
    throw codeOf(error) === "ELOCKED" ? lockedError(inventoryLabel(terms), readLock(file)) : error;
  });
  try {
    return act(file);
  } finally {
    // A guard that another process has acquired since is gone; the id of the lock is checked before each write.
    await release().catch(() => undefined);
  }
}

async function acquireGuard(file: string): Promise<() => Promise<void>> {
  // Loaded on first use: it patches `fs` and listens to signals, which only those who lock a file should get.
  const { default: lockfile } = await import("proper-lockfile");
  return lockfile.lock(file, {
    // The lock file need not exist.
    realpath: false,
    lockfilePath: `${file}.guard`,
    stale: limits.lockGuardMs,
    retries: {
      retries: limits.lockGuardAttempts,
      minTimeout: 1,
      maxTimeout: limits.lockPauseMs,
      randomize: true,
    },
    onCompromised: () => undefined,
  });
}

function createLockInfo(terms: LockFileContext, purpose: string): LockInfo {
  const now = terms.now();
  return {
    id: crypto.randomUUID(),
    purpose,
    holder: terms.holder,
    acquiredAt: new Date(now).toISOString(),
    expiresAt: new Date(now + limits.leaseMs).toISOString(),
    process: currentProcess(),
  };
}

/** Removes incomplete files that crashes left. */
function removeLeftovers(terms: LockFileContext): void {
  const folder = dirname(terms.path);
  const name = basename(terms.path);
  const left = (other: string): boolean => other.startsWith(`${name}.`) && other.endsWith(".tmp");
  for (const other of readdirSync(folder).filter(left)) {
    const path = join(folder, other);
    const stat = statSync(path, { throwIfNoEntry: false });
    // Uses the file system's clock, generously: another process may be about to use the file.
    if (stat && Date.now() - stat.mtimeMs > 2 * limits.leaseMs) rmSync(path, { force: true });
  }
}
