// Objects that the service makes along with others, such as the user of a subscription: what comes first, and what goes with them.
import { address, keyOf, scopeOf } from "../core/identity.ts";
import type { JsonObject } from "../core/json.ts";
import type { Kind } from "../core/kind.ts";
import { member } from "../core/schema.ts";
import type { Match } from "./match.ts";
import type { Change, Wish } from "./model.ts";
import { parentsOf } from "./whereabouts.ts";

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

/** The object that one of this spec brings along. */
interface Implied {
  /** Kind and natural key. */
  readonly at: string;
  /** Kind and natural key of what that object is in. */
  readonly within: readonly string[];
}

/** What an object brings along; undefined for a kind that brings nothing. */
export function impliedBy(kind: Kind, spec: JsonObject, kinds: Kinds): Implied | undefined {
  const { implies } = kind;
  const other = implies && kinds.get(implies.kind);
  if (implies === undefined || other === undefined) return undefined;
  const key = Object.fromEntries(
    other.key.map((name, at) => [name, member(spec, implies.key[at] ?? name) ?? null]),
  );
  const within = parentsOf(other, scopeOf(other, key));
  return { at: address(other.name, keyOf(other, key)), within };
}

/** A wish whose object brings one along that is declared too needs that one first: made first, it is ours. */
export function afterImplied(wishes: readonly Wish[]): readonly Wish[] {
  const kinds = new Map(wishes.map(({ kind }) => [kind.name, kind]));
  const addresses = new Map(
    wishes.map((wish) => [address(wish.kind.name, wish.key), wish.address]),
  );
  return wishes.map((wish) => {
    const implied = impliedBy(wish.kind, wish.spec, kinds);
    return needing(wish, [implied && addresses.get(implied.at)]);
  });
}

/**
 * A wish whose object brings one along that is deleted, or made anew under another key, needs that to be over: done later, it
 * would take the wished object with it.
 */
export function afterGoing(
  wishes: readonly Wish[],
  {
    kinds,
    removed,
    matchOf,
  }: {
    readonly kinds: Kinds;
    /** What happens to what is no longer declared. */
    readonly removed: readonly Change[];
    readonly matchOf: (wish: Wish) => Match;
  },
): readonly Wish[] {
  if (![...kinds.values()].some(({ implies }) => implies !== undefined)) return wishes;
  const going = new Map<string, string>();
  for (const wish of wishes) {
    const { sight } = matchOf(wish);
    const key = sight && keyOf(wish.kind, sight.spec);
    if (key !== undefined && key !== wish.key)
      going.set(address(wish.kind.name, key), wish.address);
  }
  for (const { action, kind, key, address: at, carriedBy } of removed) {
    if (action === "delete") going.set(address(kind, key), carriedBy ?? at);
  }
  return wishes.map((wish) => {
    const implied = impliedBy(wish.kind, wish.spec, kinds);
    const places = implied === undefined ? [] : [implied.at, ...implied.within];
    return needing(
      wish,
      places.map((place) => going.get(place)),
    );
  });
}

function needing(wish: Wish, more: readonly (string | undefined)[]): Wish {
  const added = more.filter((one) => one !== undefined && !wish.needs.includes(one));
  if (added.length === 0) return wish;
  return {
    ...wish,
    needs: [...wish.needs, ...added.filter((one) => one !== undefined)].toSorted(),
  };
}
