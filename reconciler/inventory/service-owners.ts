// Shares ownership between stores: a stack with its inventory in a file or a database registers its objects at the service.
import type { Inventory } from "../model/index.ts";
import { inventoryIdOf } from "./format.ts";
import { releaseOnFailure } from "./release-locks.ts";
import type { OtherStacks, OwnerIndex } from "./other-inventories.ts";
import {
  isNew,
  type LockedStack,
  type OpenServiceOwnership,
  permitted,
  registrationOf,
} from "./registration.ts";
import type { InventoryLock, InventoryStore, LocalStore } from "./store.ts";
import { refusedClaims } from "./refused-claims.ts";

/** Returns the store that shares ownership with all stacks of the server. */
export function withServiceOwners(
  store: LocalStore,
  stack: string,
  open: OpenServiceOwnership,
): InventoryStore {
  let found: Promise<OwnerIndex | undefined> | undefined;
  let inventory: Promise<Inventory> | undefined;
  const own = async (origin: string): Promise<OtherStacks> =>
    otherStacksOf(store, { stack, origin, inventory: await (inventory ??= store.read()) });
  const ownersElsewhere = (): Promise<OwnerIndex | undefined> =>
    (found ??= permitted(async () => {
      const service = await open();
      return service && (await service.owners(await own(service.origin)));
    }));
  return {
    location: store.location,
    read: () => {
      found = undefined;
      return (inventory = store.read());
    },
    owner: async (origin, object) =>
      (await store.owner(origin, object)) ?? (await ownersElsewhere())?.(origin, object),
    sharesOwnership: async () => (await ownersElsewhere()) !== undefined,
    requireFree: () => store.requireFree(),
    lock: async (purpose) => {
      const lock = await store.lock(purpose);
      const locked = await releaseOnFailure(lock, () => store.read());
      return sharingLock(lock, { store, stack, locked, open });
    },
    unlock: (id, options) => store.unlock(id, options),
    close: () => store.close(),
  };
}

interface OwnStack {
  readonly stack: string;
  /** The address of the server that registers the claims. */
  readonly origin: string;
  readonly inventory: Inventory;
}

/**
 * The store itself knows the owners among its stacks. A lost inventory counts as this stack's while the current one is
 * new, so that `adopt` can rebuild it.
 */
async function otherStacksOf(
  store: LocalStore,
  { stack, origin, inventory }: OwnStack,
): Promise<OtherStacks> {
  const ids = new Set([...(await store.inventoryIds(origin)), inventoryIdOf(inventory)]);
  return { isOwn: (claims) => ids.has(claims.id) || (isNew(inventory) && claims.stack === stack) };
}

interface SharedInventory extends LockedStack {
  readonly store: LocalStore;
}

/**
 * Registers the objects that the stack owns: adoptions by compare-and-swap, creates before they are sent, and the rest
 * at the end.
 */
function sharingLock(lock: InventoryLock, shared: SharedInventory): InventoryLock {
  const register = registrationOf(shared);
  return {
    info: lock.info,
    lost: lock.lost,
    journal: async (records) => {
      await register.add(records);
      await lock.journal(records);
    },
    claim: async (origin, claims, from) => {
      const service = await shared.open();
      const claimHere = () => lock.claim(origin, claims, from);
      if (service === undefined) return claimHere();
      const { store, stack, locked } = shared;
      const own = await otherStacksOf(store, { stack, origin, inventory: locked });
      const claimed = await permitted(() =>
        service.withOwners(own, async (ownerOf, requireHeld) => {
          const refused = refusedClaims(ownerOf, { origin, claims, from });
          if (refused.size > 0) return refused;
          await requireHeld();
          await register.add(claims);
          const owners = await claimHere();
          if (owners.size > 0) await register.drop(claims);
          return owners;
        }),
      );
      return claimed ?? claimHere();
    },
    write: async (inventory) => {
      const next = await lock.write(inventory);
      await register.settle(next);
      return next;
    },
    release: () => lock.release(),
  };
}
