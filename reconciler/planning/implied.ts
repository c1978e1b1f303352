// The order among objects that the service makes and deletes along with others, such as the user of a subscription.
import { address, keyOf } from "../../core/identity.ts";
import type { Kind } from "../../core/kind.ts";
import { bondedTo, bondsOf, impliedBy } from "./goes-with.ts";
import type { Match } from "./match.ts";
import type { Change, Wish } from "../model.ts";

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

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
 * A wish whose object goes along with another one that is deleted or made anew needs that to be over: done later, it would take
 * the wished object with it. That other one is what it brings along, or what a field of it names.
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
  const bound = (kind: Kind) => kind.implies !== undefined || bondsOf(kind).length > 0;
  if (!wishes.some(({ kind }) => bound(kind))) return wishes;
  const going = new Map<string, string>();
  const staying = new Map<string, string>();
  for (const wish of wishes) {
    const { sight } = matchOf(wish);
    const key = sight && keyOf(wish.kind, sight.spec);
    if (key === undefined) continue;
    (key === wish.key ? staying : going).set(address(wish.kind.name, key), wish.address);
  }
  for (const { action, kind, key, address: at, carriedBy } of removed) {
    if (action === "delete") going.set(address(kind, key), carriedBy ?? at);
  }
  return wishes.map((wish) => {
    if (!bound(wish.kind)) return wish;
    const implied = impliedBy(wish.kind, wish.spec, kinds);
    const places = implied === undefined ? [] : [implied.at, ...implied.within];
    const { sight } = matchOf(wish);
    const holders = sight === undefined ? [] : bondedTo(wish.kind, sight.spec, kinds);
    return needing(wish, [
      ...places.map((place) => going.get(place)),
      // One that stays may still be made anew under the name that it has.
      ...holders.map((holder) => going.get(holder) ?? staying.get(holder)),
    ]);
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
