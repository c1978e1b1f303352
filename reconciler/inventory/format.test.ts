// The format of inventory files: an inventory is written in the oldest format that has all of it.
import { expect, it } from "vitest";
import { appliedEntry, inventoryWith, town } from "../../test/support/plan-fixtures.ts";
import type { Inventory, RunChange, RunRecord } from "../model/index.ts";
import { parseInventory, renderInventory } from "./format.ts";

const entries = [appliedEntry(town, "ulm", { spec: { name: "ulm" }, id: "1" })];
const change: RunChange = {
  action: "none",
  address: "Town/ulm",
  kind: "Town",
  name: "ulm",
  key: "ulm",
};

function withRun(more: Partial<RunRecord>): Inventory {
  const run = { id: "1", verb: "apply", by: "ann", begunAt: "2026-01-31T09:30:00Z" } as const;
  return { ...inventoryWith(entries), runs: [{ ...run, counts: {}, ...more }] };
}

it.each<[string, number, Inventory]>([
  ["no run", 1, inventoryWith(entries)],
  ["a run", 2, withRun({ changes: [change] })],
  ["last-applied values", 7, withRun({ changes: [{ ...change, lastApplied: { motto: "a" } }] })],
  ["a former address", 8, withRun({ changes: [change, { ...change, formerAddress: "Town/a" }] })],
  ["a run of uncommitted manifests", 8, withRun({ dirty: true })],
])("writes %s in format %i, and reads it", (_, format, inventory) => {
  const text = [...renderInventory(inventory)].join("");
  expect(JSON.parse(text)).toMatchObject({ format });
  expect(parseInventory(text, "inventory.json")).toEqual(inventory);
});
