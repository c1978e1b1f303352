// Finds the other stack of the same place that owns an object, from an index over their inventories.
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Inventory } from "../model/index.ts";
import type { OtherClaims } from "./claims-register.ts";
import { inventoryIdOf } from "./format.ts";
import type { OwnedObject } from "./store.ts";

const fileSuffix = ".inventory.json";

/** Returns the stack that owns an object, if another stack of the place does. */
export type OwnerIndex = (origin: string, object: OwnedObject) => string | undefined;

/** An index over the inventories of other stacks. */
export interface OwnerIndexBuilder {
  readonly add: (inventory: Inventory) => void;
  /** Adds the claims of an inventory in another store. */
  readonly addClaims: (claims: OtherClaims) => void;
  readonly ownerOf: OwnerIndex;
  /**
   * Returns the IDs of the added inventories whose objects `ownerOf` finds at this origin. Others may belong to the
   * same server under a former address; their claims show that.
   */
  readonly idsAt: (origin: string) => ReadonlySet<string>;
}

/** Separates the claims of other stores from the claims of a stack's own store. */
export interface OtherStacks {
  readonly isOwn: (claims: Pick<OtherClaims, "id" | "stack">) => boolean;
}

/** Creates an index for the stack of this name, which ignores the stack's own inventory. */
export function createOwnerIndex(stack: string): OwnerIndexBuilder {
  const owners = new Map<string, string>();
  const origins = new Map<string, string>();
  const addOwner = (owner: string, origin: string, objects: Iterable<OwnedObject>): void => {
    for (const object of objects)
      for (const name of namesOf(object)) owners.set(indexKey(origin, name), owner);
  };
  return {
    idsAt: (origin) =>
      new Set([...origins].filter(([, at]) => at === "" || at === origin).map(([id]) => id)),
    addClaims: ({ stack: owner, state, objects }) => {
      // They belong to the server that registers them, regardless of its address.
      addOwner(registeredOwner(owner, state), "", objects);
    },
    add: (inventory) => {
      // The journal of a crashed first run does not name the origin; its objects may be on any.
      const origin = inventory.origin ?? "";
      origins.set(inventoryIdOf(inventory), origin);
      if (inventory.stack === stack) return;
      addOwner(inventory.stack, origin, Object.values(inventory.entries));
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

const registeredPattern = /^(.+) \((svc-claims\.[0-9a-f]+)\)$/u;

/** Names an owner whose inventory is in another store, with the state that says so. */
function registeredOwner(stack: string, state: string): string {
  return `${stack} (${state})`;
}

/** Returns stack and state of an owner whose inventory is in another store. */
export function parseRegisteredOwner(
  owner: string,
): { readonly stack: string; readonly state: string } | undefined {
  const [, stack, state] = registeredPattern.exec(owner) ?? [];
  return stack === undefined || state === undefined ? undefined : { stack, state };
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
