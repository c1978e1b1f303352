// Finds the other stack of a store that owns an object, from an index over their inventories.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Inventory } from "../model/index.ts";
import type { ClaimRecord, OwnedObject } from "./store.ts";

/** Returns the stack that owns an object, if another stack of the store does. */
export type OwnerIndex = (origin: string, object: OwnedObject) => string | undefined;

/**
 * Indexes the inventories of the stacks other than `reader`, of which a folder may have a copy. An inventory without an
 * origin may be about objects of any.
 */
export async function ownerIndexOf(
  reader: string,
  inventories: AsyncIterable<Inventory>,
): Promise<OwnerIndex> {
  const owners = new Map<string, string>();
  for await (const { stack, origin = "", entries } of inventories) {
    if (stack === reader) continue;
    for (const object of Object.values(entries))
      for (const key of indexKeys(origin, object)) owners.set(key, stack);
  }
  return (origin, object) =>
    [...indexKeys(origin, object), ...indexKeys("", object)]
      .map((key) => owners.get(key))
      .find((owner) => owner !== undefined);
}

/** Returns the owner of each claimed object that another stack owns, by address; `from` may own it. */
export function refusedClaims(
  ownerOf: OwnerIndex,
  origin: string,
  { claims, from }: { readonly claims: readonly ClaimRecord[]; readonly from?: string | undefined },
): ReadonlyMap<string, string> {
  return new Map(
    claims.flatMap(({ address, entry }) => {
      const owner = ownerOf(origin, entry);
      return owner === undefined || owner === from ? [] : [[address, owner] as const];
    }),
  );
}

/** Fails with `refused` if `place` contains more inventories than the ownership check reads. */
export function rejectTooMany(place: string, count: number): void {
  if (count <= limits.otherInventories) return;
  throw new Failure(
    "refused",
    `${place} contains ${count} inventories; the ownership check reads at most ${limits.otherInventories}`,
    { details: { place, count }, remedy: "Keep unrelated stacks in separate places." },
  );
}

/** An object is found by its key, and by its ID if it is known. */
function indexKeys(origin: string, { kind, key, id }: OwnedObject): readonly string[] {
  const byKey = JSON.stringify([origin, kind, key]);
  return id === undefined ? [byKey] : [byKey, JSON.stringify([origin, kind, "id", id])];
}
