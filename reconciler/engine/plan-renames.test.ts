// Plans of renames: of documents, of objects, of parents, and of keys that objects exchange.
import { describe, expect, it } from "vitest";
import {
  appliedEntry,
  house,
  type PlanInput,
  planFor,
  town,
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

describe("a document and an object that are both renamed", () => {
  const before = {
    liveObjects: [liveTown("1", "ulm", { motto: "7" }), liveTown("2", "bonn")],
    entries: [
      appliedEntry(town, "a", { spec: { name: "ulm", motto: "7" }, id: "1" }),
      townEntry("b", "2", "bonn"),
    ],
  };
  const likelyRenames = (desiredObjects: PlanInput["desiredObjects"], more = {}) =>
    planFor({ ...before, desiredObjects, ...more }).diagnostics.filter(
      ({ code }) => code === "likely-rename",
    );

  it("are reported as a likely rename, whether the old object is deleted or kept", () => {
    const desiredObjects = [townNamed("new", "ulm-2", { motto: "7" }), townNamed("b", "bonn")];
    const reported = {
      address: "Town/new",
      remedy: expect.stringContaining("`movedFrom: Town/a`") as string,
    };
    expect(likelyRenames(desiredObjects)).toMatchObject([reported]);
    expect(likelyRenames(desiredObjects, { prune: false })).toMatchObject([reported]);
  });

  it("are not reported if values differ, several objects are alike, or movedFrom declares the rename", () => {
    expect(
      likelyRenames([townNamed("new", "ulm-2", { motto: "8" }), townNamed("b", "bonn")]),
    ).toEqual([]);
    const two = [townNamed("new", "x", { motto: "7" }), townNamed("newer", "y", { motto: "7" })];
    expect(likelyRenames([...two, townNamed("b", "bonn")])).toEqual([]);
    const moved = { ...townNamed("new", "ulm-2", { motto: "7" }), rules: { movedFrom: "Town/a" } };
    expect(likelyRenames([moved, townNamed("b", "bonn")])).toEqual([]);
  });
});

describe("documents that exchange or shift their names", () => {
  const liveObjects = [liveTown("1", "ulm"), liveTown("2", "bonn"), liveTown("3", "kiel")];
  const entries = [
    townEntry("a", "1", "ulm"),
    townEntry("b", "2", "bonn"),
    townEntry("c", "3", "kiel"),
  ];
  const changesOf = (names: Readonly<Record<string, string>>, more: Partial<PlanInput> = {}) =>
    planFor({
      liveObjects,
      entries,
      desiredObjects: Object.entries(names).map(([at, called]) => townNamed(at, called)),
      ...more,
    }).changes.map(({ action, address, id, formerAddress }) =>
      [action, address, id, formerAddress].join(" ").trim(),
    );

  it("keep their objects, and only the inventory changes", () => {
    expect(changesOf({ a: "bonn", b: "ulm", c: "kiel" })).toEqual([
      "none Town/a 2 Town/b",
      "none Town/b 1 Town/a",
    ]);
    expect(changesOf({ a: "kiel", b: "ulm", c: "bonn" })).toEqual([
      "none Town/a 3 Town/c",
      "none Town/b 1 Town/a",
      "none Town/c 2 Town/b",
    ]);
    expect(changesOf({ b: "ulm", c: "bonn", d: "kiel" })).toEqual([
      "none Town/b 1 Town/a",
      "none Town/c 2 Town/b",
      "none Town/d 3 Town/c",
      "forget Town/a 1",
    ]);
  });

  it("delete the object whose key no document has, at the address that became free", () => {
    expect(changesOf({ b: "ulm", c: "bonn" })).toEqual([
      "none Town/b 1 Town/a",
      "none Town/c 2 Town/b",
      "delete Town/a 3 Town/c",
    ]);
  });

  it("move together if a target names one of them", () => {
    const all = ["none Town/b 1 Town/a", "none Town/c 2 Town/b", "delete Town/a 3 Town/c"];
    for (const target of ["Town/a", "Town/b", "Town/c"])
      expect(changesOf({ b: "ulm", c: "bonn" }, { targets: [target] })).toEqual(all);
  });

  it("keep what a document protects, and refuse to delete what was protected", () => {
    const guarded = entries.map(
      ([at, entry]) => [at, { ...entry, lifecycle: { protect: true } }] as const,
    );
    const planned = (names: Readonly<Record<string, string>>) =>
      planFor({
        liveObjects,
        entries: guarded,
        desiredObjects: Object.entries(names).map(([at, called]) => townNamed(at, called)),
      });
    expect(planned({ a: "bonn", b: "ulm", c: "kiel" }).diagnostics).toEqual([]);
    expect(planned({ b: "ulm", c: "bonn" }).diagnostics).toMatchObject([
      { code: "protected", address: "Town/a" },
    ]);
  });

  it("keep the objects of their addresses where one has a new key", () => {
    expect(changesOf({ a: "bonn", b: "koeln", c: "kiel" })).toEqual([
      "update Town/b 2",
      "update Town/a 1",
    ]);
  });

  it("follow movedFrom first, also from an address that is declared for another object", () => {
    const moved = { ...townNamed("d", "koeln"), rules: { movedFrom: "Town/c" } };
    const desiredObjects = [townNamed("b", "ulm"), townNamed("c", "bonn"), moved];
    expect(changesOf({}, { desiredObjects })).toEqual([
      "none Town/b 1 Town/a",
      "none Town/c 2 Town/b",
      "update Town/d 3 Town/c",
      "forget Town/a 1",
    ]);
    const chain = [
      { ...townNamed("b", "essen"), rules: { movedFrom: "Town/a" } },
      { ...townNamed("c", "koeln"), rules: { movedFrom: "Town/b" } },
      { ...townNamed("d", "kiel"), rules: { movedFrom: "Town/c" } },
    ];
    expect(changesOf({}, { desiredObjects: chain })).toEqual([
      "update Town/b 1 Town/a",
      "update Town/c 2 Town/b",
      "none Town/d 3 Town/c",
      "forget Town/a 1",
    ]);
  });

  it("refuse movedFrom from a document that keeps its object", () => {
    const moved = { ...townNamed("d", "koeln"), rules: { movedFrom: "Town/c" } };
    const desiredObjects = [townNamed("a", "ulm"), townNamed("b", "bonn"), townNamed("c", "kiel")];
    const refused = { liveObjects, entries, desiredObjects: [...desiredObjects, moved] };
    expect(changeSummaries(refused)).toEqual(["refuse Town/d"]);
    expect(diagnosticCodes(refused)).toEqual(["duplicate-address"]);
  });

  it("advise movedFrom with the address at which the object is recorded", () => {
    const alike = (name: string, called: string) => townNamed(name, called, { motto: "7" });
    const { diagnostics } = planFor({
      desiredObjects: [townNamed("b", "ulm"), alike("d", "koeln")],
      liveObjects: [liveTown("1", "ulm"), liveTown("2", "bonn", { motto: "7" })],
      entries: [
        townEntry("a", "1", "ulm"),
        appliedEntry(town, "b", { spec: { name: "bonn", motto: "7" }, id: "2" }),
      ],
    });
    expect(diagnostics).toMatchObject([
      {
        code: "likely-rename",
        summary: "Town/d resembles Town bonn, which is no longer declared",
        remedy: expect.stringContaining("`movedFrom: Town/b`") as string,
      },
    ]);
  });

  it("match by a key that two objects are recorded with the one that is live", () => {
    const twice = [townEntry("a", "1", "ulm"), townEntry("b", "2", "ulm")];
    expect(
      changesOf({ c: "ulm" }, { entries: twice, liveObjects: [liveTown("1", "ulm")] }),
    ).toEqual(["none Town/c 1 Town/a", "forget Town/a 1", "forget Town/b 2"]);
  });

  it("rename the object of a document that gets the key of one that is gone", () => {
    const two = [townEntry("a", "1", "ulm"), townEntry("b", "2", "bonn")];
    const live = [liveTown("1", "ulm")];
    expect(changesOf({ a: "bonn" }, { entries: two, liveObjects: live })).toEqual([
      "update Town/a 1",
      "forget Town/b 2",
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
      "replace House/h",
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

  it("belongs to the object in its parent, although another parent has the name today", () => {
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
      ["replace", "House/c", "12"],
      ["none", "House/b", "13"],
      ["delete", "House/d", "11"],
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
    expect(diagnosticCodes(swap)).toEqual(["not-supported", "not-supported"]);
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
