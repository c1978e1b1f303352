// Lets a stack whose inventory is in a file or a database see what the stacks own whose inventories are at the service.
import { isFailure } from "../../core/errors.ts";
import type { InventoryLock, InventoryStore } from "./store.ts";

/** Opens the inventories at the service; undefined if the server stores none. */
export type OpenServiceStore = () => Promise<InventoryStore | undefined>;

/**
 * Returns the store with the owners of the service added to its own. The service is asked only about objects that a stack
 * declares and does not own. The other direction is not possible: the service does not know a file or another database.
 */
export function withServiceOwners(
  store: InventoryStore,
  openServiceStore: OpenServiceStore,
): InventoryStore {
  let opened: ReturnType<OpenServiceStore> | undefined;
  return {
    location: store.location,
    read: () => {
      opened = undefined;
      return store.read();
    },
    owner: async (...object) =>
      (await store.owner(...object)) ?? ownerIn((opened ??= openServiceStore()), object),
    lock: async (purpose) => withOwnerCheck(await store.lock(purpose), openServiceStore),
    unlock: (id, options) => store.unlock(id, options),
    close: () => store.close(),
  };
}

async function ownerIn(
  opened: ReturnType<OpenServiceStore>,
  object: Parameters<InventoryStore["owner"]>,
): Promise<string | undefined> {
  try {
    return await (await opened)?.owner(...object);
  } catch (error) {
    // A key without permission for states sees the owners of its own store only.
    if (isFailure(error, "forbidden")) return undefined;
    throw error;
  }
}

/** Checks the owners at the service, as they are now, before a claim in the stack's own store. */
function withOwnerCheck(lock: InventoryLock, openServiceStore: OpenServiceStore): InventoryLock {
  return {
    info: lock.info,
    lost: lock.lost,
    journal: (records) => lock.journal(records),
    claim: async (origin, claims, from) => {
      const owners = new Map<string, string>();
      const opened = openServiceStore();
      for (const { address, entry } of claims) {
        const owner = await ownerIn(opened, [origin, entry.kind, entry.key]);
        if (owner !== undefined && owner !== from) owners.set(address, owner);
      }
      return owners.size > 0 ? owners : lock.claim(origin, claims, from);
    },
    write: (inventory) => lock.write(inventory),
    release: () => lock.release(),
  };
}
