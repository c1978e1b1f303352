// Lists the objects that a stack owns, from its inventory alone.
import { openStores } from "../inventory/open-stores.ts";
import { loadStackAlone } from "../manifest/load.ts";
import type { InventoryBackend } from "../model/index.ts";
import type { InventoryOptions } from "./inventory-admin.ts";
import type { VerbResult } from "./session.ts";

/** One object of an inventory, without its values. */
export interface OwnedObject {
  readonly address: string;
  readonly kind: string;
  /** Natural key as text. */
  readonly key: string;
  /** Id at the service, if known. */
  readonly id: string | undefined;
  /** ISO 8601. */
  readonly appliedAt: string;
  readonly protected: boolean;
  /** True if a create was started and its result is unknown; the next apply resumes it. */
  readonly pending: boolean;
}

/** Result of {@link showInventory}. */
export interface InventoryContent {
  readonly stack: string;
  readonly backend: InventoryBackend;
  /** Increases with every write. */
  readonly serial: number;
  /** Sorted by address. */
  readonly objects: readonly OwnedObject[];
}

/** Returns the objects that a stack owns. Reads only the Stack document and the inventory. */
export async function showInventory(
  options: InventoryOptions,
): Promise<VerbResult<InventoryContent>> {
  const { stack, diagnostics } = await loadStackAlone(options);
  if (stack === undefined) return { ok: false, diagnostics };
  await using stores = openStores(stack, options);
  const backend = await stores.place();
  const { serial, entries } = await (await stores.stackStore()).read();
  const objects = Object.entries(entries)
    .map(([address, { kind, key, id, appliedAt, lifecycle, pending }]): OwnedObject => {
      const isProtected = lifecycle?.protect === true;
      return {
        address,
        kind,
        key,
        id,
        appliedAt,
        protected: isProtected,
        pending,
      };
    })
    .toSorted((left, right) => (left.address < right.address ? -1 : 1));
  return { ok: true, diagnostics, stack: stack.name, backend, serial, objects };
}
