// Objects that a delete or a replacement would cascade to wait for it.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { field } from "../../core/schema/traits.ts";
import type { Change, DesiredObject } from "../model/index.ts";
import { desiredObject, house, town, townKinds } from "../../test/support/plan-fixtures.ts";
import { sampleChange, sampleMatch } from "../../test/support/sample-plans.ts";
import { withCascadeDependencies } from "./cascade-dependencies.ts";

/** Deleted with the town that it refers to. */
const permit: Kind = {
  ...town,
  name: "Permit",
  cascades: false,
  spec: Type.Object({
    name: field(Type.String(), { doc: "Name." }),
    town: field(Type.String(), { doc: "Town.", refersTo: "Town", cascadeDelete: true }),
  }),
};

/** Creates the `House` that it names, if that does not exist. */
const visit: Kind = {
  ...house,
  name: "Visit",
  scope: [],
  key: ["guest"],
  createsImplicitly: { kind: "House", key: ["town", "house"] },
  spec: Type.Object({
    guest: field(Type.String(), { doc: "Guest." }),
    town: field(Type.String(), { doc: "Town." }),
    house: field(Type.String(), { doc: "House." }),
  }),
};

const kinds = new Map([...townKinds, permit, visit].map((kind) => [kind.name, kind]));
const permitIn = (of: string) =>
  desiredObject(permit, "p", { spec: { name: "p", town: of }, needs: [`Town/${of}`] });
const visitTo = desiredObject(visit, "v", { spec: { guest: "v", town: "ulm", house: "tall" } });
const townNow = (name: string, called = name) =>
  desiredObject(town, name, { spec: { name: called } });

/** Returns the dependencies of the first object; `live` has observed specs by address. */
function needs(
  objects: readonly DesiredObject[],
  removed: readonly Change[],
  live: Readonly<Record<string, JsonObject>> = {},
): readonly string[] | undefined {
  const matchOf = ({ address }: DesiredObject) => {
    const spec = live[address];
    return sampleMatch({ observed: spec && { id: "1", spec, status: {} } });
  };
  return withCascadeDependencies(objects, { kinds, removed, matchOf })[0]?.dependsOn;
}

describe("an object with a field that cascades", () => {
  const moved = permitIn("bonn");
  const live = { "Permit/p": { name: "p", town: "ulm" } };

  it("waits for the delete of what it refers to on the server", () => {
    const removed = [sampleChange("delete", "Town/old", { key: "ulm" })];
    expect(needs([moved], removed, live)).toEqual(["Town/bonn", "Town/old"]);
    expect(needs([moved], [sampleChange("delete", "Town/kiel")], live)).toEqual(["Town/bonn"]);
  });

  it("waits for the object whose delete cascades to that", () => {
    const removed = [sampleChange("delete", "Town/ulm", { cascadedBy: "Town/land" })];
    expect(needs([moved], removed, live)).toEqual(["Town/bonn", "Town/land"]);
  });

  it.each(["forget", "orphan"] as const)("does not wait for a %s", (action) => {
    expect(needs([moved], [sampleChange(action, "Town/ulm")], live)).toEqual(["Town/bonn"]);
  });

  it("waits for a declared object that is there, which may be replaced, or renamed", () => {
    const withUlm = { ...live, "Town/u": { name: "ulm" } };
    expect(needs([moved, townNow("u", "ulm")], [], withUlm)).toEqual(["Town/bonn", "Town/u"]);
    expect(needs([moved, townNow("u", "neu-ulm")], [], withUlm)).toEqual(["Town/bonn", "Town/u"]);
  });

  it("waits for nothing before it exists", () => {
    expect(needs([moved], [sampleChange("delete", "Town/ulm")])).toEqual(["Town/bonn"]);
  });
});

describe("an object that implies another one", () => {
  const deletesHouse = sampleChange("delete", "House/tall", { key: "ulm/tall" });

  it("waits for the delete of that one, and of its parents, even before it exists", () => {
    expect(needs([visitTo], [deletesHouse])).toEqual(["House/tall"]);
    expect(needs([visitTo], [sampleChange("delete", "Town/ulm")])).toEqual(["Town/ulm"]);
    const other = sampleChange("delete", "House/tall", { key: "bonn/tall" });
    expect(needs([visitTo], [other])).toEqual([]);
  });

  it("waits for an object that gives that name away, not for one that keeps it", () => {
    const live = { "Town/u": { name: "ulm" } };
    expect(needs([visitTo, townNow("u", "neu-ulm")], [], live)).toEqual(["Town/u"]);
    expect(needs([visitTo, townNow("u", "ulm")], [], live)).toEqual([]);
  });
});

it("other objects wait for nothing", () => {
  const tall = desiredObject(house, "tall", { spec: { town: "ulm", name: "tall" } });
  const live = { "House/tall": { town: "ulm", name: "tall" } };
  expect(needs([tall, visitTo], [sampleChange("delete", "Town/ulm")], live)).toEqual([]);
});
