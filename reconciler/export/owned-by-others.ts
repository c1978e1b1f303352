// Finds the live objects that other stacks own, so that an export does not declare them again.
import type { Client } from "../../client/types.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address } from "../../core/kind/identity.ts";
import type { InventoryStore } from "../inventory/store.ts";
import type { LiveState } from "../model/index.ts";

/** The store that knows the owners, and the server of the objects. */
export interface OwnerAccess {
  readonly store: Pick<InventoryStore, "ownersOf">;
  readonly client: Pick<Client, "origin">;
}

/**
 * Returns kind and natural key of objects that are not `known` and belong to another stack of the same
 * store.
 */
export async function ownedByOthers(
  { store, client }: OwnerAccess,
  live: LiveState,
  owners: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const objects = [...live.values()]
    .flatMap(({ kind, byKey }) => [...byKey].map(([key, { id }]) => ({ kind: kind.name, key, id })))
    .filter(({ kind, key }) => !owners.has(address(kind, key)));
  const ownerOf = await store.ownersOf(client.origin, objects);
  return objects
    .filter((object) => ownerOf(object) !== undefined)
    .map(({ kind, key }) => address(kind, key));
}

/** Reports how many objects get no document. */
export function ownedByOthersNote({ length }: readonly string[]): Diagnostic[] {
  if (length === 0) return [];
  const summary =
    `${length} ` +
    `${length === 1 ? "object that another stack owns gets" : "objects that other stacks own get"} ` +
    "no document";
  return [{ code: "owned-by-other-stack", severity: "info", summary }];
}
