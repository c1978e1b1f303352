// The order among objects that the service makes and deletes along with others, such as the user of a subscription.
import { address, keyOf } from "../../core/identity.ts";
import type { Kind } from "../../core/kind.ts";
import {
  referencedCascadeParents,
  cascadeReferencesOf,
  impliedObjectOf,
} from "../engine/cascade-rules.ts";
import type { Match } from "../engine/match.ts";
import type { Change, DesiredObject } from "../model/index.ts";

/** Kinds by name. */
type Kinds = ReadonlyMap<string, Kind>;

/** A wish whose object brings one along that is declared too needs that one first: made first, it is ours. */
export function withImpliedDependencies(
  wishes: readonly DesiredObject[],
): readonly DesiredObject[] {
  const kinds = new Map(wishes.map(({ kind }) => [kind.name, kind]));
  const addresses = new Map(
    wishes.map((wish) => [address(wish.kind.name, wish.key), wish.address]),
  );
  return wishes.map((wish) => {
    const implied = impliedObjectOf(wish.kind, wish.spec, kinds);
    return withDependencies(wish, [implied && addresses.get(implied.objectAddress)]);
  });
}

/**
 * A wish whose object goes along with another one that is deleted or made anew needs that to be over: done later, it would take
 * the wished object with it. That other one is what it brings along, or what a field of it names.
 */
export function withCascadeDependencies(
  wishes: readonly DesiredObject[],
  {
    kinds,
    removed,
    matchOf,
  }: {
    readonly kinds: Kinds;
    /** What happens to what is no longer declared. */
    readonly removed: readonly Change[];
    readonly matchOf: (wish: DesiredObject) => Match;
  },
): readonly DesiredObject[] {
  const bound = (kind: Kind) =>
    kind.createsImplicitly !== undefined || cascadeReferencesOf(kind).length > 0;
  if (!wishes.some(({ kind }) => bound(kind))) return wishes;
  const going = new Map<string, string>();
  const staying = new Map<string, string>();
  for (const wish of wishes) {
    const { observed: sight } = matchOf(wish);
    const key = sight && keyOf(wish.kind, sight.spec);
    if (key === undefined) continue;
    (key === wish.key ? staying : going).set(address(wish.kind.name, key), wish.address);
  }
  for (const { action, kind, key, address: at, cascadedBy: carriedBy } of removed) {
    if (action === "delete") going.set(address(kind, key), carriedBy ?? at);
  }
  return wishes.map((wish) => {
    if (!bound(wish.kind)) return wish;
    const implied = impliedObjectOf(wish.kind, wish.spec, kinds);
    const places = implied === undefined ? [] : [implied.objectAddress, ...implied.parents];
    const { observed: sight } = matchOf(wish);
    const holders =
      sight === undefined ? [] : referencedCascadeParents(wish.kind, sight.spec, kinds);
    return withDependencies(wish, [
      ...places.map((place) => going.get(place)),
      // One that stays may still be made anew under the name that it has.
      ...holders.map((holder) => going.get(holder) ?? staying.get(holder)),
    ]);
  });
}

function withDependencies(
  wish: DesiredObject,
  more: readonly (string | undefined)[],
): DesiredObject {
  const added = more.filter((one) => one !== undefined && !wish.dependsOn.includes(one));
  if (added.length === 0) return wish;
  return {
    ...wish,
    dependsOn: [...wish.dependsOn, ...added.filter((one) => one !== undefined)].toSorted(),
  };
}
