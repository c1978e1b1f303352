// Lists the entries of an inventory. Listing the members of a large object is slow, so each inventory is listed once.
import { memoizePerObject } from "../../core/memoize.ts";
import type { Entry, Inventory } from "./index.ts";

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
