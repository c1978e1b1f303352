// Implements the inventory of a stack over a backend: reading, locking, breaking locks, and the owners of objects.
import { randomBytes } from "node:crypto";
import { limits } from "../../core/limits/limits.ts";
import type { Inventory } from "../model/index.ts";
import type { Backend, LoadInventory } from "./backend.ts";
import { corrupt, inventoryOf, requireSameStack } from "./format.ts";
import { HeldLock } from "./inventory-lock.ts";
import { emptyInventory, parseJournal, recordsSince, replay, trimRuns } from "./journal.ts";
import { acquireLease, isOfExitedProcess, isUnused, lockRequest, releaseLease } from "./leases.ts";
import { liveLockError, lockedError, wrongLockError } from "./lock-messages.ts";
import { type OwnerIndex, ownerIndexOf } from "./owner-index.ts";
import { releaseOnFailure } from "./release-locks.ts";
import type { InventoryLock, InventoryStore } from "./store.ts";

/** Options of {@link inventoryStore}. */
export interface InventoryStoreOptions {
  /** Milliseconds since 1970; the holder of a lock checks its lease with it. */
  readonly now?: () => number;
  /** The lock holder as others read it; user, host and process by default. */
  readonly holder?: string;
  /** The stack's folder as commands in messages name it; left out if it is the current one. */
  readonly displayPath?: string | undefined;
}

/** Opens the inventory of `stack` in a backend. Fails with `corrupt` for a damaged one, another format or another stack. */
export function inventoryStore(
  backend: Backend,
  stack: string,
  { now = Date.now, holder, displayPath }: InventoryStoreOptions = {},
): InventoryStore {
  const label = { location: backend.location, displayPath };
  const salt = randomBytes(32).toString("hex");
  const readHere = () => readInventory(backend.load, label.location, { stack, salt });
  const readOwners = () => ownersBeside(backend, stack);
  let owners: Promise<OwnerIndex> | undefined;
  const lock = async (purpose: string, origin?: string): Promise<InventoryLock> => {
    owners = undefined;
    const result = await acquireLease(backend.lock, lockRequest(purpose, { holder, now: now() }));
    if ("holder" in result) throw lockedError(label, result.holder);
    const info = result.acquired;
    const release = async () => void (await releaseLease(backend.lock, info.id));
    const { written, inventory, hasJournal } = await releaseOnFailure({ release }, readHere);
    const bound = { ...written, origin: written.origin ?? origin };
    const held = new HeldLock({ backend, label, info, written: bound, readOwners, now });
    // What a killed run had begun becomes a part of the inventory, so that each journal has one writer.
    const newest = inventory.runs?.at(-1);
    const runs = newest && { runs: trimRuns(inventory.runs, newest) };
    if (hasJournal) await releaseOnFailure(held, () => held.write({ ...inventory, ...runs }));
    return held;
  };
  return {
    location: backend.location,
    read: async () => {
      owners = undefined;
      return (await readHere()).inventory;
    },
    owner: async (origin, object) => (await (owners ??= readOwners()))(origin, object),
    requireFree: async () => {
      const current = await backend.lock.holder();
      if (current !== undefined && !isUnused(current)) throw lockedError(label, current);
    },
    lock,
    unlock: async (id, { force = false } = {}) => {
      const current = await backend.lock.holder();
      const isAlive = current?.id === id && !isOfExitedProcess(current);
      if (isAlive && !force) throw liveLockError(label, current);
      if (current?.id === id && (await backend.lock.release(id))) return;
      throw wrongLockError(label, id, current);
    },
    close: () => backend.close(),
  };
}

/** Reads the owners of the objects of the other stacks of a store. */
export function ownersBeside(
  backend: Pick<Backend, "location" | "isServer" | "others">,
  stack: string,
): Promise<OwnerIndex> {
  async function* others(): AsyncGenerator<Inventory> {
    for (const load of await backend.others()) {
      const { inventory } = await readInventory(load, backend.location, {});
      yield backend.isServer ? { ...inventory, origin: undefined } : inventory;
    }
  }
  return ownerIndexOf(stack, others());
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
