// Tests the verification of executed changes: the fields that still differ on the server.
import { describe, expect, it } from "vitest";
import { kindsByName } from "../../core/kind/kind.ts";
import {
  appliedEntry,
  fingerprints,
  house,
  type PlanInput,
  planFor,
  town,
  townKinds,
  desiredObject,
  liveFrom,
} from "../../test/support/plan-fixtures.ts";
import { residual } from "./verify.ts";

/** Returns the residual changes of a plan, given the live state `then`. */
function residualOf(planned: PlanInput, then: Parameters<typeof liveFrom>[0]): string[] {
  const kinds = kindsByName(townKinds);
  return residual(planFor(planned).changes, { live: liveFrom(then), kinds, fingerprints }).map(
    ({ action, address, fields }) => [action, address, ...fields.map(({ path }) => path)].join(" "),
  );
}

const spec = { name: "a", motto: "onward" };
const desiredObjects = [desiredObject(town, "a", { spec: { ...spec, code: "secret" } })];
const entries = [appliedEntry(town, "b", { spec: { name: "b" }, id: "2" })];
const other = { kind: town, id: "2", spec: { name: "b" } };

describe("what was written", () => {
  it("has no finding if it is as declared; fields that cannot be read count as written", () => {
    expect(residualOf({ desiredObjects }, [{ kind: town, id: "1", spec }])).toEqual([]);
  });

  it("is reported if it differs or is missing", () => {
    const bent = { kind: town, id: "1", spec: { ...spec, motto: "upward" } };
    expect(residualOf({ desiredObjects }, [bent])).toEqual(["update Town/a /motto"]);
    expect(residualOf({ desiredObjects }, [])).toEqual(["create Town/a"]);
  });

  it("is reported if it was deleted and still exists", () => {
    const planned = { desiredObjects: [], liveObjects: [other], entries };
    const pruned = {
      ...planned,
      desiredObjects: [desiredObject(town, "c", { spec: { name: "c" } })],
    };
    const created = { kind: town, id: "3", spec: { name: "c" } };
    expect(residualOf(pruned, [created])).toEqual([]);
    expect(residualOf(pruned, [created, other])).toEqual(["delete Town/b"]);
    // Another object has its key since.
    expect(residualOf(pruned, [created, { ...other, id: "4" }])).toEqual([]);
  });

  it("is found by its key after a replacement, even if another object has its former ID", () => {
    const at = (name: string) => ({ town: "x", name });
    const north = { kind: house, id: "x/1", spec: at("north") };
    const planned = {
      desiredObjects: [
        desiredObject(house, "a", { spec: at("south") }),
        desiredObject(house, "b", { spec: at("north") }),
      ],
      liveObjects: [north],
      entries: [appliedEntry(house, "a", { spec: at("north"), id: "x/1" })],
    };
    const south = { kind: house, id: "x/2", spec: at("south") };
    expect(residualOf(planned, [north, south])).toEqual([]);
    expect(residualOf(planned, [{ ...north, id: "x/3" }])).toEqual(["create House/a"]);
  });

  it("counts as deleted if another written object has its ID now", () => {
    const at = (name: string) => ({ town: "x", name });
    const [south, north] = [
      { kind: house, id: "x/1", spec: at("south") },
      { kind: house, id: "x/2", spec: at("north") },
    ];
    const planned = {
      desiredObjects: [desiredObject(house, "a", { spec: at("north") })],
      liveObjects: [south, north],
      entries: [
        appliedEntry(house, "a", { spec: at("south"), id: "x/1" }),
        appliedEntry(house, "b", { spec: at("middle"), id: "x/2" }),
      ],
    };
    expect(residualOf(planned, [north])).toEqual([]);
    expect(residualOf(planned, [south, north])).toEqual(["replace House/a /name"]);
    expect(residualOf(planned, [south])).toEqual(["replace House/a /name"]);
  });
});
