// Formats the inventory of a stack as text.
import { readableKey } from "../../core/kind/identity.ts";
import type { InventoryContent, OwnedObject } from "../verbs/inventory-show.ts";
import { escapeInvisible, pluralize } from "../../core/text/escape-text.ts";

/** Formats one line per object, then the totals. */
export function inventoryText({ stack, backend, serial, objects }: InventoryContent): string {
  const total = `Stack ${escapeInvisible(stack)} owns ${pluralize(objects.length, "object")}`;
  return [...objects.map(objectLine), `${total}; inventory: ${backend}, serial ${serial}.`].join(
    "\n",
  );
}

function objectLine({ address, key, id, protected: isProtected, pending }: OwnedObject): string {
  const parts = [
    escapeInvisible(address),
    `key ${escapeInvisible(readableKey(key))}`,
    ...(id === undefined ? [] : [`id ${escapeInvisible(id)}`]),
    ...(isProtected ? ["protected"] : []),
    ...(pending ? ["create not finished"] : []),
  ];
  return parts.join("  ");
}
