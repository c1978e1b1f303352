// Finds the other stack of the same place that owns an object, from an index over their inventories.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Inventory } from "../model/index.ts";
import type { OwnedObject } from "./store.ts";

const fileSuffix = ".inventory.json";

/** Returns the stack that owns an object, if another stack of the place does. */
export type OwnerIndex = (origin: string, object: OwnedObject) => string | undefined;

/** An index over the inventories of other stacks. */
export interface OwnerIndexBuilder {
  readonly add: (inventory: Inventory) => void;
  readonly ownerOf: OwnerIndex;
}

/** Creates an index for the stack of this name, which ignores the stack's own inventory. */
export function createOwnerIndex(stack: string): OwnerIndexBuilder {
  const owners = new Map<string, string>();
  return {
    add: (inventory) => {
      if (inventory.stack === stack) return;
      // The journal of a crashed first run does not name the origin; its objects may be on any.
      const origin = inventory.origin ?? "";
      for (const object of Object.values(inventory.entries))
        for (const name of namesOf(object)) owners.set(indexKey(origin, name), inventory.stack);
    },
    ownerOf: (origin, object) => {
      for (const name of namesOf(object)) {
        const owner = owners.get(indexKey(origin, name)) ?? owners.get(indexKey("", name));
        if (owner !== undefined) return owner;
      }
      return undefined;
    },
  };
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

/** Returns the paths of the inventories beside the one at `path`. Fails with `refused` if there are too many. */
export function otherInventoryPaths(path: string): readonly string[] {
  const folder = dirname(path);
  const own = basename(path);
  if (!existsSync(folder)) return [];
  // A crashed first run leaves only a journal.
  const found = readdirSync(folder).map((name) => name.replace(/\.journal$/, ""));
  const names = [...new Set(found)].filter((name) => name.endsWith(fileSuffix) && name !== own);
  rejectTooMany(folder, names.length);
  return names.toSorted().map((name) => join(folder, name));
}

/** Returns the identifiers of an object: its key, and its ID if it is known. */
function namesOf({ kind, key, id }: OwnedObject): readonly (readonly string[])[] {
  const byKey = [kind, key];
  return id === undefined ? [byKey] : [byKey, [kind, "id", id]];
}

function indexKey(origin: string, name: readonly string[]): string {
  return JSON.stringify([origin, ...name]);
}
