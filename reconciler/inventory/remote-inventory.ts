// Implements the inventory store over a remote backend: the same reading, locking and journal as with files.
import { randomBytes } from "node:crypto";
import { limits } from "../../core/limits/limits.ts";
import type { Inventory } from "../model/index.ts";
import { currentHolder, currentProcess, hasExited } from "../operator/lock-process.ts";
import { requireSameStack } from "./format.ts";
import { releaseOnFailure } from "./release-locks.ts";
import { missingPartsError, readContent, writeContent } from "./inventory-parts.ts";
import {
  emptyInventory,
  headerOf,
  headerLine,
  journalOf,
  type JournalHeader,
  replay,
  recordsSince,
} from "./journal.ts";
import { groupLines, journalLines } from "./journal-lines.ts";
import {
  type InventoryLabel,
  liveLockError,
  lockedError,
  lockLostError,
  wrongLockError,
} from "./lock-messages.ts";
import { type InventorySnapshot, LockedInventory, type Lease } from "./held-lock.ts";
import { createOwnerIndex, type OwnerIndexBuilder } from "./other-inventories.ts";
import { type LockRequest, withOwnershipLock } from "./ownership-lock.ts";
import { isUnreleased, keepOnFailure, reuseUnreleased } from "./unreleased-locks.ts";
import type { RemoteBackend, RemoteInventory } from "./remote-backend.ts";
import type { InventoryStore, LockInfo } from "./store.ts";

/** The dependencies of a store over a remote backend. */
export interface RemoteInventoryOptions {
  /** Milliseconds since 1970; the lock holder checks its own lease with it. */
  readonly now?: (() => number) | undefined;
  /** The lock holder as others read it; user, host and process by default. */
  readonly holder?: string | undefined;
  /** The stack's folder as commands in messages name it. */
  readonly displayPath?: string | undefined;
}

/** Opens the inventory of `stack` in a backend. Fails with `corrupt` for one of a newer format, or another stack's. */
export function remoteInventory(
  backend: RemoteBackend,
  stack: string,
  options: RemoteInventoryOptions = {},
): InventoryStore {
  const label: InventoryLabel = { location: backend.location, displayPath: options.displayPath };
  const context = { stack, salt: randomBytes(32).toString("hex"), location: label.location };
  let owners: OwnerIndexBuilder | undefined;
  const others = async () => (owners ??= await indexOthers(backend, stack));
  return {
    location: backend.location,
    read: async () => {
      owners = undefined;
      const { written, records } = await readInventory(backend, context);
      return replay(written, records);
    },
    owner: async (origin, object) => (await others()).ownerOf(origin, object),
    requireFree: async () => {
      const holder = await backend.lockHolder();
      if (holder !== undefined && !isUnreleased(holder.id) && !isOfExitedProcess(holder))
        throw lockedError(label, holder);
    },
    lock: async (purpose) => {
      owners = undefined;
      const request = lockRequestFor(purpose, options);
      const result = await acquireLock(backend, request);
      if ("holder" in result) throw lockedError(label, result.holder);
      const lock = { ...request, id: result.id };
      const release = async () => void (await keepOnFailure(lock.id, backend.releaseLock(lock.id)));
      return releaseOnFailure({ release }, async () => {
        const snapshot = await readInventory(backend, context);
        const lease = createLease(backend, { stack, label, lock, snapshot });
        const now = options.now ?? Date.now;
        const info = { ...lock, expiresAt: result.until };
        return new LockedInventory(lease, { info, written: snapshot.written, now });
      });
    },
    unlock: async (id, { force = false } = {}) => {
      const holder = await backend.lockHolder();
      if (!force && holder?.id === id && !isOfExitedProcess(holder))
        throw liveLockError(label, holder);
      if (holder?.id === id && (await backend.releaseLock(id))) return;
      throw wrongLockError(label, id, holder);
    },
    close: () => backend.close(),
  };
}

/** The end of the lease of an acquired lock and the lock's ID, or the holder of the lock. */
type Acquired = { readonly until: string; readonly id: string } | { readonly holder: LockInfo };

function isOfExitedProcess({ process }: LockInfo): boolean {
  return process !== undefined && hasExited(process);
}

/**
 * Acquires the lock. Releases the lock of an exited process of this machine first, and continues a lock that this
 * process could not release.
 */
async function acquireLock(backend: RemoteBackend, request: LockRequest): Promise<Acquired> {
  const { id } = request;
  const acquire = () => keepOnFailure(id, backend.acquireLock(request));
  const result = await acquire();
  if (!("holder" in result)) return { ...result, id };
  const { holder } = result;
  const isOwn = reuseUnreleased(holder.id);
  if (!isOwn && !isOfExitedProcess(holder)) return result;
  const renewal = () => backend.renewLock({ ...request, id: holder.id });
  const until = isOwn ? await keepOnFailure(holder.id, renewal()) : undefined;
  if (until !== undefined) return { until, id: holder.id };
  await backend.releaseLock(holder.id);
  const again = await acquire();
  return "holder" in again ? again : { ...again, id };
}

function lockRequestFor(
  purpose: string,
  { holder, now = Date.now }: RemoteInventoryOptions,
): LockRequest {
  return {
    id: crypto.randomUUID(),
    purpose,
    holder: holder ?? currentHolder(),
    acquiredAt: new Date(now()).toISOString(),
    process: currentProcess(),
  };
}

interface ReadContext {
  /** Undefined accepts the inventory of any stack. */
  readonly stack: string | undefined;
  readonly salt: string;
  readonly location: string;
}

interface RemoteSnapshot extends InventorySnapshot {
  readonly appendCount: number;
}

/** Reads again where a writer replaces the inventory meanwhile. */
async function readInventory(
  backend: RemoteBackend,
  context: ReadContext,
): Promise<RemoteSnapshot> {
  for (let attempt = 0; attempt < limits.inventoryReads; attempt++) {
    const stored = await backend.load();
    const snapshot = await snapshotOf(backend, stored, context);
    if (snapshot !== undefined) return { ...snapshot, appendCount: stored.appendCount };
  }
  throw missingPartsError(context.location);
}

/** Returns undefined if a part of the stored inventory was deleted meanwhile. */
async function snapshotOf(
  backend: RemoteBackend,
  { content, lines }: RemoteInventory,
  { stack, salt, location }: ReadContext,
): Promise<InventorySnapshot | undefined> {
  const where = `journal of ${location}`;
  const journal = lines.length === 0 ? undefined : journalOf(lines, where);
  const written =
    content === undefined
      ? emptyInventory(journal, stack, salt)
      : await readContent(backend, content, location);
  if (written === undefined) return undefined;
  requireSameStack(stack ?? written.stack, written, location);
  return { written, records: recordsSince(written, journal, where) };
}

/** Indexes the inventories of the other stacks of a backend. */
export async function indexOthers(
  backend: RemoteBackend,
  stack: string,
): Promise<OwnerIndexBuilder> {
  const index = createOwnerIndex(stack);
  for await (const { where, ...stored } of backend.loadOthers()) {
    const context = { stack: undefined, salt: "", location: where };
    const snapshot = await snapshotOf(backend, stored, context);
    if (snapshot === undefined) throw missingPartsError(where);
    const inventory = replay(snapshot.written, snapshot.records);
    index.add(backend.isServer ? { ...inventory, origin: undefined } : inventory);
  }
  return index;
}

interface LeaseOptions {
  readonly stack: string;
  readonly label: InventoryLabel;
  readonly lock: LockRequest;
  readonly snapshot: RemoteSnapshot;
}

function createLease(
  backend: RemoteBackend,
  { stack, label, lock, snapshot }: LeaseOptions,
): Lease {
  const { id } = lock;
  let header: JournalHeader = headerOf(snapshot.written);
  let position = snapshot.appendCount;
  /** Writes run one after the other: each names the position that it continues at. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
  const writeHeld = async (done: Promise<boolean>): Promise<void> => {
    if (!(await done)) throw lockLostError(label, id, await backend.lockHolder());
  };
  return {
    ...label,
    renew: async (info) => {
      const expiresAt = await backend.renewLock(lock);
      return expiresAt === undefined ? undefined : { ...info, expiresAt };
    },
    holder: () => backend.lockHolder(),
    append: (records) =>
      inTurn(async () => {
        if (records.length === 0) return;
        const all = position === 0 ? [headerLine(header), ...records] : records;
        for (const lines of groupLines(journalLines(all))) {
          await writeHeld(backend.append(id, { position, lines }));
          position += 1;
        }
      }),
    withOwners: (act) =>
      withOwnershipLock(backend.ownership, label.location, async (requireHeld) =>
        act((await indexOthers(backend, stack)).ownerOf, requireHeld),
      ),
    replace: (next: Inventory) =>
      inTurn(async () => {
        await writeHeld(writeContent(backend, id, next));
        header = headerOf(next);
        position = 0;
      }),
    release: () => inTurn(async () => void (await backend.releaseLock(id))),
  };
}
