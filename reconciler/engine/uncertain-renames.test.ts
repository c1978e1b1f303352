// Plans in which either documents or objects can have new names: content decides, otherwise the document's name, and a
// note says so.
import { describe, expect, it } from "vitest";
import {
  appliedEntry,
  desiredObject,
  house,
  type PlanInput,
  planFor,
  town,
} from "../../test/support/plan-fixtures.ts";
import { liveTown, townNamed } from "../../test/support/planned-towns.ts";

const planned = (input: PlanInput) => {
  const { changes, diagnostics } = planFor(input);
  return {
    changes: changes.map(({ action, address, id, formerAddress }) =>
      [action, address, id, formerAddress].join(" ").trim(),
    ),
    notes: diagnostics.map(({ code, address }) => `${code} ${address}`),
  };
};

/** Towns by document: `[name, motto]`. */
type Towns = Readonly<Record<string, readonly [string, string]>>;

const before: Towns = { a: ["ulm", "1"], b: ["bonn", "2"] };

/** The plan for these towns after `before`, or after other ones. */
function planTowns(towns: Towns, first: Towns = before) {
  const numbered = Object.entries(first).map(([at, [name, motto]], index) => ({
    at,
    id: String(index + 1),
    spec: { name, motto },
  }));
  return planned({
    desiredObjects: Object.entries(towns).map(([at, [name, motto]]) =>
      townNamed(at, name, { motto }),
    ),
    liveObjects: numbered.map(({ id, spec }) => liveTown(id, spec.name, { motto: spec.motto })),
    entries: numbered.map(({ at, id, spec }) => appliedEntry(town, at, { spec, id })),
  });
}

describe("a new document with the key of another one that gets a new key", () => {
  it("is the renamed document if it has the content of the object, and the other one has not", () => {
    expect(planTowns({ a: ["koeln", "3"], b: ["bonn", "2"], c: ["ulm", "1"] })).toEqual({
      changes: ["create Town/a", "none Town/c 1 Town/a"],
      notes: [],
    });
  });

  it("gets a new object if the other one has the content, whose object is renamed", () => {
    expect(planTowns({ a: ["koeln", "1"], b: ["bonn", "2"], c: ["ulm", "3"] })).toEqual({
      changes: ["update Town/a 1", "create Town/c"],
      notes: [],
    });
  });

  it.each([
    ["both", "1", "1"],
    ["none", "3", "4"],
  ])("gets a new object if %s of them has the content, with a note", (_, own, other) => {
    expect(planTowns({ a: ["koeln", own], b: ["bonn", "2"], c: ["ulm", other] })).toEqual({
      changes: ["update Town/a 1", "create Town/c"],
      notes: ["ambiguous-rename Town/c"],
    });
  });

  it("follows movedFrom, which the note advises", () => {
    const moved = { ...townNamed("c", "ulm", { motto: "1" }), rules: { movedFrom: "Town/a" } };
    const found = planned({
      desiredObjects: [townNamed("a", "koeln", { motto: "1" }), moved],
      liveObjects: [liveTown("1", "ulm", { motto: "1" })],
      entries: [appliedEntry(town, "a", { spec: { name: "ulm", motto: "1" }, id: "1" })],
    });
    expect(found).toEqual({ changes: ["create Town/a", "none Town/c 1 Town/a"], notes: [] });
  });
});

describe("two documents that exchange their names while one gets a new key", () => {
  it("keep their objects if their content says so", () => {
    expect(planTowns({ a: ["bonn", "2"], b: ["koeln", "1"] })).toEqual({
      changes: ["none Town/a 2 Town/b", "update Town/b 1 Town/a"],
      notes: [],
    });
  });

  it("keep the objects of their names if their content says so", () => {
    expect(planTowns({ a: ["bonn", "1"], b: ["koeln", "2"] })).toEqual({
      changes: ["update Town/b 2", "update Town/a 1"],
      notes: [],
    });
  });

  it("keep the objects of their names with a note if nothing decides", () => {
    expect(planTowns({ a: ["bonn", "3"], b: ["koeln", "4"] })).toEqual({
      changes: ["update Town/b 2", "update Town/a 1"],
      notes: ["ambiguous-rename Town/a"],
    });
  });

  it("touch no object that keeps key and content, also where the rest remains unclear", () => {
    expect(planTowns({ a: ["bonn", "2"], b: ["koeln", "9"] })).toEqual({
      changes: ["none Town/a 2 Town/b", "update Town/b 1 Town/a"],
      notes: [],
    });
  });
});

describe("objects that cannot get another key", () => {
  const home = (at: string, name: string) =>
    desiredObject(house, at, { spec: { town: "ulm", name } });
  const recorded = ["x", "y"].map((name, index) => ({
    kind: house,
    id: String(index + 1),
    spec: { town: "ulm", name },
  }));
  const houses = (desiredObjects: PlanInput["desiredObjects"]) =>
    planned({
      desiredObjects,
      liveObjects: recorded,
      entries: ["a", "b"].map((at, index) =>
        appliedEntry(house, at, recorded[index] ?? { spec: {} }),
      ),
    });

  it("stay with the documents that have their keys", () => {
    expect(houses([home("a", "new"), home("b", "y"), home("c", "x")])).toEqual({
      changes: ["create House/a", "none House/c 1 House/a"],
      notes: [],
    });
    expect(houses([home("a", "y"), home("b", "new")])).toEqual({
      changes: ["none House/a 2 House/b", "replace House/b 1 House/a"],
      notes: [],
    });
  });
});
