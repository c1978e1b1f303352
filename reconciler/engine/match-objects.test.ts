// Matching of documents with live objects and inventory entries.
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
import { createMatcher, type Matcher } from "./match-objects.ts";

type LiveObjects = Parameters<typeof liveFrom>[0];
type Entries = Parameters<typeof inventoryWith>[0];

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

function matcherFor(
  desiredObjects: readonly DesiredObject[],
  { live = [], entries = [] }: { readonly live?: LiveObjects; readonly entries?: Entries } = {},
): Matcher {
  const [liveState, inventory] = [liveFrom(live), inventoryWith(entries)];
  const identityOf = resolveParentRenames(inventory, kindsByName(townKinds), { live: liveState });
  return createMatcher({ live: liveState, inventory, desiredObjects, identityOf });
}

describe("a document without an entry", () => {
  it("matches the live object with its natural key", () => {
    const { observed, entry } = matcherFor([ulm], { live: [liveTown("1", "ulm")] }).match(ulm);
    expect([observed?.id, entry]).toEqual(["1", undefined]);
  });

  it("matches nothing where there is nothing", () => {
    expect(matcherFor([ulm]).match(ulm)).toEqual({
      observed: undefined,
      entry: undefined,
      formerAddress: undefined,
      declaredSource: undefined,
      conflictingObject: undefined,
      movesWithParent: false,
      inNamesakeParent: false,
    });
  });

  it("takes the entry of its key from a document that is gone, and not from one that stays", () => {
    const found = { live: [liveTown("1", "ulm")], entries: [townEntry("old", "ulm", "1")] };
    expect(matcherFor([ulm], found).match(ulm).formerAddress).toBe("Town/old");
    const old = desiredObject(town, "old", { spec: { name: "bonn" } });
    expect(matcherFor([ulm, old], found).match(ulm)).toMatchObject({
      observed: undefined,
      entry: undefined,
      conflictingObject: { observed: { id: "1" }, owner: "Town/old" },
    });
  });
});

describe("a document with an entry", () => {
  it("matches by id before it matches by key, and reports who has the key", () => {
    const { observed, conflictingObject } = matcherFor([ulm], {
      live: [liveTown("1", "renamed"), liveTown("2", "ulm")],
      entries: [townEntry("ulm", "ulm", "1")],
    }).match(ulm);
    expect(observed?.id).toBe("1");
    expect(conflictingObject).toMatchObject({ observed: { id: "2" }, owner: undefined });
  });

  it("owns no new object of its key, which it matches all the same", () => {
    const recorded = townEntry("ulm", "ulm", "1");
    const matcher = matcherFor([ulm], { live: [liveTown("2", "ulm")], entries: [recorded] });
    expect(matcher.match(ulm).observed?.id).toBe("2");
    expect(matcher.ownObservedObject(recorded[1])).toBeUndefined();
  });

  it("keeps its own entry although movedFrom names another", () => {
    const moved = { ...ulm, rules: { movedFrom: "Town/old" } };
    const own = townEntry("ulm", "ulm", "1");
    const other = townEntry("old", "bonn", "2");
    expect(matcherFor([moved], { entries: [own, other] }).match(moved)).toMatchObject({
      entry: own[1],
      formerAddress: undefined,
    });
    expect(matcherFor([moved], { entries: [other] }).match(moved).formerAddress).toBe("Town/old");
  });
});

describe("an object in a parent that is renamed", () => {
  const parent = desiredObject(town, "ulm", { spec: { name: "ulm" } });
  const entries = [townEntry("ulm", "old", "1")];

  it("is found under the parent's current name, and moves with it", () => {
    const { observed, movesWithParent } = matcherFor([parent, tall], {
      live: [liveTown("1", "old"), liveHouse("3", "old")],
      entries,
    }).match(tall);
    expect([observed?.id, movesWithParent]).toEqual(["3", true]);
  });

  it("is not the object of the same name in the parent that has the new name today", () => {
    const live = [liveTown("1", "old"), liveTown("2", "ulm"), liveHouse("4", "ulm")];
    const { observed, conflictingObject } = matcherFor([parent, tall], { live, entries }).match(
      tall,
    );
    expect(observed).toBeUndefined();
    expect(conflictingObject?.observed.id).toBe("4");
    const owned = appliedEntry(house, "tall", { spec: { town: "ulm", name: "tall" }, id: "4" });
    const matcher = matcherFor([parent, tall], { live, entries: [...entries, owned] });
    expect(matcher.match(tall)).toMatchObject({ observed: { id: "4" }, inNamesakeParent: true });
  });
});
