// Tests which live objects an export leaves to other stacks, and how it reports them.
import { expect, it } from "vitest";
import { house, liveFrom, town } from "../../test/support/plan-fixtures.ts";
import type { OwnedObject } from "../inventory/store.ts";
import { type OwnerAccess, ownedByOthers, ownedByOthersNote } from "./owned-by-others.ts";

const origin = "https://one.example";

/** A store that knows these owners, by kind and key; `asked` collects the requests. */
function access(
  owners: Readonly<Record<string, string>>,
  requests: (readonly [string, readonly OwnedObject[]])[] = [],
): OwnerAccess {
  return {
    client: { origin },
    store: {
      ownersOf: async (at, objects) => {
        requests.push([at, objects]);
        return ({ kind, key }) => owners[`${kind}/${key}`];
      },
    },
  };
}

const live = liveFrom([
  { kind: town, id: "1", spec: { name: "ulm" } },
  { kind: town, id: "2", spec: { name: "bonn" } },
  { kind: house, id: "3", spec: { town: "ulm", name: "one" } },
]);

it("finds the objects of other stacks by kind and natural key", async () => {
  const owners = { "Town/bonn": "shop", "House/ulm/one": "shop", "House/ulm": "shop" };
  expect(await ownedByOthers(access(owners), live, new Map())).toEqual([
    "Town/bonn",
    "House/ulm/one",
  ]);
});

it("asks for each object with its ID at the server of the export, and not for those of the stack", async () => {
  const requests: (readonly [string, readonly OwnedObject[]])[] = [];
  const known = new Map([["Town/bonn", "Town/bonn"]]);
  const found = await ownedByOthers(access({ "Town/bonn": "shop" }, requests), live, known);
  expect(found).toEqual([]);
  const asked = [
    { kind: "Town", key: "ulm", id: "1" },
    { kind: "House", key: "ulm/one", id: "3" },
  ];
  expect(requests).toEqual([[origin, asked]]);
});

it("finds nothing where nothing is live, and fails if an owner cannot be read", async () => {
  expect(await ownedByOthers(access({}), new Map(), new Map())).toEqual([]);
  const failing = {
    ...access({}),
    store: { ownersOf: () => Promise.reject(new Error("damaged")) },
  };
  await expect(ownedByOthers(failing, live, new Map())).rejects.toThrow("damaged");
});

it("reports their number in one diagnostic", () => {
  const summaries = (owned: readonly string[]) =>
    ownedByOthersNote(owned).map(({ code, severity, summary }) => [code, severity, summary]);
  expect(summaries([])).toEqual([]);
  expect(summaries(["Town/a"])).toEqual([
    ["owned-by-other-stack", "info", "1 object that another stack owns gets no document"],
  ]);
  expect(summaries(["Town/a", "Town/b"])).toEqual([
    ["owned-by-other-stack", "info", "2 objects that other stacks own get no document"],
  ]);
});
