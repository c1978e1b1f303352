// Finds the other stacks of a store that own objects, from an index over the inventories that may have them.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Inventory } from "../model/index.ts";
import type { Claim, OwnedObject, OwnerOf } from "./store.ts";

/**
 * Indexes the inventories of the stacks other than `reader`, of which a folder may have a copy, for objects at `origin`. An
 * inventory without an origin may be about objects of any.
 */
export async function ownerIndexOf(
  { reader, origin }: { readonly reader: string; readonly origin: string },
  inventories: AsyncIterable<Inventory>,
): Promise<OwnerOf> {
  const owners = new Map<string, string>();
  for await (const { stack, origin: at = origin, entries } of inventories) {
    if (stack === reader || at !== origin) continue;
    for (const object of Object.values(entries))
      for (const key of indexKeys(object)) owners.set(key, stack);
  }
  return (object) =>
    indexKeys(object)
      .map((key) => owners.get(key))
      .find((owner) => owner !== undefined);
}

/** Returns the owner of each claimed object that another stack owns, by address; `from` may own it. */
export function otherOwners(
  ownerOf: OwnerOf,
  { entries, from }: Claim,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const [address, entry] of Object.entries(entries)) {
    const owner = ownerOf(entry);
    if (owner !== undefined && owner !== from) owners.set(address, owner);
  }
  return owners;
}

/**
 * Returns texts of which an inventory of the written format has one as a JSON string if it owns one of the objects.
 * Undefined if they are too many or too long to search for.
 */
export function textsOfOwners(objects: readonly OwnedObject[]): string[] | undefined {
  const names = objects.flatMap(({ key, id }) => (id === undefined ? [key] : [key, id]));
  const texts = [...new Set(names)];
  const isLong = (text: string): boolean => text.length > limits.searchedTextCharacters;
  return texts.length > limits.searchedTexts || texts.some(isLong) ? undefined : texts;
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
function indexKeys({ kind, key, id }: OwnedObject): readonly string[] {
  const byKey = JSON.stringify([kind, key]);
  return id === undefined ? [byKey] : [byKey, JSON.stringify([kind, "id", id])];
}
