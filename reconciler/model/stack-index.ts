// Lists and indexes the entries and the declared objects of a stack. Listing the members of a large object is slow, and its maps
// take much memory, so each is made once.
import { parseAddress } from "../../core/kind/identity.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import type { Change, DesiredObject, Entry, Inventory } from "./index.ts";

type Entries = Inventory["entries"];

/** Returns the entries with their addresses, in the order of the inventory. */
export const listEntries = memoizePerObject(
  (entries: Entries): readonly (readonly [address: string, entry: Entry])[] =>
    Object.entries(entries),
);

/** Returns the addresses of the entries. */
export const ownedAddresses = memoizePerObject((entries: Entries): readonly string[] =>
  listEntries(entries).map(([address]) => address),
);

/** Returns the entries by kind. */
export const entriesByKind = memoizePerObject(
  (entries: Entries): ReadonlyMap<string, readonly Entry[]> =>
    Map.groupBy(
      listEntries(entries).map(([, entry]) => entry),
      ({ kind }) => kind,
    ),
);

/** Returns the declared objects by address. */
export const objectsByAddress = memoizePerObject(
  (objects: readonly DesiredObject[]): ReadonlyMap<string, DesiredObject> =>
    new Map(objects.map((object) => [object.address, object])),
);

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
  const staying = listEntries(inventory.entries).filter(([address]) => !leaving.has(address));
  const arriving = [...formerAddresses].flatMap(([address, former]) => {
    const entry = inventory.entries[former];
    const name = parseAddress(address)?.name;
    return entry && name !== undefined ? [[address, { ...entry, name }] as const] : [];
  });
  return { ...inventory, entries: Object.fromEntries([...staying, ...arriving]) };
}
