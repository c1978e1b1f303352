// Plans of renames: of documents, of objects, of parents, and of keys that objects exchange.
import { describe, expect, it } from "vitest";
import {
  appliedEntry,
  house,
  type PlanInput,
  planFor,
  desiredObject,
} from "../../test/support/plan-fixtures.ts";
import {
  changeSummaries,
  diagnosticCodes,
  townNamed,
  townEntry,
  liveTown,
} from "../../test/support/planned-towns.ts";

describe("a renamed document", () => {
  const renamed = {
    desiredObjects: [townNamed("new", "ulm")],
    liveObjects: [liveTown("1", "ulm")],
  };

  it("keeps its object and gets a new inventory entry", () => {
    const planned = { ...renamed, entries: [townEntry("old", "1", "ulm")] };
    expect(changeSummaries(planned)).toEqual(["none Town/new", "forget Town/old"]);
    expect(planFor(planned).changes[1]?.dependsOn).toEqual(["Town/new"]);
  });

  it("keeps its object if a crash recorded it at both addresses", () => {
    const entries = [townEntry("old", "1", "ulm"), townEntry("new", "1", "ulm")];
    expect(changeSummaries({ ...renamed, entries })).toEqual(["forget Town/old"]);
    expect(changeSummaries({ ...renamed, entries: entries.toReversed() })).toEqual([
      "forget Town/old",
    ]);
  });
});

describe("documents that exchange or shift their names", () => {
  const liveObjects = [liveTown("1", "ulm"), liveTown("2", "bonn"), liveTown("3", "kiel")];
  const entries = [
    townEntry("a", "1", "ulm"),
    townEntry("b", "2", "bonn"),
    townEntry("c", "3", "kiel"),
  ];

  /** Towns by document: the name, or the name and `movedFrom`. */
  type Towns = Readonly<Record<string, string | readonly [name: string, movedFrom: string]>>;

  const inputFor = (towns: Towns): PlanInput => ({
    liveObjects,
    entries,
    desiredObjects: Object.entries(towns).map(([at, what]) => {
      const [name, from] = typeof what === "string" ? [what] : what;
      const rules = from === undefined ? {} : { rules: { movedFrom: `Town/${from}` } };
      return { ...townNamed(at, name), ...rules };
    }),
  });
  const changesOf = (towns: Towns, more: Partial<PlanInput> = {}) =>
    planFor({ ...inputFor(towns), ...more }).changes.map(({ action, address, id, formerAddress }) =>
      [action, address, id, formerAddress].join(" ").trim(),
    );
  const shifted: Towns = { b: ["ulm", "a"], c: ["bonn", "b"], d: ["kiel", "c"] };

  it("keep their objects by movedFrom, and only the inventory changes", () => {
    expect(changesOf({ a: ["bonn", "b"], b: ["ulm", "a"], c: "kiel" })).toEqual([
      "none Town/a 2 Town/b",
      "none Town/b 1 Town/a",
    ]);
    expect(changesOf({ a: ["kiel", "c"], b: ["ulm", "a"], c: ["bonn", "b"] })).toEqual([
      "none Town/a 3 Town/c",
      "none Town/b 1 Town/a",
      "none Town/c 2 Town/b",
    ]);
    expect(changesOf(shifted)).toEqual([
      "none Town/b 1 Town/a",
      "none Town/c 2 Town/b",
      "none Town/d 3 Town/c",
      "forget Town/a 1",
    ]);
  });

  it("move together if a target names one of them", () => {
    for (const target of ["Town/a", "Town/b", "Town/c", "Town/d"])
      expect(changesOf(shifted, { targets: [target] })).toEqual(changesOf(shifted));
  });

  it("are refused without movedFrom, which a note asks for", () => {
    const { changes, diagnostics } = planFor(inputFor({ a: "bonn", b: "ulm", c: "kiel" }));
    expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      "refuse Town/a",
      "refuse Town/b",
    ]);
    expect(diagnostics).toMatchObject([
      { code: "not-supported", address: "Town/a" },
      { code: "not-supported", address: "Town/b" },
      {
        code: "ambiguous-rename",
        address: "Town/a",
        remedy: expect.stringContaining("`movedFrom: Town/b`") as string,
      },
      { code: "ambiguous-rename", address: "Town/b" },
    ]);
  });

  it("are renamed objects without movedFrom, with the note, if one has a new key", () => {
    const input = inputFor({ a: "koeln", b: "bonn", c: "kiel", d: "ulm" });
    expect(changeSummaries(input)).toEqual(["update Town/a /name", "create Town/d"]);
    expect(diagnosticCodes(input)).toEqual(["ambiguous-rename"]);
    expect(changesOf({ a: "koeln", b: "bonn", c: "kiel", d: ["ulm", "a"] })).toEqual([
      "create Town/a",
      "none Town/d 1 Town/a",
    ]);
  });

  it("refuse movedFrom from a document that keeps its object", () => {
    const refused = inputFor({ a: "ulm", b: "bonn", c: "kiel", d: ["koeln", "c"] });
    expect(changeSummaries(refused)).toEqual(["refuse Town/d"]);
    expect(diagnosticCodes(refused)).toEqual(["duplicate-address"]);
  });

  it("refuse movedFrom where nothing would be left of the address of the own object", () => {
    const refused = inputFor({ b: ["ulm", "a"], c: "kiel" });
    expect(changeSummaries(refused)).toEqual(["refuse Town/b", "forget Town/a"]);
    expect(planFor(refused).diagnostics).toMatchObject([
      {
        code: "duplicate-address",
        remedy: expect.stringContaining("`movedFrom: Town/b`") as string,
      },
    ]);
  });
});

describe("a child of a renamed parent", () => {
  const home = (name: string, parent: string, called: string) =>
    desiredObject(house, name, { spec: { town: called, name: "one" }, needs: [`Town/${parent}`] });
  const inUlm = { town: "ulm", name: "one" };
  const before = {
    liveObjects: [liveTown("1", "ulm"), { kind: house, id: "2", spec: inUlm }],
    entries: [townEntry("a", "1", "ulm"), appliedEntry(house, "h", { spec: inUlm, id: "2" })],
  };

  it("needs no call; its inventory entry gets the new key", () => {
    const desiredObjects = [townNamed("a", "bonn"), home("h", "a", "bonn")];
    expect(changeSummaries({ ...before, desiredObjects })).toEqual([
      "update Town/a /name",
      "none House/h",
    ]);
  });

  it("needs no call if its document is renamed too", () => {
    const desiredObjects = [townNamed("a", "bonn"), home("new", "a", "bonn")];
    expect(changeSummaries({ ...before, desiredObjects })).toEqual([
      "update Town/a /name",
      "none House/new",
      "forget House/h",
    ]);
  });

  it("is not adopted without a request if it has no owner", () => {
    const desiredObjects = [townNamed("a", "bonn"), home("h", "a", "bonn")];
    const planned = { ...before, entries: before.entries.slice(0, 1), desiredObjects };
    expect(changeSummaries(planned)).toEqual(["update Town/a /name", "refuse House/h"]);
    expect(diagnosticCodes(planned)).toEqual(["not-owned"]);
  });

  it("is replaced if it is declared in the parent that gets the old name", () => {
    const desiredObjects = [townNamed("a", "bonn"), townNamed("b", "ulm"), home("h", "b", "ulm")];
    expect(changeSummaries({ ...before, desiredObjects })).toEqual([
      "update Town/a /name",
      "create Town/b",
      "replace House/h /town",
    ]);
  });

  it("is not matched to another document in the parent that gets the old name", () => {
    const desiredObjects = [townNamed("a", "bonn"), townNamed("b", "ulm"), home("new", "b", "ulm")];
    expect(changeSummaries({ ...before, desiredObjects })).toEqual([
      "delete House/h",
      "update Town/a /name",
      "create Town/b",
      "create House/new",
    ]);
  });
});

describe("a child of a parent that another client or a killed run renamed", () => {
  const inBonn = { town: "bonn", name: "one" };
  const liveObjects = [liveTown("1", "bonn"), { kind: house, id: "2", spec: inBonn }];
  const entries = [
    townEntry("a", "1", "ulm"),
    appliedEntry(house, "h", { spec: { ...inBonn, town: "ulm" } }),
  ];
  const home = (called: string) =>
    desiredObject(house, "h", { spec: { town: called, name: "one" }, needs: ["Town/a"] });

  it("stays owned by the stack", () => {
    expect(
      changeSummaries({
        liveObjects,
        entries,
        desiredObjects: [townNamed("a", "ulm"), home("ulm")],
      }),
    ).toEqual(["update Town/a /name", "none House/h"]);
    expect(
      changeSummaries({
        liveObjects,
        entries,
        desiredObjects: [townNamed("a", "bonn"), home("bonn")],
      }),
    ).toEqual(["none Town/a", "none House/h"]);
  });

  it("is deleted if it is no longer declared, with its parent or alone", () => {
    expect(
      changeSummaries({ liveObjects, entries, desiredObjects: [townNamed("a", "bonn")] }),
    ).toEqual(["none Town/a", "delete House/h"]);
    const { changes } = planFor({ liveObjects, entries, desiredObjects: [townNamed("b")] });
    expect(changes.map(({ action, key, cascadedBy: parent }) => [action, key, parent])).toEqual([
      ["create", "b", undefined],
      ["delete", "bonn/one", "Town/a"],
      ["delete", "bonn", undefined],
    ]);
  });
});

/** Houses of one name, each in a town: desired, live and recorded. */
const inTown = (name: string, parent: string, needs: string) =>
  desiredObject(house, name, { spec: { town: parent, name: "tall" }, needs: [needs] });
const houseIn = (id: string, parent: string) => ({
  kind: house,
  id,
  spec: { town: parent, name: "tall" },
});
const recorded = (at: string, id: string, parent: string) =>
  appliedEntry(house, at, { spec: { town: parent, name: "tall" }, id });

describe("a changed key", () => {
  it("renames the object in place if the resource type allows it", () => {
    const [change] = planFor({
      desiredObjects: [townNamed("a", "bonn")],
      liveObjects: [liveTown("1", "ulm")],
      entries: [townEntry("a", "1", "ulm")],
    }).changes;
    expect(change).toMatchObject({ action: "update", id: "1", from: { key: "ulm" }, key: "bonn" });
  });

  it("replaces the object if the resource type cannot rename it", () => {
    const spec = { town: "ulm", name: "one" };
    expect(
      changeSummaries({
        desiredObjects: [desiredObject(house, "h", { spec: { ...spec, name: "two" } })],
        liveObjects: [{ kind: house, id: "1", spec }],
        entries: [appliedEntry(house, "h", { spec, id: "1" })],
      }),
    ).toEqual(["replace House/h /name"]);
  });

  it("waits until the stack's own object releases it, through any number of steps", () => {
    const { changes } = planFor({
      desiredObjects: [townNamed("a", "bonn"), townNamed("b", "kiel"), townNamed("c", "ulm")],
      liveObjects: [liveTown("1", "ulm"), liveTown("2", "bonn")],
      entries: [townEntry("a", "1", "ulm"), townEntry("b", "2", "bonn")],
    });
    expect(changes.map(({ address, action, layer }) => [address, action, layer])).toEqual([
      ["Town/b", "update", 0],
      ["Town/a", "update", 1],
      ["Town/c", "create", 2],
    ]);
    expect(changes.map(({ dependsOn: needs }) => needs)).toEqual([[], ["Town/b"], ["Town/a"]]);
  });

  it("is written after the delete of the object that has it now, but did not when it was recorded", () => {
    const { changes } = planFor({
      desiredObjects: [townNamed("a", "bonn")],
      liveObjects: [liveTown("1", "ulm"), liveTown("2", "bonn")],
      entries: [townEntry("a", "1", "ulm"), townEntry("b", "2", "kiel")],
    });
    expect(changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      "delete Town/b",
      "update Town/a",
    ]);
  });

  it("is released by the object in its parent, although another parent has the name today", () => {
    const { changes } = planFor({
      desiredObjects: [
        townNamed("c", "free"),
        townNamed("d", "ulm"),
        townNamed("a", "new"),
        inTown("b", "ulm", "Town/d"),
        inTown("c", "new", "Town/a"),
      ],
      liveObjects: [
        liveTown("1", "bonn"),
        liveTown("2", "ulm"),
        liveTown("3", "koeln"),
        houseIn("11", "bonn"),
        houseIn("12", "ulm"),
        houseIn("13", "koeln"),
      ],
      entries: [
        townEntry("b", "1", "bonn"),
        townEntry("c", "2", "ulm"),
        townEntry("d", "3", "koeln"),
        recorded("b", "11", "bonn"),
        recorded("c", "12", "ulm"),
        recorded("d", "13", "koeln"),
      ],
    });
    const houses = changes.filter(({ kind }) => kind === "House");
    expect(houses.map(({ action, address, id }) => [action, address, id])).toEqual([
      ["delete", "House/d", "13"],
      ["replace", "House/c", "12"],
      ["replace", "House/b", "11"],
    ]);
  });

  it("is created where its parent gets the name of one that has such an object until then", () => {
    const { changes } = planFor({
      desiredObjects: [
        townNamed("a", "ulm"),
        townNamed("b", "new"),
        inTown("created", "ulm", "Town/a"),
        inTown("other", "new", "Town/b"),
      ],
      liveObjects: [liveTown("1", "koeln"), liveTown("2", "ulm"), houseIn("12", "ulm")],
      entries: [
        townEntry("a", "1", "koeln"),
        townEntry("b", "2", "ulm"),
        recorded("other", "12", "ulm"),
      ],
    });
    const created = changes.find(({ address }) => address === "House/created");
    expect(created).toMatchObject({ action: "create", blockedBy: [] });
    expect(created?.dependsOn).toContain("Town/a");
    // A house of the other town has the key until that town has its new name.
    expect(created?.precondition).toMatchObject({ fields: ["name", "town"] });
  });

  it("is refused if the object that has it is kept, has another owner, or is to get this object's key", () => {
    const liveObjects = [liveTown("1", "ulm"), liveTown("2", "bonn")];
    const desiredObjects = [townNamed("a", "bonn")];
    const own = townEntry("a", "1", "ulm");
    const entries = [own, townEntry("b", "2", "kiel")];
    expect(diagnosticCodes({ desiredObjects, liveObjects, entries, prune: false })).toContain(
      "not-supported",
    );
    expect(diagnosticCodes({ desiredObjects, liveObjects, entries: [own] })).toEqual(["not-owned"]);
    const swap = {
      desiredObjects: [...desiredObjects, townNamed("b", "ulm")],
      liveObjects,
      entries: [townEntry("a", "1", "koeln"), townEntry("b", "2", "kiel")],
    };
    expect(changeSummaries(swap)).toEqual(["refuse Town/a", "refuse Town/b"]);
    expect(diagnosticCodes(swap)).toEqual([
      "not-supported",
      "not-supported",
      "ambiguous-rename",
      "ambiguous-rename",
    ]);
  });

  it("is exchanged if both objects are replaced, because all deletes come before all creates", () => {
    const spec = (name: string) => ({ town: "ulm", name });
    const of = (name: string, called: string) => desiredObject(house, name, { spec: spec(called) });
    const liveObjects = ["1", "2"].map((id) => ({ kind: house, id, spec: spec(id) }));
    // Recorded under the keys from before someone else gave them these.
    const entries = ["1", "2"].map((id) =>
      appliedEntry(house, `h${id}`, { spec: spec(`old${id}`), id }),
    );
    const { changes } = planFor({
      desiredObjects: [of("h1", "2"), of("h2", "1")],
      liveObjects,
      entries,
    });
    expect(changes.map(({ action, layer }) => `${action} ${layer}`)).toEqual([
      "replace 0",
      "replace 0",
    ]);
  });
});
