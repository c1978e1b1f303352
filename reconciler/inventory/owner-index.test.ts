// Which other stack of a store owns an object.
import { expect, it } from "vitest";
import type { Entry, Inventory } from "../model/index.ts";
import { otherOwners, ownerIndexOf } from "./owner-index.ts";

const group = (key: string, id?: string): Entry => ({
  kind: "UserGroup",
  name: key,
  key,
  scope: {},
  id,
  lastApplied: {},
  fingerprints: {},
  pending: false,
  appliedAt: "2026-01-05T00:00:00.000Z",
});
const inventory = (stack: string, entry: Entry, origin?: string): Inventory => ({
  stack,
  lineage: stack,
  serial: 1,
  origin,
  salt: "",
  entries: { [`UserGroup/${entry.name}`]: entry },
});
async function* listed(...inventories: readonly Inventory[]) {
  yield* inventories;
}
const origin = "https://a.example.com";

it("is found by the key or the ID of the object, at the same service", async () => {
  const ownerOf = await ownerIndexOf(
    { reader: "mine", origin },
    listed(inventory("other", group("sales", "7"), origin)),
  );
  expect(ownerOf(group("sales"))).toBe("other");
  expect(ownerOf(group("renamed", "7"))).toBe("other");
  expect(ownerOf(group("finance", "8"))).toBeUndefined();
  expect(ownerOf({ ...group("sales", "7"), kind: "Folder" })).toBeUndefined();
  const elsewhere = { reader: "mine", origin: "https://b.example.com" };
  const other = await ownerIndexOf(
    elsewhere,
    listed(inventory("other", group("sales", "7"), origin)),
  );
  expect(other(group("sales", "7"))).toBeUndefined();
});

it("is never the stack that reads, of which a folder may have a copy", async () => {
  const ownerOf = await ownerIndexOf(
    { reader: "mine", origin },
    listed(inventory("mine", group("sales", "7"), origin)),
  );
  expect(ownerOf(group("sales", "7"))).toBeUndefined();
});

it("is at any service if the inventory names none", async () => {
  const ownerOf = await ownerIndexOf(
    { reader: "mine", origin },
    listed(inventory("other", group("sales", "7"))),
  );
  expect(ownerOf(group("sales"))).toBe("other");
});

it("refuses claims of what another stack owns, but not of the stack that hands it over", async () => {
  const ownerOf = await ownerIndexOf(
    { reader: "mine", origin },
    listed(
      inventory("other", group("sales"), origin),
      inventory("third", group("finance"), origin),
    ),
  );
  const names = ["sales", "finance", "support"];
  const entries = Object.fromEntries(names.map((name) => [`UserGroup/${name}`, group(name)]));
  expect([...otherOwners(ownerOf, { entries })]).toEqual([
    ["UserGroup/sales", "other"],
    ["UserGroup/finance", "third"],
  ]);
  expect([...otherOwners(ownerOf, { entries, from: "other" })]).toEqual([
    ["UserGroup/finance", "third"],
  ]);
});
