// Which live object and which inventory entry belong to a wish: by the id we recorded, then by natural key.
import { address } from "../core/identity.ts";
import type { Sight } from "../core/kind.ts";
import type { Entry, Inventory, Live, Wish } from "./model.ts";

/** What is known of the object behind a wish. */
export interface Match {
  readonly sight: Sight | undefined;
  readonly entry: Entry | undefined;
  /** Where the entry stands in the inventory: another address than the wish's when the document was renamed. */
  readonly entryAddress: string | undefined;
  /** Another live object that has the wish's natural key. */
  readonly rival: Rival | undefined;
}

/** A live object in the way of a wish. */
export interface Rival {
  readonly sight: Sight;
  /** Where we own it, if we do: there it is to get another key or to go. */
  readonly home: string | undefined;
}

/** Finds matches for the wishes of one stack. */
export interface Matcher {
  match(wish: Wish): Match;
  /** The very object of an entry, if it still exists: not one of the same key that somebody has made since. */
  ownSightOf(entry: Entry): Sight | undefined;
}

/** Prepares matching: entries indexed by natural key, so that a renamed document finds its object again. */
export function createMatcher(live: Live, inventory: Inventory, wishes: readonly Wish[]): Matcher {
  const wished = new Set(wishes.map((wish) => wish.address));
  const homes = new Map<string, string>();
  const owners = new Map<Sight, string>();
  const byKey = (kind: string, key: string) => live.get(kind)?.byKey.get(key);
  const sightOf = (entry: Entry) =>
    (entry.id === undefined ? undefined : live.get(entry.kind)?.byId.get(entry.id)) ??
    byKey(entry.kind, entry.key);
  const ownSightOf = (entry: Entry) => {
    const sight = sightOf(entry);
    return entry.id === undefined || sight?.id === entry.id ? sight : undefined;
  };
  for (const [home, entry] of Object.entries(inventory.entries)) {
    homes.set(address(entry.kind, entry.key), home);
    const sight = ownSightOf(entry);
    // Of two entries for one object, as a crash can leave them, the one that is still declared has it.
    if (sight !== undefined && (wished.has(home) || !owners.has(sight))) owners.set(sight, home);
  }

  function homeOf(wish: Wish): string | undefined {
    if (inventory.entries[wish.address] !== undefined) return wish.address;
    const other = homes.get(address(wish.kind.name, wish.key));
    return other !== undefined && !wished.has(other) ? other : undefined;
  }

  function match(wish: Wish): Match {
    const entryAddress = homeOf(wish);
    const entry = entryAddress === undefined ? undefined : inventory.entries[entryAddress];
    const holder = byKey(wish.kind.name, wish.key);
    const own = entry === undefined ? undefined : sightOf(entry);
    if (holder === undefined || holder === own)
      return { sight: own, entry, entryAddress, rival: undefined };
    const home = owners.get(holder);
    const isOthers = home !== undefined && home !== entryAddress;
    if (own === undefined && !isOthers)
      return { sight: holder, entry, entryAddress, rival: undefined };
    return { sight: own, entry, entryAddress, rival: { sight: holder, home } };
  }

  return { match, ownSightOf };
}
