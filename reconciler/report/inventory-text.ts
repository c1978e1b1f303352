// Formats the inventory of a stack as text.
import { readableKey } from "../../core/kind/identity.ts";
import { alignColumns } from "../../core/text/align-columns.ts";
import type { InventoryContent, OwnedObject } from "../verbs/inventory-show.ts";
import { escapeInvisible, pluralize } from "../../core/text/escape-text.ts";

/** Formats a table with a line for each object, then the totals. */
export function inventoryText({ stack, backend, serial, objects }: InventoryContent): string {
  const total = `Stack ${escapeInvisible(stack)} owns ${pluralize(objects.length, "object")}`;
  const rows = [["ADDRESS", "KEY", "ID", "STATE"], ...objects.map(objectRow)];
  return [
    ...(objects.length === 0 ? [] : alignColumns(rows)),
    `${total}; inventory: ${backend}, serial ${serial}.`,
  ].join("\n");
}

function objectRow({ address, key, id = "-", protected: isProtected, pending }: OwnedObject) {
  const state = [
    ...(isProtected ? ["protected"] : []),
    ...(pending ? ["create not finished"] : []),
  ];
  return [...[address, readableKey(key), id].map(escapeInvisible), state.join(", ") || "-"];
}
