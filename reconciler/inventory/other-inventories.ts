// Which other stacks of the same place own an object: their inventories, read once and indexed.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Inventory } from "../model/index.ts";

const fileSuffix = ".inventory.json";

/** Answers the stack that owns an object, if another stack of the place does. */
export type OwnerIndex = (origin: string, kind: string, key: string) => string | undefined;

/** Indexes what the inventories of other stacks own, for the stack of this name. */
export function indexOwners(others: Iterable<Inventory>, stack: string): OwnerIndex {
  const owners = new Map<string, string>();
  for (const inventory of others) {
    if (inventory.stack === stack) continue;
    // A first run that crashed has not said its origin yet; what it began may be on this one.
    const origin = inventory.origin ?? "";
    for (const { kind, key } of Object.values(inventory.entries)) {
      owners.set(indexKey(origin, kind, key), inventory.stack);
    }
  }
  return (origin, kind, key) =>
    owners.get(indexKey(origin, kind, key)) ?? owners.get(indexKey("", kind, key));
}

/** Fails with `refused` where `place` holds more inventories than can be looked through. */
export function rejectTooMany(place: string, count: number): void {
  if (count <= limits.otherInventories) return;
  throw new Failure(
    "refused",
    `${place} holds ${count} inventories; at most ${limits.otherInventories} can be looked through for who owns what.`,
    { details: { place, count }, remedy: "Keep unrelated stacks in places apart." },
  );
}

/** The paths of the inventories that lie beside the one at `path`. Fails with `refused` where there are too many. */
export function otherInventoryPaths(path: string): readonly string[] {
  const folder = dirname(path);
  const own = basename(path);
  if (!existsSync(folder)) return [];
  // A first run that crashed has left a journal alone.
  const found = readdirSync(folder).map((name) => name.replace(/\.journal$/, ""));
  const names = [...new Set(found)].filter((name) => name.endsWith(fileSuffix) && name !== own);
  rejectTooMany(folder, names.length);
  return names.toSorted().map((name) => join(folder, name));
}

function indexKey(origin: string, kind: string, key: string): string {
  return JSON.stringify([origin, kind, key]);
}
