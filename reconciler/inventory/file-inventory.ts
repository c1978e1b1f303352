// Stores inventories as files beside the Stack, each with a journal and a lock file.
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { randomBytes } from "node:crypto";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { makePrivateFolder, readIfExists } from "../../files/atomic-files.ts";
import { withDiskErrors } from "../operator/disk-errors.ts";
import { fileLease } from "./file-lease.ts";
import { requireSameStack, parseInventory } from "./format.ts";
import { type InventorySnapshot, LockedInventory } from "./held-lock.ts";
import { releaseOnFailure } from "./release-locks.ts";
import { keepOnFailure } from "./unreleased-locks.ts";
import { emptyInventory, journalPath, replay, readJournal, recordsSince } from "./journal.ts";
import {
  inventoryLabel,
  acquire,
  isAlive,
  removeLock,
  type LockFileContext,
  lockPath,
  readLock,
  requireFree,
} from "./lock-file.ts";
import { liveLockError, wrongLockError } from "./lock-messages.ts";
import { currentHolder } from "../operator/lock-process.ts";
import {
  createOwnerIndex,
  type OwnerIndexBuilder,
  otherInventoryPaths,
} from "./other-inventories.ts";
import type { InventoryStore } from "./store.ts";

/** Options of {@link fileInventory}. */
export interface FileInventoryOptions {
  /** Milliseconds since 1970; for leases. */
  readonly now?: () => number;
  /** The lock holder as others read it; user, host and process by default. */
  readonly holder?: string;
  /** The stack's folder as commands in messages name it; left out if it is the current one. */
  readonly displayPath?: string | undefined;
}

/**
 * Opens the inventory of a stack in the file at `path`. The first call reads it. Reading fails with `corrupt` if the
 * file or its journal is damaged, of a newer format or another stack's; such a file is never overwritten.
 */
export function fileInventory(
  path: string,
  stack: string,
  options: FileInventoryOptions = {},
): InventoryStore {
  const terms = (): LockFileContext => ({
    path: realPath(path),
    holder: options.holder ?? currentHolder(),
    displayPath: options.displayPath,
    now: options.now ?? Date.now,
  });
  const initial = { salt: randomBytes(32).toString("hex") };
  const readHere = (): InventorySnapshot => readSnapshot(realPath(path), stack, initial.salt);
  let owners: OwnerIndexBuilder | undefined;
  const others = () => (owners ??= indexOwnersInFolder(realPath(path), stack));
  return {
    location: path,
    read: () =>
      withDiskErrors(path, () => {
        owners = undefined;
        const { written, records } = readHere();
        return replay(written, records);
      }),
    owner: (origin, object) => withDiskErrors(path, () => others().ownerOf(origin, object)),
    requireFree: () => withDiskErrors(path, () => requireFree(terms())),
    lock: (purpose) =>
      withDiskErrors(path, () => {
        owners = undefined;
        return lockInventory(terms(), purpose, readHere);
      }),
    unlock: (id, { force = false } = {}) =>
      withDiskErrors(path, () => unlockInventory(terms(), id, force)),
    close: async () => undefined,
  };
}

async function lockInventory(
  terms: LockFileContext,
  purpose: string,
  readHere: () => InventorySnapshot,
): Promise<LockedInventory> {
  makePrivateFolder(dirname(terms.path));
  const info = await acquire(terms, purpose);
  const release = () =>
    withDiskErrors(
      terms.path,
      async () => void (await keepOnFailure(info.id, removeLock(terms, info.id))),
    );
  return releaseOnFailure({ release }, async () => {
    const from = readHere();
    const owners = () => indexOwnersInFolder(terms.path, from.written.stack).ownerOf;
    const lease = fileLease(terms, info, { snapshot: from, owners });
    return new LockedInventory(lease, { info, written: from.written, now: terms.now });
  });
}

async function unlockInventory(terms: LockFileContext, id: string, force: boolean): Promise<void> {
  const current = readLock(lockPath(terms.path));
  if (!force && current?.id === id && isAlive(current, terms.now())) {
    throw liveLockError(inventoryLabel(terms), current);
  }
  if (current?.id === id && (await removeLock(terms, id))) return;
  throw wrongLockError(inventoryLabel(terms), id, current);
}

/** Returns a version of the file at `path` that every replacement changes. Undefined if the file does not exist. */
function fileVersion(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

/**
 * Reads the written inventory and its journal as of one moment. A writer replaces the file and then removes the
 * journal, so the read repeats until the file did not change meanwhile.
 */
function readSnapshot(path: string, stack: string | undefined, salt: string): InventorySnapshot {
  for (let attempt = 0; attempt < limits.inventoryReads; attempt++) {
    const stamp = fileVersion(path);
    const text = readIfExists(path);
    if (stamp !== fileVersion(path)) continue;
    const parsed = text === undefined ? undefined : parseInventory(text, path);
    const journal = readJournal(path);
    if (stamp !== fileVersion(path)) continue;
    const written = parsed ?? emptyInventory(journal, stack, salt);
    const owned = stack ?? written.stack;
    requireSameStack(owned, written, path);
    return { written, records: recordsSince(written, journal, journalPath(path)) };
  }
  throw new Failure("locked", `the inventory ${path} keeps changing while it is read`, {
    remedy: "Try again.",
  });
}

function indexOwnersInFolder(path: string, stack: string): OwnerIndexBuilder {
  const index = createOwnerIndex(stack);
  for (const sibling of otherInventoryPaths(path)) {
    const { written, records } = readSnapshot(sibling, undefined, "");
    index.add(replay(written, records));
  }
  return index;
}

/** Resolves links, so that two names of one file share one lock. */
function realPath(path: string): string {
  const absolute = resolve(path);
  return (
    realPathIfExists(absolute) ??
    join(realPathIfExists(dirname(absolute)) ?? dirname(absolute), basename(absolute))
  );
}

function realPathIfExists(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
