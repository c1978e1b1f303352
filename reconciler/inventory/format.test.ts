// Tests the format of inventory files, and that inventories of earlier formats are read.
import { describe, expect, it } from "vitest";
import { appliedEntry, inventoryWith, town } from "../../test/support/plan-fixtures.ts";
import type { Entry, Inventory, RunChange, RunRecord } from "../model/index.ts";
import { inventoryOf, parseInventory, renderInventory } from "./format.ts";

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
  expect(JSON.parse(text)).toMatchObject({ format: 11 });
  expect(parseInventory(text, "inventory.json")).toEqual(written);
});

describe("an inventory of an earlier format", () => {
  const former = (entry: object, runs?: readonly object[]) => ({
    ...inventory({}),
    format: 9,
    entries: { [address]: { ...ulm, ...entry } },
    ...(runs && { runs }),
  });

  it("is read under the current names, without the values of runs, which an undo cannot use", () => {
    const value = former(
      {
        sink: { file: "ulm.key", mark: "v1:f" },
        guards: { protect: true },
        knownAs: { name: "ulm", labels: { mark: "guards" } },
      },
      [
        { ...run, begunAt: startedAt, undone: 1, changes: [{ ...change, result: "partly" }] },
        {
          ...run,
          id: "2",
          begunAt: startedAt,
          changes: [
            { ...change, lastApplied: { motto: "old" } },
            { ...change, action: "update", before: { motto: "old" }, hidden: ["code"] },
          ],
        },
        { ...run, id: "3", begunAt: startedAt },
      ],
    );
    expect(inventoryOf(value, "inventory.json")).toEqual(
      inventory(
        {
          secretTo: { file: "ulm.key", fingerprint: "v1:f" },
          lifecycle: { protect: true },
          metadata: { name: "ulm", labels: { mark: "guards" } },
        },
        [
          { ...run, startedAt, incomplete: 1, changes: [{ ...change, result: "partial" }] },
          {
            ...run,
            id: "2",
            startedAt,
            changes: [change, { ...change, action: "update", unrecorded: true }],
          },
          { ...run, id: "3", startedAt },
        ],
      ),
    );
  });

  it.each([1, 5, 10])("reads in format %i without members that were renamed", (format) => {
    expect(inventoryOf({ ...former({}), format }, "inventory.json")).toEqual(inventory({}));
  });

  it("keeps addresses that are names of JavaScript's objects", () => {
    const text = JSON.stringify({ ...former({}), entries: {} }).replace(
      '"entries":{}',
      `"entries":{"__proto__":${JSON.stringify({ ...ulm, guards: { protect: true } })}}`,
    );
    const { entries } = parseInventory(text, "inventory.json");
    expect(Object.entries(entries)).toEqual([
      ["__proto__", { ...ulm, lifecycle: { protect: true } }],
    ]);
  });

  it.each([
    ["a former name beside the current one", former({ guards: {}, lifecycle: {} })],
    ["an invalid value under a former name", former({ guards: { protect: 1 } })],
    ["entries that are no object", { ...former({}), entries: [] }],
    ["an entry that is no object", { ...former({}), entries: { a: null } }],
    ["a run that is no object", former({}, ["x" as never])],
    ["former names in the current format", { ...former({ guards: {} }), format: 11 }],
  ])("is refused with %s", (_, value) => {
    expect(() => inventoryOf(value, "inventory.json")).toThrow(
      /inventory.json is not a valid inventory/,
    );
  });
});
