// Plans by example: ownership of live objects, removals, cascades, refusals.
import { describe, expect, it } from "vitest";
import {
  clearTowns,
  appliedEntry,
  house,
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

describe("a live object", () => {
  it("is ambiguous if several match one document", () => {
    const planned = {
      desiredObjects: [townNamed("a", "ulm")],
      liveObjects: [liveTown("1", "ulm"), liveTown("2", "ulm")],
    };
    expect(changeSummaries(planned)).toEqual(["refuse Town/a"]);
    expect(diagnosticCodes(planned)).toEqual(["ambiguous-live"]);
  });

  it("of another stack is not adopted, even on request", () => {
    const planned = {
      desiredObjects: [townNamed("a")],
      liveObjects: [liveTown("1", "a")],
      otherStacks: new Map([["Town/a", "other"]]),
    };
    expect(diagnosticCodes(planned)).toEqual(["owned-by-other-stack"]);
    expect(diagnosticCodes({ ...planned, adopt: true })).toEqual(["owned-by-other-stack"]);
  });

  it("has no owner until it is adopted", () => {
    const planned = { desiredObjects: [townNamed("a")], liveObjects: [liveTown("1", "a")] };
    expect(diagnosticCodes(planned)).toEqual(["not-owned"]);
    expect(changeSummaries({ ...planned, adopt: true })).toEqual(["adopt Town/a"]);
  });

  it("is drifted if another client deleted it, and pending if its create was interrupted", () => {
    const recreation = (pending: boolean) =>
      planFor({
        desiredObjects: [townNamed("a")],
        entries: [appliedEntry(town, "a", { spec: { name: "a" }, pending })],
      }).changes.map(({ action, direction }) => `${action} ${direction}`);
    expect(recreation(false)).toEqual(["create drifted"]);
    expect(recreation(true)).toEqual(["create pending"]);
  });

  it("is written again if its create was interrupted and its values cannot be read", () => {
    const spec = { name: "a", code: "secret" };
    const planned = (pending: boolean) => ({
      desiredObjects: [desiredObject(town, "a", { spec })],
      liveObjects: [liveTown("1", "a")],
      entries: [appliedEntry(town, "a", { spec, pending, id: "1" })],
    });
    expect(changeSummaries(planned(false))).toEqual([]);
    expect(changeSummaries(planned(true))).toEqual(["update Town/a /code"]);
  });
});

it("names what cannot be read back in one note, however many fields and objects have it", () => {
  const secret = (name: string) => desiredObject(town, name, { spec: { name, code: "secret" } });
  const { diagnostics } = planFor({ desiredObjects: [secret("a"), secret("b")] });
  expect(diagnostics).toMatchObject([
    {
      code: "not-verifiable",
      summary: "drift is not detected in what cannot be read back: Town.code of 2 objects",
    },
  ]);
});

describe("an object that is no longer declared", () => {
  const entries = [townEntry("a", "1"), townEntry("b", "2")];
  const liveObjects = [liveTown("1", "a"), liveTown("2", "b")];

  it("is deleted, or kept and reported if the stack does not prune", () => {
    expect(changeSummaries({ desiredObjects: [townNamed("a")], liveObjects, entries })).toEqual([
      "delete Town/b",
    ]);
    const kept = { desiredObjects: [townNamed("a")], liveObjects, entries, prune: false };
    expect(changeSummaries(kept)).toEqual(["orphan Town/b"]);
    expect(diagnosticCodes(kept)).toEqual(["orphan"]);
  });

  it("is in conflict if it was edited on the server too, and shows the edits", () => {
    const planned = (motto: string) =>
      planFor({
        desiredObjects: [townNamed("b")],
        liveObjects: [liveTown("1", "a", { motto }), liveTown("2", "b")],
        entries: [
          appliedEntry(town, "a", { spec: { name: "a", motto: "north" }, id: "1" }),
          townEntry("b", "2"),
        ],
      }).changes;
    expect(planned("north")).toMatchObject([{ direction: "pending", fields: [] }]);
    const field = { path: "/motto", before: "by hand", base: "north", direction: "conflict" };
    const deleted = { action: "delete", direction: "conflict", fields: [field] };
    expect(planned("by hand")).toMatchObject([deleted]);
    expect(planned("by hand")[0]?.fields[0]?.after).toBeUndefined();
  });

  it("is not in conflict about a field that cannot be read back", () => {
    const spec = { town: "b", name: "h" };
    const { changes } = planFor({
      desiredObjects: [townNamed("b")],
      liveObjects: [liveTown("2", "b"), { kind: house, id: "3", spec }],
      entries: [
        townEntry("b", "2"),
        appliedEntry(house, "h", { spec: { ...spec, twin: "b" }, id: "3" }),
      ],
    });
    expect(changes).toMatchObject([{ action: "delete", direction: "pending", fields: [] }]);
  });

  it("is kept if the stack declares nothing", () => {
    const planned = { desiredObjects: [], liveObjects, entries };
    expect(changeSummaries(planned)).toEqual(["orphan Town/a", "orphan Town/b"]);
    expect(diagnosticCodes(planned)).toEqual(["empty-input"]);
  });

  it("is forgotten if another object has its name now", () => {
    const again = [liveTown("1", "a"), liveTown("9", "b")];
    expect(
      changeSummaries({ desiredObjects: [townNamed("a")], liveObjects: again, entries }),
    ).toEqual(["forget Town/b"]);
  });

  it("is deleted by the delete of its parent, without a call of its own", () => {
    const spec = { town: "b", name: "h" };
    const { changes } = planFor({
      desiredObjects: [townNamed("a")],
      liveObjects: [...liveObjects, { kind: house, id: "3", spec }],
      entries: [...entries, appliedEntry(house, "h", { spec, id: "3" })],
    });
    expect(changes.map(({ address, cascadedBy: parent }) => [address, parent])).toEqual([
      ["House/h", "Town/b"],
      ["Town/b", undefined],
    ]);
  });
});

describe("an object that refers to a replaced object", () => {
  const inside = { town: "ulm", name: "h", twin: "ulm" };
  const desiredObjects = (land: string) => [
    desiredObject(town, "t", { spec: { name: "ulm", land } }),
    desiredObject(house, "h", { spec: inside, needs: ["Town/t"] }),
  ];
  const entries = [
    appliedEntry(town, "t", { spec: { name: "ulm", land: "here" }, id: "1" }),
    appliedEntry(house, "h", { spec: inside, id: "2" }),
  ];
  const { twin: _, ...seen } = inside;
  const liveObjects = [
    liveTown("1", "ulm", { land: "here" }),
    { kind: house, id: "2", spec: seen },
  ];

  it("is replaced too if the replaced object is its parent", () => {
    expect(
      changeSummaries({ desiredObjects: desiredObjects("here"), liveObjects, entries }),
    ).toEqual([]);
    expect(
      changeSummaries({ desiredObjects: desiredObjects("there"), liveObjects, entries }),
    ).toEqual(["replace Town/t /land", "replace House/h /twin"]);
  });

  it("gets its references written again if it has another parent", () => {
    const elsewhere = { town: "bonn", name: "h", twin: "ulm" };
    const planned = {
      desiredObjects: [
        desiredObject(town, "t", { spec: { name: "ulm", land: "there" } }),
        desiredObject(house, "h", { spec: elsewhere, needs: ["Town/t"] }),
      ],
      liveObjects: [
        liveObjects[0] ?? liveTown("1", "ulm"),
        { kind: house, id: "2", spec: { town: "bonn", name: "h" } },
      ],
      entries: [
        entries[0] ?? townEntry("t", "1"),
        appliedEntry(house, "h", { spec: elsewhere, id: "2" }),
      ],
    };
    expect(changeSummaries(planned)).toEqual(["replace Town/t /land", "update House/h /twin"]);
  });
});

describe("a server that lacks an operation", () => {
  const desiredObjects = [desiredObject(town, "a", { spec: { name: "a", motto: null } })];
  const entries = [appliedEntry(town, "a", { spec: { name: "a", motto: null }, id: "1" })];
  const liveObjects = [liveTown("1", "a", { motto: "onward" })];

  it("leaves fields that only that operation clears, and reports them", () => {
    expect(changeSummaries({ desiredObjects, liveObjects, entries })).toEqual([
      "update Town/a /motto",
    ]);
    const lacking = { desiredObjects, liveObjects, entries, missingOperations: [clearTowns] };
    expect(changeSummaries(lacking)).toEqual([]);
    expect(diagnosticCodes(lacking)).toEqual(["cannot-clear"]);
  });
});

describe("a blocked change", () => {
  it("blocks the changes that depend on it, through any number of steps, and no others", () => {
    const { changes } = planFor({
      desiredObjects: [
        desiredObject(house, "h", { spec: { town: "a", name: "h" }, needs: ["Town/a"] }),
        townNamed("a"),
        townNamed("b"),
      ],
      liveObjects: [liveTown("1", "a")],
    });
    expect(changes.map(({ address, blockedBy }) => [address, blockedBy.length > 0])).toEqual([
      ["Town/a", true],
      ["Town/b", false],
      ["House/h", true],
    ]);
  });

  it("leaves a frozen plan that is the same after it is saved", () => {
    const plan = planFor({ desiredObjects: [townNamed("a")] });
    expect(Object.isFrozen(plan.changes[0]?.precondition)).toBe(true);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});
