// Inventories as files: the state file beside the Stack, with its journal and lock file next to it.
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { randomBytes } from "node:crypto";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { makeFolder, onDisk, readIfThere, stampOf } from "./durable.ts";
import { fileHold } from "./file-hold.ts";
import { mustBelongTo, parseInventory } from "./format.ts";
import { type HeldFrom, HeldInventory } from "./held.ts";
import { freshInventory, journalPath, play, readJournal, recordsSince } from "./journal.ts";
import { aboutOf, acquire, drop, type LeaseTerms, lockPath, readLock } from "./lease.ts";
import { notThisLock } from "./messages.ts";
import { ourselves } from "./process.ts";
import { indexOwners, type OwnerIndex, siblingsOf } from "./siblings.ts";
import type { InventoryStore } from "./store.ts";

/** What a file store takes from its surroundings. */
export interface FileInventoryOptions {
  /** Milliseconds since 1970; for leases. */
  readonly now?: () => number;
  /** Who locks, as others will read it; user, host and process when not given. */
  readonly holder?: string;
  /** The stack's folder as commands in messages name it; left out where it is the current one. */
  readonly seenAt?: string | undefined;
}

/**
 * The inventory of a stack in the file at `path`. Nothing is touched before the first call. Reading fails with `corrupt`
 * when the file or its journal is torn, of a newer format or another stack's; such a file is never overwritten.
 */
export function fileInventory(
  path: string,
  stack: string,
  options: FileInventoryOptions = {},
): InventoryStore {
  const terms = (): LeaseTerms => ({
    path: realPath(path),
    holder: options.holder ?? ourselves(),
    seenAt: options.seenAt,
    now: options.now ?? Date.now,
  });
  const unwritten = { salt: randomBytes(32).toString("hex") };
  const readHere = (): HeldFrom => readFrom(realPath(path), stack, unwritten.salt);
  let owners: OwnerIndex | undefined;
  return {
    read: () =>
      onDisk(path, () => {
        owners = undefined;
        const { written, records } = readHere();
        return play(written, records);
      }),
    owner: (origin, kind, key) =>
      onDisk(path, () => {
        owners ??= indexHere(realPath(path), stack);
        return owners(origin, kind, key);
      }),
    lock: (purpose) =>
      onDisk(path, () => {
        owners = undefined;
        return lockHere(terms(), purpose, readHere);
      }),
    unlock: (id) => onDisk(path, () => unlockHere(terms(), id)),
    close: async () => undefined,
  };
}

async function lockHere(
  terms: LeaseTerms,
  purpose: string,
  readHere: () => HeldFrom,
): Promise<HeldInventory> {
  makeFolder(terms.path);
  const info = await acquire(terms, purpose);
  try {
    const from = readHere();
    const hold = fileHold(terms, info, from);
    return new HeldInventory(hold, { info, written: from.written, now: terms.now });
  } catch (error) {
    await drop(terms, info.id);
    throw error;
  }
}

async function unlockHere(terms: LeaseTerms, id: string): Promise<void> {
  const current = readLock(lockPath(terms.path));
  if (current?.id === id && (await drop(terms, id))) return;
  throw notThisLock(aboutOf(terms), id, current);
}

/**
 * The written inventory and the records since, as they were at one moment: a writer replaces the file and then removes
 * the journal, so both are read again until the file stayed the same meanwhile.
 */
function readFrom(path: string, stack: string | undefined, salt: string): HeldFrom {
  for (let attempt = 0; attempt < limits.inventoryReads; attempt++) {
    const stamp = stampOf(path);
    const text = readIfThere(path);
    if (stamp !== stampOf(path)) continue;
    const parsed = text === undefined ? undefined : parseInventory(text, path);
    const journal = readJournal(path);
    if (stamp !== stampOf(path)) continue;
    const written = parsed ?? freshInventory(journal, stack, salt);
    const owned = stack ?? written.stack;
    mustBelongTo(owned, written, path);
    return { written, records: recordsSince(written, journal, journalPath(path)) };
  }
  throw new Failure("locked", `The inventory ${path} is written again and again.`, {
    remedy: "Try again.",
  });
}

function indexHere(path: string, stack: string): OwnerIndex {
  const others = siblingsOf(path).map((sibling) => {
    const { written, records } = readFrom(sibling, undefined, "");
    return play(written, records);
  });
  return indexOwners(others, stack);
}

/** Two names of one file must meet at one lock. */
function realPath(path: string): string {
  const absolute = resolve(path);
  return (
    realIfThere(absolute) ??
    join(realIfThere(dirname(absolute)) ?? dirname(absolute), basename(absolute))
  );
}

function realIfThere(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
