// Inventories as files: the state file beside the Stack, with its journal and lock file next to it.
import { realpathSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { randomBytes } from "node:crypto";
import { Failure } from "../../core/errors.ts";
import { commandOn } from "../command.ts";
import { limits } from "../../core/limits.ts";
import type { Inventory } from "../model.ts";
import { makeFolder, onDisk, readIfThere, stampOf } from "./durable.ts";
import { corrupt, mustBelongTo, parseInventory } from "./format.ts";
import { FileLock, type HeldFrom } from "./held.ts";
import { type Journal, journalPath, play, readJournal } from "./journal.ts";
import { acquire, drop, type LeaseTerms, lockPath, readLock } from "./lease.ts";
import { indexSiblings, type OwnerIndex } from "./siblings.ts";
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
  };
}

async function lockHere(
  terms: LeaseTerms,
  purpose: string,
  readHere: () => HeldFrom,
): Promise<FileLock> {
  makeFolder(terms.path);
  const info = await acquire(terms, purpose);
  try {
    return new FileLock(terms, info, readHere());
  } catch (error) {
    await drop(terms, info.id);
    throw error;
  }
}

async function unlockHere(terms: LeaseTerms, id: string): Promise<void> {
  const current = readLock(lockPath(terms.path));
  if (current && current.id !== id) {
    throw new Failure(
      "refused",
      `Another lock is held on ${terms.path}: ${current.id}, by ${current.holder} (${current.purpose}).`,
      {
        details: { ...current },
        remedy: `If that is the one you mean: ${commandOn(terms, "unlock", current.id)}`,
      },
    );
  }
  if (!current || !(await drop(terms, id))) {
    throw new Failure("not_found", `No lock with the id ${id} is held on ${terms.path}.`);
  }
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
    const written = parsed ?? fresh(journal, stack, salt);
    const owned = stack ?? written.stack;
    mustBelongTo(owned, written, path);
    return { written, records: recordsFor(written, journal, path) };
  }
  throw new Failure("locked", `The inventory ${path} is written again and again.`, {
    remedy: "Try again.",
  });
}

/** An inventory that was never written; what a first run that crashed began belongs to its journal's salt. */
function fresh(journal: Journal | undefined, stack: string | undefined, salt: string): Inventory {
  return {
    stack: journal?.header.stack ?? stack ?? "",
    lineage: "",
    serial: 0,
    origin: undefined,
    salt: journal?.header.salt ?? salt,
    entries: {},
  };
}

function recordsFor(
  written: Inventory,
  journal: Journal | undefined,
  path: string,
): HeldFrom["records"] {
  if (!journal) return [];
  const { lineage, serial } = journal.header;
  if (lineage === written.lineage && serial === written.serial) return journal.records;
  // Written since: the inventory says all that the journal does.
  if ((lineage === written.lineage || lineage === "") && serial < written.serial) return [];
  throw corrupt(
    journalPath(path),
    `goes on from serial ${serial} of ${lineage || "a new inventory"}, but the inventory beside it is at serial ${written.serial} of ${written.lineage || "a new one"}`,
    "Restore the inventory that belongs to it.",
  );
}

function indexHere(path: string, stack: string): OwnerIndex {
  return indexSiblings(path, stack, (sibling) => {
    const { written, records } = readFrom(sibling, undefined, "");
    return play(written, records);
  });
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

function ourselves(): string {
  return `${userName()}@${hostname()} pid ${process.pid}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers run under numbers that have no name.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
