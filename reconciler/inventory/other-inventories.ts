// Finds the other stack of the same place that owns an object, from an index over their inventories.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Inventory } from "../model/index.ts";

const fileSuffix = ".inventory.json";

/** Returns the stack that owns an object, if another stack of the place does. */
export type OwnerIndex = (origin: string, kind: string, key: string) => string | undefined;

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
      for (const { kind, key } of Object.values(inventory.entries)) {
        owners.set(indexKey(origin, kind, key), inventory.stack);
      }
    },
    ownerOf: (origin, kind, key) =>
      owners.get(indexKey(origin, kind, key)) ?? owners.get(indexKey("", kind, key)),
  };
}

/** Fails with `refused` if `place` contains more inventories than the ownership check reads. */
export function rejectTooMany(place: string, count: number): void {
  if (count <= limits.otherInventories) return;
  throw new Failure(
    "refused",
    `${place} contains ${count} inventories; the ownership check reads at most ${limits.otherInventories}.`,
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

function indexKey(origin: string, kind: string, key: string): string {
  return JSON.stringify([origin, kind, key]);
}
