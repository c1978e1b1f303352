// Finds the live objects that other stacks own, so that an export does not declare them again.
import type { Client } from "../../client/types.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address } from "../../core/kind/identity.ts";
import type { InventoryStore } from "../inventory/store.ts";
import type { LiveState } from "../model/index.ts";

/** The store that knows the owners, and the server of the objects. */
export interface OwnerAccess {
  readonly store: Pick<InventoryStore, "owner">;
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
  const foreign: string[] = [];
  for (const { kind, byKey } of live.values()) {
    for (const [key, { id }] of byKey) {
      const objectAddress = address(kind.name, key);
      if (owners.has(objectAddress)) continue;
      const owner = await store.owner(client.origin, { kind: kind.name, key, id });
      if (owner !== undefined) foreign.push(objectAddress);
    }
  }
  return foreign;
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
