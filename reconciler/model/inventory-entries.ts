// Lists the entries of an inventory. Listing the members of a large object is slow, so each inventory is listed once.
import type { Entry, Inventory } from "./index.ts";

type Entries = Inventory["entries"];

/** Returns the entries with their addresses, in the order of the inventory. */
export const listEntries = listOnce(
  (entries): readonly (readonly [address: string, entry: Entry])[] => Object.entries(entries),
);

/** Returns the addresses of the entries. */
export const ownedAddresses = listOnce((entries): readonly string[] =>
  listEntries(entries).map(([address]) => address),
);

/** Returns the entries by kind. */
export const entriesByKind = listOnce((entries): ReadonlyMap<string, readonly Entry[]> =>
  Map.groupBy(
    listEntries(entries).map(([, entry]) => entry),
    ({ kind }) => kind,
  ),
);

/** Keeps what `list` returns as long as the inventory, which does not change after it was read. */
function listOnce<List extends object>(
  list: (entries: Entries) => List,
): (entries: Entries) => List {
  const known = new WeakMap<Entries, List>();
  return (entries) => {
    const before = known.get(entries);
    if (before !== undefined) return before;
    const made = list(entries);
    known.set(entries, made);
    return made;
  };
}
