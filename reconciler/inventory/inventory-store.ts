// Implements the inventory of a stack over a backend: reading, locking, breaking locks, and the owners of objects.
import { randomBytes } from "node:crypto";
import { limits } from "../../core/limits/limits.ts";
import type { Inventory } from "../model/index.ts";
import type { Backend, LoadInventory } from "./backend.ts";
import { corrupt, inventoryOf, requireSameStack } from "./format.ts";
import { HeldLock } from "./inventory-lock.ts";
import { emptyInventory, parseJournal, recordsSince, replay, trimRuns } from "./journal.ts";
import { acquireLease, isOfExitedProcess, lockRequest } from "./leases.ts";
import { lockedError, wrongLockError } from "./lock-messages.ts";
import { ownerIndexOf } from "./owner-index.ts";
import { releaseOnFailure } from "./release-locks.ts";
import type { InventoryLock, InventoryStore, OwnedObject, OwnerOf, RunRecords } from "./store.ts";

/** Options of {@link inventoryStore}. */
export interface InventoryStoreOptions {
  /** Milliseconds since 1970; the holder of a lock checks its lease with it. */
  readonly now?: () => number;
  /** The stack's folder as commands in messages name it; left out if it is the current one. */
  readonly displayPath?: string | undefined;
}

/** Opens the inventory of `stack` in a backend. Fails with `corrupt` for a damaged one, another format or another stack. */
export function inventoryStore(
  backend: Backend,
  stack: string,
  { now = Date.now, displayPath }: InventoryStoreOptions = {},
): InventoryStore {
  const label = { location: backend.location, displayPath };
  const salt = randomBytes(32).toString("hex");
  const readHere = () => readInventory(backend.load, label.location, { stack, salt });
  const calls = () => backend.calls?.() ?? 0;
  const taken = { read: 0, owners: 0 };
  /** Counts the calls of a read, which tell what the same read takes later. */
  const counted = async <T>(what: keyof typeof taken, read: () => Promise<T>): Promise<T> => {
    const before = calls();
    const result = await read();
    if (calls() > before) taken[what] = calls() - before;
    return result;
  };
  const ownersOf: InventoryStore["ownersOf"] = (origin, objects) =>
    counted("owners", () => ownersBeside(backend, { stack, origin, objects }));
  const lock = async (purpose: string, origin?: string): Promise<InventoryLock> => {
    const result = await acquireLease(backend.lock, lockRequest(purpose, now()));
    if ("holder" in result) throw lockedError(label, result.holder);
    const info = result.acquired;
    const release = async () => void (await backend.lock.release(info.id));
    const { written, inventory, hasJournal } = await releaseOnFailure({ release }, readHere);
    const bound = { ...written, origin: written.origin ?? origin };
    const held = new HeldLock({ backend, label, info, inventory, written: bound, ownersOf, now });
    // What a killed run had begun becomes a part of the inventory, so that each journal has one writer.
    const newest = inventory.runs?.at(-1);
    const runs = newest && { runs: trimRuns(inventory.runs, newest) };
    if (hasJournal)
      held.inventory = await releaseOnFailure(held, () => held.write({ ...inventory, ...runs }));
    return held;
  };
  return {
    location: backend.location,
    read: async () => (await counted("read", readHere)).inventory,
    ownersOf,
    requireFree: async () => {
      const current = await backend.lock.holder();
      if (current !== undefined && !isOfExitedProcess(current)) throw lockedError(label, current);
    },
    lock,
    unlock: async (id, { force = false } = {}) => {
      const current = await backend.lock.holder();
      const isAlive = current?.id === id && !isOfExitedProcess(current);
      if (isAlive && !force) throw lockedError(label, current, "--yes");
      if (current?.id === id && (await backend.lock.release(id))) return;
      throw wrongLockError(label, id, current);
    },
    calls,
    callsOfRun: (run) => (backend.calls === undefined ? 0 : runCalls(run, taken)),
    close: () => backend.close(),
  };
}

/** Calls that acquire and release a lock. */
const lockCalls = 2;
/** The lock on the ownership, its check right before the write, and its release. */
const claimCalls = 3;

/**
 * Counts the lock, the read under it, the record of the run, its journal and the final write, which takes as many calls
 * as the read without its journal.
 */
function runCalls(
  { records, characters, waits, claims }: RunRecords,
  taken: { readonly read: number; readonly owners: number },
): number {
  const read = Math.max(taken.read, 2);
  const full = Math.max(
    records / limits.journalDelayRecords,
    characters / limits.journalAppendBytes,
  );
  const claimed = claims ? claimCalls + Math.max(taken.owners, 1) : 0;
  return lockCalls + read + claimed + 1 + waits + Math.floor(full) + read - 1;
}

/** The objects on one origin whose owners are read for a stack. */
interface OwnersRequest {
  readonly stack: string;
  readonly origin: string;
  readonly objects: readonly OwnedObject[];
}

/** Reads which stacks of a store, other than `stack`, own some of the objects. */
export async function ownersBeside(
  backend: Pick<Backend, "location" | "isServer" | "others">,
  { stack, origin, objects }: OwnersRequest,
): Promise<OwnerOf> {
  async function* others(): AsyncGenerator<Inventory> {
    for (const load of objects.length === 0 ? [] : await backend.others(objects)) {
      const { inventory } = await readInventory(load, backend.location, {});
      yield backend.isServer ? { ...inventory, origin: undefined } : inventory;
    }
  }
  return ownerIndexOf({ reader: stack, origin }, others());
}

/** An inventory as it was written, and with the journal since then. */
interface ReadResult {
  readonly written: Inventory;
  readonly inventory: Inventory;
  readonly hasJournal: boolean;
}

/** Reads an inventory, again where a writer replaces it meanwhile. Without a stack, it may be that of any. */
async function readInventory(
  load: LoadInventory,
  location: string,
  { stack, salt = "" }: { readonly stack?: string; readonly salt?: string },
): Promise<ReadResult> {
  for (let attempt = 0; attempt < limits.inventoryReads; attempt++) {
    const stored = await load();
    if (stored === undefined) continue;
    const { where, content } = stored;
    const journal = parseJournal(stored.journal, `journal of ${where}`);
    const written =
      content === undefined ? emptyInventory(journal, stack, salt) : inventoryOf(content, where);
    requireSameStack(stack ?? written.stack, written, where);
    const records = recordsSince(written, journal, `journal of ${where}`);
    const origin = written.origin ?? journal?.header.origin;
    const inventory = { ...replay(written, records), origin };
    return { written, inventory, hasJournal: journal !== undefined };
  }
  throw corrupt(
    location,
    "cannot be read as a whole: it keeps changing, or parts of it are missing",
    "Run the command again; if it fails again, restore the store from a copy.",
  );
}
