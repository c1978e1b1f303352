// Moves inventory entries to the addresses that documents have for their objects now.
import { parseAddress } from "../../core/kind/identity.ts";
import { listEntries } from "./inventory-entries.ts";
import type { Change, Inventory } from "./index.ts";

/** Returns the former addresses of the entries that the changes move, by new address. */
export function formerAddressesOf(changes: readonly Change[]): ReadonlyMap<string, string> {
  return new Map(
    changes.flatMap(({ address, formerAddress: former }) =>
      former === undefined ? [] : [[address, former] as const],
    ),
  );
}

/** Returns the inventory with these entries at their new addresses; the same one if none moves. */
export function withMovedEntries(
  inventory: Inventory,
  formerAddresses: ReadonlyMap<string, string>,
): Inventory {
  if (formerAddresses.size === 0) return inventory;
  const leaving = new Set(formerAddresses.values());
  const staying = listEntries(inventory.entries).filter(([at]) => !leaving.has(at));
  const moved = [...formerAddresses].flatMap(([at, former]) => {
    const entry = inventory.entries[former];
    const name = parseAddress(at)?.name;
    return entry && name !== undefined ? [[at, { ...entry, name }] as const] : [];
  });
  return { ...inventory, entries: Object.fromEntries([...staying, ...moved]) };
}
