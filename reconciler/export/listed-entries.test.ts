// Tests that an export writes either a list or its entries, never both.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { desiredObject, house, liveFrom, town } from "../../test/support/plan-fixtures.ts";
import type { LiveState } from "../model/index.ts";
import { isListed, separateLists, withoutSeparateLists } from "./listed-entries.ts";

/** A house that is also an entry in the list `houses` of its town. */
const entry: Kind = { ...house, entryOf: { kind: "Town", key: ["town"], field: "houses" } };
const one = { town: "ulm", name: "one" };

/** The live state, with the kind of the entries that has a list. */
function liveHouses(...specs: readonly JsonObject[]): LiveState {
  const live = liveFrom(specs.map((spec, at) => ({ kind: house, id: String(at), spec })));
  const houses = live.get("House");
  return new Map([...live, ...(houses ? [["House", { ...houses, kind: entry }] as const] : [])]);
}

describe("the lists whose entries are objects", () => {
  it("contain declared entries, or entries that other stacks own", () => {
    const declared = [desiredObject(entry, "one", { spec: one })];
    const live = liveHouses({ town: "bonn", name: "two" }, { town: "rome", name: "three" });
    const lists = separateLists(live, declared, new Set(["House/bonn/two"]));
    expect([...lists]).toEqual([
      ["Town/ulm", new Set(["houses"])],
      ["Town/bonn", new Set(["houses"])],
    ]);
  });

  it("do not exist without such entries, whatever else is declared or owned", () => {
    const declared = [
      desiredObject(town, "ulm", { spec: { name: "ulm" } }),
      desiredObject(house, "one", { spec: one }),
    ];
    expect(separateLists(liveFrom([]), [], new Set()).size).toBe(0);
    expect(separateLists(liveHouses(one), [], new Set(["Town/ulm"])).size).toBe(0);
    expect(separateLists(liveHouses(), declared, new Set(["House/ulm/one"])).size).toBe(0);
  });

  it("are named once for many entries", () => {
    const specs = Array.from({ length: 1000 }, (_, at) => ({ town: "ulm", name: `h${at}` }));
    const declared = specs.map((spec) => desiredObject(entry, spec.name, { spec }));
    const owned = new Set(specs.map(({ name }) => `House/ulm/${name}`));
    expect([...separateLists(liveHouses(...specs), declared, owned)]).toEqual([
      ["Town/ulm", new Set(["houses"])],
    ]);
  });

  it("are left out of the document of their object alone", () => {
    const lists = new Map([["Town/ulm", new Set(["houses"])]]);
    const spec = { name: "ulm", houses: ["one"], motto: "" };
    expect(withoutSeparateLists(lists, "Town/ulm", spec)).toEqual({ name: "ulm", motto: "" });
    expect(withoutSeparateLists(lists, "Town/bonn", spec)).toBe(spec);
    expect(withoutSeparateLists(new Map(), "Town/ulm", spec)).toBe(spec);
  });
});

describe("an entry", () => {
  const nothing = { declared: new Map(), exported: new Map(), ownedElsewhere: new Set<string>() };
  const declaredTown = (spec: JsonObject) =>
    new Map([["Town/ulm", desiredObject(town, "ulm", { spec })]]);
  const exportedTown = (spec: JsonObject, missing: readonly string[] = []) =>
    new Map([["Town/ulm", { spec, missing }]]);

  it("is an object of its own if no document has the list", () => {
    expect(isListed(nothing, entry, one)).toBe(false);
    expect(isListed({ ...nothing, exported: exportedTown({ name: "ulm" }) }, entry, one)).toBe(
      false,
    );
  });

  it("is in the list of a complete exported document, also if that is empty", () => {
    expect(isListed({ ...nothing, exported: exportedTown({ houses: [] }) }, entry, one)).toBe(true);
  });

  it("is not in the list of a document that is only a comment", () => {
    const exported = exportedTown({ houses: ["one"] }, ["/code"]);
    expect(isListed({ ...nothing, exported }, entry, one)).toBe(false);
  });

  it("follows the declared document over the exported one", () => {
    const exported = exportedTown({ houses: ["one"] });
    const declared = declaredTown({ name: "ulm" });
    expect(isListed({ ...nothing, declared, exported }, entry, one)).toBe(false);
  });

  it("belongs to the stack that owns the object with the list", () => {
    const ownedElsewhere = new Set(["Town/ulm"]);
    expect(isListed({ ...nothing, ownedElsewhere }, entry, one)).toBe(true);
    expect(isListed({ ...nothing, ownedElsewhere }, entry, { ...one, town: "bonn" })).toBe(false);
  });

  it("of a kind without lists is never listed", () => {
    const ownedElsewhere = new Set(["Town/ulm"]);
    expect(isListed({ ...nothing, ownedElsewhere }, house, one)).toBe(false);
  });
});
