// Implements the lock file: created atomically, expires with its lease, and changed by one process at a time.
// A complete file is linked to the lock's name. A process that changes or removes a lock first takes a mutex named after
// its id and checks the lock again, so that it never removes another lock than the one that it found expired.
import { linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Type } from "typebox";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { validator } from "../../core/validate.ts";
import { codeOf, readIfExists, syncFolder, writeNewFile } from "../operator/atomic-write.ts";
import { parseJson } from "./format.ts";
import { isExpired } from "./locked-inventory.ts";
import { type InventoryLabel, lockedError } from "./lock-messages.ts";
import { hasExited, isRunning, currentProcess, processSchema } from "../operator/lock-process.ts";
import type { LockInfo } from "./store.ts";

const lockSchema = Type.Object({
  // Part of a file name, so it must not contain separators.
  id: Type.String({ pattern: "^[0-9a-zA-Z-]{1,64}$" }),
  purpose: Type.String(),
  holder: Type.String(),
  acquiredAt: Type.String(),
  expiresAt: Type.String(),
  process: Type.Optional(processSchema),
});

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
  if (validator(lockSchema)(value).length === 0) return value as LockInfo;
  throw new Failure("corrupt", `The lock file ${file} cannot be read.`, {
    details: { path: file },
    remedy: "Make sure that no svc is running on this inventory, then delete the file.",
  });
}

/** True if the lease expired or the process that took the lock exited. */
function isStale(info: LockInfo, now: number): boolean {
  return isExpired(info, now) || (info.process !== undefined && hasExited(info.process));
}

/** True if the lease has not expired or the process runs on this machine. A stopped process can continue. */
export function isAlive(info: LockInfo, now: number): boolean {
  if (info.process !== undefined && hasExited(info.process)) return false;
  return !isExpired(info, now) || (info.process !== undefined && isRunning(info.process));
}

/** Acquires the lock, also from a stale holder. Fails with `locked` while another holder has it. */
export async function acquire(terms: LockFileContext, purpose: string): Promise<LockInfo> {
  const file = lockPath(terms.path);
  let current: LockInfo | undefined;
  for (let attempt = 0; attempt < limits.lockAttempts; attempt++) {
    if (attempt > 0) await pause(Math.random() * limits.lockPauseMs);
    const mine = createLockInfo(terms, purpose, limits.leaseMs);
    if (linkExclusively(file, mine)) {
      removeLeftovers(terms);
      return mine;
    }
    current = readLock(file) ?? current;
    if (!current) continue;
    if (!isStale(current, terms.now())) break;
    clearLock(terms, current.id, (found) => isStale(found, terms.now()));
  }
  throw lockedError(inventoryLabel(terms), current);
}

/** Extends the lease; undefined if the lock is no longer held. Fails with `locked` while others keep the mutex. */
export async function renew(terms: LockFileContext, info: LockInfo): Promise<LockInfo | undefined> {
  const expiresAt = new Date(terms.now() + limits.leaseMs).toISOString();
  return withMutex(terms, info.id, (file) => {
    const renewed = { ...info, expiresAt };
    const fresh = `${file}.${crypto.randomUUID()}.tmp`;
    writeNewFile(fresh, [JSON.stringify(renewed)]);
    renameSync(fresh, file);
    return renewed;
  });
}

/** Removes the lock with this id; false if there is none. */
export async function removeLock(terms: LockFileContext, id: string): Promise<boolean> {
  const dropped = await withMutex(terms, id, (file) => {
    rmSync(file, { force: true });
    return true;
  });
  return dropped ?? false;
}

/** Runs `act` on the lock with this id under its mutex; undefined if the lock is another. */
async function withMutex<T>(
  terms: LockFileContext,
  id: string,
  act: (file: string) => T,
): Promise<T | undefined> {
  const file = lockPath(terms.path);
  for (let attempt = 0; attempt < limits.lockAttempts; attempt++) {
    if (attempt > 0) await pause(Math.random() * limits.lockPauseMs);
    if (readLock(file)?.id !== id) return undefined;
    const turn = acquireMutex(terms, id, limits.staleMutexesCleared);
    if (!turn) continue;
    try {
      return readLock(file)?.id === id ? act(file) : undefined;
    } finally {
      rmSync(turn, { force: true });
      syncFolder(file);
    }
  }
  throw lockedError(inventoryLabel(terms), readLock(file));
}

/** Removes the lock with this id if `isRemovable` still says so under the mutex. */
function clearLock(terms: LockFileContext, id: string, mayGo: (found: LockInfo) => boolean): void {
  const file = lockPath(terms.path);
  const turn = acquireMutex(terms, id, limits.staleMutexesCleared);
  if (!turn) return;
  try {
    const found = readLock(file);
    if (found?.id === id && mayGo(found)) rmSync(file, { force: true });
  } finally {
    rmSync(turn, { force: true });
  }
}

/** Acquires the mutex of a lock; undefined while another process has it. Removes one that a crash left. */
function acquireMutex(terms: LockFileContext, id: string, depth: number): string | undefined {
  const file = `${lockPath(terms.path)}.turn-${id}`;
  const mine = createLockInfo(terms, "turn", limits.lockFileMutexMs);
  if (linkExclusively(file, mine)) return file;
  const other = readLock(file);
  if (!other || depth === 0 || !isStale(other, terms.now())) return undefined;
  const inner = acquireMutex(terms, other.id, depth - 1);
  if (!inner) return undefined;
  try {
    if (readLock(file)?.id === other.id) rmSync(file, { force: true });
  } finally {
    rmSync(inner, { force: true });
  }
  return linkExclusively(file, mine) ? file : undefined;
}

/** Links a complete file to this name, which only one process can do; false if the name exists. */
function linkExclusively(file: string, info: LockInfo): boolean {
  const fresh = `${file}.${info.id}.tmp`;
  writeNewFile(fresh, [JSON.stringify(info)]);
  try {
    linkSync(fresh, file);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
}

function createLockInfo(terms: LockFileContext, purpose: string, leaseMs: number): LockInfo {
  const now = terms.now();
  return {
    id: crypto.randomUUID(),
    purpose,
    holder: terms.holder,
    acquiredAt: new Date(now).toISOString(),
    expiresAt: new Date(now + leaseMs).toISOString(),
    process: currentProcess(),
  };
}

/** Removes what crashes left: incomplete files and old mutexes. */
function removeLeftovers(terms: LockFileContext): void {
  const folder = dirname(terms.path);
  const name = basename(terms.path);
  const left = (other: string): boolean =>
    other.startsWith(`${name}.lock.turn-`) ||
    (other.startsWith(`${name}.`) && other.endsWith(".tmp"));
  for (const other of readdirSync(folder).filter(left)) {
    const path = join(folder, other);
    const stat = statSync(path, { throwIfNoEntry: false });
    // Uses the file system's clock, generously: another process may be about to use the file.
    if (stat && Date.now() - stat.mtimeMs > 2 * limits.lockFileMutexMs)
      rmSync(path, { force: true });
  }
}
