// The inventories that accompany a stack's own: the record of its pipelines, and the lock of a running promotion. They move with it.
import type { Stores } from "./open-stores.ts";
import type { InventoryStore } from "./store.ts";

/** Suffixes of inventory names. Stack names cannot contain `@`, so they never collide with a stack's inventory. */
export const storeSuffixes = { record: "@promotions", running: "@promoting" } as const;

/** Returns the store for the records of a stack's pipelines. */
export function recordStore({
  companionStore: beside,
}: Pick<Stores, "companionStore">): Promise<InventoryStore> {
  return beside(storeSuffixes.record);
}

/** Returns the store that holds only the lock of the running promotion. */
export function promotionLockStore({
  companionStore: beside,
}: Pick<Stores, "companionStore">): Promise<InventoryStore> {
  return beside(storeSuffixes.running);
}
