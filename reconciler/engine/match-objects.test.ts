// Tests the rules that match documents with inventory entries and live objects.
import { describe, expect, it } from "vitest";
import {
  appliedEntry,
  desiredObject,
  house,
  inventoryWith,
  liveFrom,
  town,
  townKinds,
} from "../../test/support/plan-fixtures.ts";
import { kindsByName } from "../../core/kind/kind.ts";
import { resolveParentRenames } from "../model/parent-renames.ts";
import type { DesiredObject } from "../model/index.ts";
import { createMatcher, entriesOf, type Matcher } from "./match-objects.ts";

/** Documents by address: a key, or a key and `movedFrom`. An empty key is unknown. */
type Documents = Readonly<Record<string, string | readonly [key: string, movedFrom: string]>>;

/** Entries by address: the recorded key, and the live one if that is another; `x-` for an object that is gone. */
type Entries = Readonly<Record<string, string | readonly [key: string, liveKey: string]>>;

/** Returns the entries of documents, as `document=entry`. */
function matched(documents: Documents, entries: Entries, isUndo = false): string {
  const documentsFound = Object.entries(documents).map(([address, what]) => {
    const [key, movedFrom] = typeof what === "string" ? [what, undefined] : what;
    return { address, key: key === "" ? undefined : key, movedFrom };
  });
  const entriesFound = Object.entries(entries).map(([address, what]) => {
    const [recorded, live = recorded] = typeof what === "string" ? [what] : what;
    const isGone = recorded.endsWith("-");
    const liveKey = isGone ? undefined : live;
    return { address, key: recorded.replace("-", ""), object: liveKey, liveKey };
  });
  const found = entriesOf(documentsFound, entriesFound, { isUndo });
  const addresses = Object.keys(documents).filter((address) => found.has(address));
  return addresses.map((address) => `${address}=${found.get(address)}`).join(" ");
}

describe("movedFrom, for all documents at once", () => {
  it.each<[string, Documents, Entries, string]>([
    ["names the entry of a new address", { n: ["x", "a"] }, { a: "x" }, "n=a"],
    ["counts also if the key changes", { n: ["new", "a"] }, { a: "x" }, "n=a"],
    ["counts before the natural key", { n: ["x", "a"] }, { a: "y", c: "x" }, "n=a"],
    ["leaves its address to another object", { n: ["x", "a"], a: "y" }, { a: "x" }, "n=a"],
    ["names nothing if there is no such entry", { n: ["x", "a"] }, { b: "y" }, ""],
    [
      "follows a chain, whatever keys change",
      { n: ["p", "a"], a: ["q", "b"], b: ["r", "c"] },
      { a: "x", b: "y", c: "z" },
      "n=a a=b b=c",
    ],
    ["exchanges two names", { a: ["y", "b"], b: ["x", "a"] }, { a: "x", b: "y" }, "a=b b=a"],
    [
      "exchanges names of which one object gets a new key",
      { a: ["new", "b"], b: ["x", "a"] },
      { a: "x", b: "y" },
      "a=b b=a",
    ],
    [
      "exchanges three names",
      { a: ["y", "b"], b: ["z", "c"], c: ["x", "a"] },
      { a: "x", b: "y", c: "z" },
      "a=b b=c c=a",
    ],
    ["gives an entry to the first of two", { n: ["p", "a"], m: ["q", "a"] }, { a: "x" }, "n=a"],
    [
      "takes no entry from a document that declares its object",
      { n: ["z", "a"], a: "x" },
      { a: "x" },
      "a=a",
    ],
    [
      "takes an entry that no document has, although the own one stays",
      { b: ["x", "a"] },
      { a: "x", b: "y" },
      "b=a",
    ],
  ])("%s", (_, documents, entries, expected) => {
    expect(matched(documents, entries)).toBe(expected);
  });

  it.each<[string, Documents, Entries]>([
    ["the address and key are recorded", { n: ["x", "a"], a: "y" }, { n: "x", a: "y" }],
    ["the key changes later", { n: ["new", "a"], a: "y" }, { n: "x", a: "y" }],
    [
      "a chain stopped before its first write",
      { n: ["p", "a"], a: ["q", "b"] },
      { n: "x", a: "y" },
    ],
    [
      "an exchange stopped before its first write",
      { a: ["new", "b"], b: ["x", "a"] },
      { a: "y", b: "x" },
    ],
    ["both keys of an exchange change later", { a: ["p", "b"], b: ["q", "a"] }, { a: "y", b: "x" }],
  ])("counts no more once an earlier run made the move: %s", (_, documents, entries) => {
    const own = Object.keys(documents).map((address) => `${address}=${address}`);
    expect(matched(documents, entries)).toBe(own.join(" "));
  });
});

describe("the address", () => {
  it.each<[string, Documents, Entries, string]>([
    ["keeps the entry with a new key", { a: "new" }, { a: "x" }, "a=a"],
    ["counts before the natural key", { a: "y", b: "x" }, { a: "x", b: "y" }, "a=a b=b"],
    ["counts while the key is unknown", { a: "" }, { a: "x" }, "a=a"],
    ["counts for an object that is gone", { a: "y" }, { a: "x-" }, "a=a"],
  ])("%s", (_, documents, entries, expected) => {
    expect(matched(documents, entries)).toBe(expected);
  });
});

describe("the natural key", () => {
  it.each<[string, Documents, Entries, string]>([
    ["finds the entry of a renamed document", { n: "x" }, { a: "x" }, "n=a"],
    ["finds the live object before a recorded key", { n: "x" }, { a: "x-", b: "x" }, "n=b"],
    ["finds an object that was renamed by hand", { n: "z" }, { a: ["x", "z"] }, "n=a"],
    ["finds an object that is gone", { n: "x" }, { a: "x-" }, "n=a"],
    ["finds no entry that another document has", { n: "x", a: "y" }, { a: "x" }, "a=a"],
    ["finds nothing while it is unknown", { n: "" }, { a: "x" }, ""],
    ["finds nothing else", { n: "y" }, { a: "x" }, ""],
  ])("%s", (_, documents, entries, expected) => {
    expect(matched(documents, entries)).toBe(expected);
  });

  it("finds no second entry of an object that a document has", () => {
    const entries = ["a", "b"].map((address) => ({ address, key: "x", object: 1, liveKey: "x" }));
    const documents = [
      { address: "b", key: "y", movedFrom: undefined },
      { address: "n", key: "x", movedFrom: undefined },
    ];
    expect([...entriesOf(documents, entries, {})]).toEqual([["b", "b"]]);
  });

  it("does not count in an undo", () => {
    expect(matched({ a: "y", c: "x" }, { a: "x", b: "x" }, true)).toBe("a=a");
  });
});

type LiveObjects = Parameters<typeof liveFrom>[0];
type InventoryEntries = Parameters<typeof inventoryWith>[0];

const ulm = desiredObject(town, "ulm", { spec: { name: "ulm" } });
const tall = desiredObject(house, "tall", {
  spec: { town: "ulm", name: "tall" },
  needs: ["Town/ulm"],
});
const liveTown = (id: string, name: string) => ({ kind: town, id, spec: { name } });
const liveHouse = (id: string, inTown: string, name = "tall") => ({
  kind: house,
  id,
  spec: { town: inTown, name },
});
const townEntry = (at: string, name: string, id: string) =>
  appliedEntry(town, at, { spec: { name }, id });

interface Found {
  readonly live?: LiveObjects;
  readonly entries?: InventoryEntries;
}

function matcherFor(
  desiredObjects: readonly DesiredObject[],
  { live = [], entries = [] }: Found = {},
): Matcher {
  const [liveState, inventory] = [liveFrom(live), inventoryWith(entries)];
  const identityOf = resolveParentRenames(inventory, kindsByName(townKinds), { live: liveState });
  return createMatcher({ live: liveState, inventory, desiredObjects, identityOf });
}

describe("the live object", () => {
  it("of an entry is the one with its id, also if another one has the natural key", () => {
    const live = [liveTown("1", "renamed"), liveTown("2", "ulm")];
    const entries = [townEntry("ulm", "ulm", "1")];
    expect(matcherFor([ulm], { live, entries }).match(ulm)).toMatchObject({
      observed: { id: "1" },
      conflictingObject: { observed: { id: "2" }, owner: undefined },
    });
  });

  it("of an entry whose id is gone is the new one with its key, which the entry does not own", () => {
    const entries = [townEntry("ulm", "ulm", "1")];
    const matcher = matcherFor([ulm], { live: [liveTown("2", "ulm")], entries });
    expect(matcher.match(ulm).observed?.id).toBe("2");
    expect(entries.map(([, entry]) => matcher.ownObservedObject(entry))).toEqual([undefined]);
  });

  it("of an entry whose id is gone is not that of another document, which has its key now", () => {
    const other = desiredObject(town, "other", { spec: { name: "bonn" } });
    const entries = [townEntry("ulm", "ulm", "1"), townEntry("other", "bonn", "2")];
    const matcher = matcherFor([ulm, other], { live: [liveTown("2", "ulm")], entries });
    expect(matcher.match(ulm)).toMatchObject({
      observed: undefined,
      conflictingObject: { observed: { id: "2" }, owner: "Town/other" },
    });
    expect(matcher.match(other).observed?.id).toBe("2");
  });

  it("without an entry is the one with the natural key, if there is one", () => {
    const { observed, entry } = matcherFor([ulm], { live: [liveTown("1", "ulm")] }).match(ulm);
    expect([observed?.id, entry]).toEqual(["1", undefined]);
    expect(matcherFor([ulm]).match(ulm)).toEqual({
      observed: undefined,
      entry: undefined,
      interrupted: [],
      formerAddress: undefined,
      conflictingObject: undefined,
      namesakeOwner: undefined,
    });
  });

  it("of another document stays there", () => {
    const old = desiredObject(town, "old", { spec: { name: "bonn" } });
    const found = { live: [liveTown("1", "ulm")], entries: [townEntry("old", "ulm", "1")] };
    expect(matcherFor([ulm, old], found).match(ulm)).toMatchObject({
      observed: undefined,
      entry: undefined,
      conflictingObject: { observed: { id: "1" }, owner: "Town/old" },
    });
  });
});

it("a move is known by the former address", () => {
  const moved = { ...ulm, rules: { movedFrom: "Town/old" } };
  const matcher = matcherFor([moved], { entries: [townEntry("old", "rome", "2")] });
  expect(matcher.match(moved).formerAddress).toBe("Town/old");
  expect([...matcher.formerAddresses]).toEqual([["Town/ulm", "Town/old"]]);
});

describe("an object in a parent that is renamed", () => {
  const entries = [townEntry("ulm", "old", "1")];

  it("is found under the name that the parent has today", () => {
    const live = [liveTown("1", "old"), liveHouse("3", "old")];
    const { observed } = matcherFor([ulm, tall], { live, entries }).match(tall);
    expect(observed?.id).toBe("3");
  });

  it("is not the one in the parent that has the new name today", () => {
    const live = [liveTown("1", "old"), liveTown("2", "ulm"), liveHouse("4", "ulm")];
    expect(matcherFor([ulm, tall], { live, entries }).match(tall)).toMatchObject({
      observed: undefined,
      conflictingObject: undefined,
    });
  });

  it("is not the one in a parent that gives its name to a new one", () => {
    const other = desiredObject(town, "other", { spec: { name: "bonn" } });
    const live = [liveTown("2", "ulm"), liveHouse("4", "ulm")];
    const inside = appliedEntry(house, "inside", {
      spec: { town: "ulm", name: "tall" },
      id: "4",
    });
    const found = { live, entries: [townEntry("other", "ulm", "2"), inside] };
    expect(matcherFor([ulm, other, tall], found).match(tall)).toMatchObject({
      observed: undefined,
      conflictingObject: undefined,
      namesakeOwner: "House/inside",
    });
  });
});
