// Tests the format of inventory files, and which inventories are refused.
import { describe, expect, it } from "vitest";
import { appliedEntry, inventoryWith, town } from "../../test/support/plan-fixtures.ts";
import type { Entry, Inventory, RunChange, RunRecord } from "../model/index.ts";
import { inventoryOf, renderInventory } from "./format.ts";

const [address, ulm] = appliedEntry(town, "ulm", { spec: { name: "ulm" }, id: "1" });
const change: RunChange = { action: "none", address, kind: "Town", name: "ulm", key: "ulm" };
const run = { id: "1", verb: "apply", by: "ann", counts: {} } as const;
const startedAt = "2026-01-31T09:30:00Z";

function inventory(entry: Partial<Entry>, runs?: readonly RunRecord[]): Inventory {
  return { ...inventoryWith([[address, { ...ulm, ...entry }]]), ...(runs && { runs }) };
}

it.each<[string, Inventory]>([
  ["no run", inventory({})],
  ["the file of a secret", inventory({ secretTo: { file: "a\\b.key", fingerprint: "v1:f" } })],
  ["rules that remain", inventory({ lifecycle: { protect: true, onRemoval: "orphan" } })],
  ["runs", inventory({}, [{ ...run, startedAt, incomplete: 2, changes: [change, change] }])],
  [
    "the values of a run",
    inventory({}, [
      {
        ...run,
        startedAt,
        changes: [
          {
            ...change,
            action: "update",
            before: { motto: null, code: [null, { code: "v1:f" }] },
            after: { motto: "new", code: null },
            hidden: ["code"],
            references: { "Land/north": "Land/n" },
          },
          { ...change, action: "delete", unrecorded: true },
        ],
      },
    ]),
  ],
  [
    "runs that moved it, its entries or its server",
    inventory(
      {},
      (
        [
          { type: "entry-to", address, stack: "hr" },
          { type: "entry-from", address, stack: "hr" },
          { type: "name", from: "old" },
          { type: "server", from: "http://10.0.0.5", to: "https://svc.example.com" },
        ] as const
      ).map((move) => ({ ...run, verb: "move", startedAt, move, changes: [] })),
    ),
  ],
  ["a run without changes", inventory({}, [{ ...run, startedAt, dirty: true }])],
])("an inventory with %s is written in format 11 and reads as it was", (_, written) => {
  const text = [...renderInventory(written)].join("");
  const value: unknown = JSON.parse(text);
  expect(value).toMatchObject({ format: 11 });
  expect(inventoryOf(value, "inventory.json")).toEqual(written);
});

it("keeps addresses that are names of JavaScript's objects", () => {
  const text = [...renderInventory(inventory({}))].join("").replace(address, "__proto__");
  const { entries } = inventoryOf(JSON.parse(text), "inventory.json");
  expect(Object.entries(entries)).toEqual([["__proto__", ulm]]);
});

describe("an inventory is refused", () => {
  const value = { ...inventory({}), format: 11 };

  it.each([1, 10, 12])("of format %i, by name", (format) => {
    expect(() => inventoryOf({ ...value, format }, "inventory.json")).toThrow(
      `inventory.json has format ${format}, and this version of svc reads format 11`,
    );
  });

  it.each([
    ["an unknown member of an entry", { entries: { [address]: { ...ulm, guards: {} } } }],
    ["entries that are no object", { entries: [] }],
    ["an entry that is no object", { entries: { a: null } }],
    ["a run that is no object", { runs: ["x"] }],
  ])("with %s", (_, members) => {
    expect(() => inventoryOf({ ...value, ...members }, "inventory.json")).toThrow(
      /inventory.json is not a valid inventory at /,
    );
  });
});
