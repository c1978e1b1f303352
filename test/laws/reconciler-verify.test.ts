// Reading back by example: what still differs of changes that were carried out.
import { describe, expect, it } from "vitest";
import {
  entryOf,
  fingerprints,
  house,
  type Planned,
  planFor,
  town,
  townKinds,
  wishFor,
  worldOf,
} from "../support/planning.ts";
import { residual } from "../../reconciler/applying/verify.ts";

/** What is left of the plan's changes in the world as it is `then`. */
function left(planned: Planned, then: Parameters<typeof worldOf>[0]): string[] {
  const kinds = new Map(townKinds.map((kind) => [kind.name, kind]));
  return residual(planFor(planned).changes, { live: worldOf(then), kinds, fingerprints }).map(
    ({ action, address, fields }) => [action, address, ...fields.map(({ path }) => path)].join(" "),
  );
}

const spec = { name: "a", motto: "onward" };
const wishes = [wishFor(town, "a", { spec: { ...spec, code: "secret" } })];
const entries = [entryOf(town, "b", { spec: { name: "b" }, id: "2" })];
const other = { kind: town, id: "2", spec: { name: "b" } };

describe("what was written", () => {
  it("leaves nothing where it is as wished; what cannot be read is believed", () => {
    expect(left({ wishes }, [{ kind: town, id: "1", spec }])).toEqual([]);
  });

  it("is told where it differs, and where it is not there", () => {
    const bent = { kind: town, id: "1", spec: { ...spec, motto: "upward" } };
    expect(left({ wishes }, [bent])).toEqual(["update Town/a /motto"]);
    expect(left({ wishes }, [])).toEqual(["create Town/a"]);
  });

  it("is told where it was to be gone and still exists", () => {
    const planned = { wishes: [], world: [other], entries };
    const pruned = { ...planned, wishes: [wishFor(town, "c", { spec: { name: "c" } })] };
    const made = { kind: town, id: "3", spec: { name: "c" } };
    expect(left(pruned, [made])).toEqual([]);
    expect(left(pruned, [made, other])).toEqual(["delete Town/b"]);
    // Another object has its key since.
    expect(left(pruned, [made, { ...other, id: "4" }])).toEqual([]);
  });

  it("is found by its key where it was replaced, whoever has its former id since", () => {
    const at = (name: string) => ({ town: "x", name });
    const north = { kind: house, id: "x/1", spec: at("north") };
    const planned = {
      wishes: [
        wishFor(house, "a", { spec: at("south") }),
        wishFor(house, "b", { spec: at("north") }),
      ],
      world: [north],
      entries: [entryOf(house, "a", { spec: at("north"), id: "x/1" })],
    };
    const south = { kind: house, id: "x/2", spec: at("south") };
    expect(left(planned, [north, south])).toEqual([]);
    expect(left(planned, [{ ...north, id: "x/3" }])).toEqual(["create House/a"]);
  });

  it("is gone where another object was written that has its very id since", () => {
    const at = (name: string) => ({ town: "x", name });
    const [south, north] = [
      { kind: house, id: "x/1", spec: at("south") },
      { kind: house, id: "x/2", spec: at("north") },
    ];
    const planned = {
      wishes: [wishFor(house, "a", { spec: at("north") })],
      world: [south, north],
      entries: [
        entryOf(house, "a", { spec: at("south"), id: "x/1" }),
        entryOf(house, "b", { spec: at("north"), id: "x/2" }),
      ],
    };
    expect(left(planned, [north])).toEqual([]);
    expect(left(planned, [south, north])).toEqual(["replace House/a /name"]);
    expect(left(planned, [south])).toEqual(["replace House/a /name"]);
  });
});
