// Tests plans that are limited to targets: the changes that they select, leave out and refuse.
import { describe, expect, it } from "vitest";
import { assertTargets } from "./targets.ts";
import {
  appliedEntry,
  desiredObject,
  house,
  type PlanInput,
  planFor,
  town,
} from "../../test/support/plan-fixtures.ts";

const townNamed = (name: string, more = {}) =>
  desiredObject(town, name, { spec: { name, ...more } });
const houseIn = (name: string, parent: string) =>
  desiredObject(house, name, { spec: { name, town: parent }, needs: [`Town/${parent}`] });
const ownedTown = (name: string, id: string, more = {}) => ({
  entry: appliedEntry(town, name, { spec: { name, ...more }, id }),
  live: { kind: town, id, spec: { name, ...more } },
});
const ownedHouse = (name: string, parent: string, id: string) => {
  const spec = { name, town: parent };
  return { entry: appliedEntry(house, name, { spec, id }), live: { kind: house, id, spec } };
};
const actions = (planned: PlanInput) =>
  planFor(planned).changes.map(({ action, address }) => `${action} ${address}`);

describe("a plan with targets", () => {
  const desiredObjects = [townNamed("ulm"), houseIn("tall", "ulm"), townNamed("bonn")];

  it("contains the target and what it depends on, and counts what it leaves out", () => {
    const planned = planFor({ desiredObjects, targets: ["House/tall"] });
    expect(planned.changes.map(({ address }) => address)).toEqual(["Town/ulm", "House/tall"]);
    expect(planned.targets).toEqual(["House/tall"]);
    expect(planned.diagnostics.map(({ code, summary }) => `${code}: ${summary}`)).toEqual([
      "not-targeted: 1 resource is not in this plan because of --target",
    ]);
    expect(actions({ desiredObjects, targets: ["Town/ulm"] })).toEqual(["create Town/ulm"]);
  });

  it("has no findings about other objects", () => {
    const taken = { kind: town, id: "9", spec: { name: "bonn" } };
    const input = { desiredObjects, liveObjects: [taken], targets: ["Town/ulm"] };
    expect(planFor(input).diagnostics.map(({ code }) => code)).toEqual(["not-targeted"]);
    expect(planFor({ desiredObjects, liveObjects: [taken] }).diagnostics[0]?.code).toBe(
      "not-owned",
    );
  });

  it("counts only what it contains as unchanged", () => {
    const [one, other] = [ownedTown("ulm", "1"), ownedTown("bonn", "2")];
    const owned = { entries: [one.entry, other.entry], liveObjects: [one.live, other.live] };
    expect(planFor({ desiredObjects, ...owned }).unchanged).toBe(2);
    const targeted = planFor({ desiredObjects, ...owned, targets: ["House/tall"] });
    expect([targeted.unchanged, targeted.changes.length]).toEqual([1, 1]);
  });

  it.each([
    ["House/talk", "Did you mean House/tall? "],
    ["tall", "Did you mean House/tall? "],
    ["Deployment/something", ""],
  ])("is refused for %s, which names nothing", (target, hint) => {
    const targets = ["Town/ulm", target];
    expect(() => assertTargets({ targets, desiredObjects, ownedAddresses: [] })).toThrow(
      expect.objectContaining({
        code: "usage",
        message: `the stack has no ${target} to target`,
        remedy: `${hint}Use addresses of documents or of objects that the stack owns: Kind/name.`,
      }),
    );
  });
});

describe("a delete", () => {
  const [old, inside] = [ownedTown("old", "1"), ownedHouse("small", "old", "2")];
  const owned = { entries: [old.entry, inside.entry], liveObjects: [old.live, inside.live] };

  it("is planned only for a target, with what it cascades to", () => {
    const desiredObjects = [townNamed("new")];
    expect(actions({ desiredObjects, ...owned, targets: ["Town/new"] })).toEqual([
      "create Town/new",
    ]);
    expect(actions({ desiredObjects, ...owned, targets: ["Town/old"] })).toEqual([
      "delete House/small",
      "delete Town/old",
    ]);
  });

  it("that a target waits for blocks the target and is named", () => {
    const first = { ...ownedTown("a", "1", { land: "x" }), entry: ownedTown("old", "1").entry };
    const planned = planFor({
      // An object that is no longer declared has the name: someone else gave it that name.
      desiredObjects: [desiredObject(town, "b", { spec: { name: "a", land: "y" } })],
      entries: [first.entry, ownedTown("b", "2", { land: "y" }).entry],
      liveObjects: [first.live, { kind: town, id: "2", spec: { name: "b", land: "y" } }],
      targets: ["Town/b"],
    });
    expect(planned.changes.map(({ address, blockedBy }) => [address, blockedBy])).toEqual([
      ["Town/b", [{ code: "not-targeted" }]],
    ]);
    expect(planned.diagnostics).toContainEqual(
      expect.objectContaining({ severity: "error", remedy: "Add --target Town/old." }),
    );
  });
});

describe("a replacement", () => {
  it("includes what it deletes, which no target named", () => {
    const [parent, child] = [ownedTown("ulm", "1", { land: "x" }), ownedHouse("tall", "ulm", "2")];
    const planned = {
      desiredObjects: [townNamed("ulm", { land: "y" }), houseIn("tall", "ulm"), townNamed("bonn")],
      entries: [parent.entry, child.entry],
      liveObjects: [parent.live, child.live],
      targets: ["Town/ulm"],
    };
    expect(actions(planned)).toEqual(["replace Town/ulm", "replace House/tall"]);
  });
});

describe("a document with another name", () => {
  it("includes its former address, from both sides", () => {
    const { entry, live } = ownedTown("ulm", "1");
    const desiredObjects = [desiredObject(town, "new", { spec: { name: "ulm" } }), townNamed("b")];
    for (const target of ["Town/new", "Town/ulm"]) {
      expect(
        actions({ desiredObjects, entries: [entry], liveObjects: [live], targets: [target] }),
      ).toEqual(["none Town/new", "forget Town/ulm"]);
    }
  });
});

describe("a plan that leaves live edits", () => {
  const edited = (name: string, id: string) => {
    const { entry } = ownedTown(name, id, { motto: "as declared" });
    return { entry, live: { kind: town, id, spec: { name, motto: "edited" } } };
  };
  const ulm = edited("ulm", "1");
  const gone = ownedTown("bonn", "2").entry;

  it("has what the documents change, and not what only the server changed", () => {
    const input = {
      desiredObjects: [
        townNamed("ulm", { motto: "as declared" }),
        townNamed("bonn"),
        townNamed("jena"),
        houseIn("tall", "ulm"),
      ],
      entries: [ulm.entry, gone],
      liveObjects: [ulm.live],
    };
    expect(actions(input)).toHaveLength(4);
    expect(actions({ ...input, leavesDrift: true }).toSorted()).toEqual([
      "create House/tall",
      "create Town/jena",
    ]);
  });

  it("is a conflict where a change of the documents would undo a live edit", () => {
    const spec = { motto: "as declared", land: "new" };
    const input = {
      desiredObjects: [townNamed("ulm", spec)],
      entries: [ownedTown("ulm", "1", { ...spec, land: "old" }).entry],
      liveObjects: [{ kind: town, id: "1", spec: { name: "ulm", motto: "edited", land: "old" } }],
    };
    expect(planFor(input).changes[0]).toMatchObject({ direction: "drifted" });
    const { changes } = planFor({ ...input, leavesDrift: true });
    expect(changes).toMatchObject([{ address: "Town/ulm", direction: "conflict" }]);
  });

  it("creates a deleted object that a change of the documents needs", () => {
    const input = { desiredObjects: [townNamed("bonn"), houseIn("tall", "bonn")], entries: [gone] };
    expect(actions({ ...input, leavesDrift: true })).toEqual([
      "create Town/bonn",
      "create House/tall",
    ]);
  });
});
