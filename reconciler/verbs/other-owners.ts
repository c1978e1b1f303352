// Finds which objects of a plan other stacks of the same store own.
import { observedObjectOf } from "../engine/observe.ts";
import type { Client } from "../../client/types.ts";
import { keyOf } from "../../core/kind/identity.ts";
import type { InventoryStore, OwnedObject } from "../inventory/store.ts";
import { listEntries, objectsByAddress } from "../model/stack-index.ts";
import type { DesiredState, Inventory, LiveState } from "../model/index.ts";

interface StackAccess {
  readonly desired: DesiredState;
  readonly store: Pick<InventoryStore, "ownersOf">;
  readonly client: Pick<Client, "origin">;
}

/**
 * Returns the desired objects that name a live object of another stack in the same store, and the entries whose object
 * another stack adopted.
 */
export async function otherStacks(
  { desired, store, client }: StackAccess,
  { live, inventory }: { live: LiveState; inventory: Inventory },
): Promise<Map<string, string>> {
  const questions: OwnerQuestion[] = [];
  for (const { address, kind, key } of desired.objects) {
    const observed = live.get(kind.name)?.byKey.get(key);
    if (observed === undefined || inventory.entries[address]?.key === key) continue;
    questions.push({ address, object: { kind: kind.name, key, id: observed.id } });
  }
  for (const [address, entry] of listEntries(inventory.entries)) {
    // A hand-over that was interrupted before the other stack recorded the object did not happen.
    if (entry.movingTo !== undefined)
      questions.push({ address, object: entry, expected: entry.movingTo });
  }
  // An entry that names the object of another stack, as an edited inventory does, must not delete it.
  questions.push(...objectsToPrune(desired, inventory, live));
  const ownerOf = await store.ownersOf(
    client.origin,
    questions.map(({ object }) => object),
  );
  const owners = new Map<string, string>();
  for (const { address, object, expected } of questions) {
    const owner = ownerOf(object);
    if (owner !== undefined && owner === (expected ?? owner)) owners.set(address, owner);
  }
  return owners;
}

/** Asks which stack owns an object. Another answer than the expected one does not count. */
interface OwnerQuestion {
  readonly address: string;
  readonly object: OwnedObject;
  readonly expected?: string;
}

/** Asks for the entries of live objects that may be deleted: those whose address or whose key no document has. */
function objectsToPrune(
  { objects, stack }: DesiredState,
  { entries }: Inventory,
  live: LiveState,
): readonly OwnerQuestion[] {
  if (!stack.policy.prune) return [];
  const declared = objectsByAddress(objects);
  return listEntries(entries).flatMap(([address, entry]) => {
    if (declared.get(address)?.key === entry.key) return [];
    const kind = live.get(entry.kind)?.kind;
    const observed = kind && observedObjectOf(kind, entry, live);
    if (kind === undefined || observed === undefined) return [];
    const object = { kind: kind.name, key: keyOf(kind, observed.spec), id: observed.id };
    return [{ address, object }];
  });
}
