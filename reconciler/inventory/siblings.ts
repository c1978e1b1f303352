// Which other stacks of the same folder own an object: their inventories, read once and indexed.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Inventory } from "../model.ts";

const ending = ".inventory.json";

/** Answers the stack that owns an object, if another stack of the folder does. */
export type OwnerIndex = (origin: string, kind: string, key: string) => string | undefined;

/**
 * Reads every other inventory beside `path` with `readOne` and indexes what they own. Fails as `readOne` does, and with
 * `refused` when there are more than can be looked through.
 */
export function indexSiblings(
  path: string,
  stack: string,
  readOne: (sibling: string) => Inventory,
): OwnerIndex {
  const owners = new Map<string, string>();
  for (const sibling of siblingsOf(path)) {
    const inventory = readOne(sibling);
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

function siblingsOf(path: string): readonly string[] {
  const folder = dirname(path);
  const own = basename(path);
  if (!existsSync(folder)) return [];
  if (!existsSync(folder)) return [];
  // A first run that crashed has left a journal alone.
  const found = readdirSync(folder).map((name) => name.replace(/\.journal$/, ""));
  const names = [...new Set(found)].filter((name) => name.endsWith(ending) && name !== own);
  if (names.length > limits.inventorySiblings) {
    throw new Failure(
      "refused",
      `${folder} holds ${names.length} inventories; at most ${limits.inventorySiblings} can be looked through for who owns what.`,
      {
        details: { folder, count: names.length },
        remedy: "Keep unrelated stacks in folders apart.",
      },
    );
  }
  return names.toSorted().map((name) => join(folder, name));
}

function indexKey(origin: string, kind: string, key: string): string {
  return JSON.stringify([origin, kind, key]);
}
