// Finds which objects of a plan other stacks of the same store own.
import { observedObjectOf } from "../engine/observe.ts";
import type { Client } from "../../client/types.ts";
import { keyOf } from "../../core/identity.ts";
import type { InventoryStore } from "../inventory/store.ts";
import { objectsByAddress } from "../model/desired-objects.ts";
import { listEntries } from "../model/inventory-entries.ts";
import type { DesiredState, Inventory, LiveState } from "../model/index.ts";

interface StackAccess {
  readonly desired: DesiredState;
  readonly store: Pick<InventoryStore, "owner">;
  readonly client: Pick<Client, "origin">;
}

/**
 * Returns the desired objects that name a live object of another stack in the same store, and the entries whose object
 * another stack took over.
 */
export async function otherStacks(
  { desired, store, client }: StackAccess,
  { live, inventory }: { live: LiveState; inventory: Inventory },
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { address, kind, key } of desired.objects) {
    const foreign =
      inventory.entries[address]?.key !== key && live.get(kind.name)?.byKey.has(key) === true;
    const owner = foreign ? await store.owner(client.origin, kind.name, key) : undefined;
    if (owner !== undefined) found.set(address, owner);
  }
  for (const [address, { kind, key, movingTo }] of listEntries(inventory.entries)) {
    if (movingTo === undefined) continue;
    // A hand-over that was interrupted before the other stack recorded the object did not happen.
    const owner = await store.owner(client.origin, kind, key);
    if (owner === movingTo) found.set(address, owner);
  }
  for (const [address, kind, key] of objectsToPrune(desired, inventory, live)) {
    // An entry that names the object of another stack, as an edited inventory does, must not delete it.
    const owner = await store.owner(client.origin, kind, key);
    if (owner !== undefined) found.set(address, owner);
  }
  return found;
}

/**
 * Returns the entries of live objects that may be deleted, each with the kind and the natural key of its object: those
 * whose address or whose key no document has.
 */
function objectsToPrune(
  { objects, stack }: DesiredState,
  { entries }: Inventory,
  live: LiveState,
): readonly (readonly [address: string, kind: string, key: string])[] {
  if (!stack.policy.prune) return [];
  const declared = objectsByAddress(objects);
  return listEntries(entries).flatMap(([address, entry]) => {
    if (declared.get(address)?.key === entry.key) return [];
    const kind = live.get(entry.kind)?.kind;
    const observed = kind && observedObjectOf(kind, entry, live);
    if (kind === undefined || observed === undefined) return [];
    return [[address, kind.name, keyOf(kind, observed.spec)] as const];
  });
}
