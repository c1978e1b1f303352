// The order of changes: references, keys that pass from one object to another, and deletes.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import type { Kind } from "../../core/kind/kind.ts";
import { field } from "../../core/schema/traits.ts";
import { desiredObject, house, town } from "../../test/support/plan-fixtures.ts";
import { sampleChange, sampleMatch } from "../../test/support/sample-plans.ts";
import { declaredOrderOf, inExecutionOrder } from "./execution-order.ts";

/** Fixed in its town, but renamed in place. */
const room: Kind = {
  ...house,
  name: "Room",
  spec: Type.Object({
    ...house.spec.properties,
    name: field(Type.String(), { doc: "Name." }),
  }),
};

const one = (kind: Kind, name: string, needs: readonly string[] = []) =>
  desiredObject(kind, name, { spec: kind === town ? { name } : { town: "ulm", name }, needs });

/** Orders objects; `owners` has the address that has the key of an address now. */
function order(
  objects: readonly ReturnType<typeof one>[],
  owners: Readonly<Record<string, string | undefined>>,
) {
  const found = declaredOrderOf(objects, ({ address }) => {
    const observed = { id: "1", spec: {}, status: {} };
    const owner = owners[address];
    return sampleMatch(address in owners ? { conflictingObject: { observed, owner } } : {});
  });
  return {
    layers: Object.fromEntries(found.layers),
    waitsFor: Object.fromEntries(found.waitsFor),
    circular: [...found.circular].toSorted(),
  };
}

describe("an object whose key another one has", () => {
  it("comes after the other one, and after its own references", () => {
    const objects = [one(town, "a", ["Town/c"]), one(town, "b"), one(town, "c")];
    expect(order(objects, { "Town/a": "Town/b" })).toEqual({
      layers: { "Town/a": 1, "Town/b": 0, "Town/c": 0 },
      waitsFor: { "Town/a": "Town/b" },
      circular: [],
    });
  });

  it("waits for nothing if no document owns the other one", () => {
    expect(order([one(town, "a")], { "Town/a": undefined })).toEqual({
      layers: { "Town/a": 0 },
      waitsFor: {},
      circular: [],
    });
  });
});

describe("objects that exchange their keys", () => {
  const exchange = (kind: Kind) =>
    order([one(kind, "a"), one(kind, "b")], {
      [`${kind.name}/a`]: `${kind.name}/b`,
      [`${kind.name}/b`]: `${kind.name}/a`,
    });

  it.each([town, room])("block each other if they are renamed in place: $name", (kind) => {
    expect(exchange(kind)).toEqual({
      layers: { [`${kind.name}/a`]: 0, [`${kind.name}/b`]: 0 },
      waitsFor: {},
      circular: [`${kind.name}/a`, `${kind.name}/b`],
    });
  });

  it("are replaced in one layer if every key field replaces", () => {
    expect(exchange(house)).toMatchObject({
      layers: { "House/a": 0, "House/b": 0 },
      circular: [],
    });
  });

  it("are all found, in several cycles, and leave other waits as they are", () => {
    const names = ["a", "b", "c", "d", "e"].map((name) => one(town, name));
    const found = order(names, {
      "Town/a": "Town/b",
      "Town/b": "Town/a",
      "Town/c": "Town/d",
      "Town/d": "Town/c",
      "Town/e": "Town/a",
    });
    expect(found.circular).toEqual(["Town/a", "Town/b", "Town/c", "Town/d"]);
    expect([found.waitsFor, found.layers["Town/e"]]).toEqual([{ "Town/e": "Town/a" }, 1]);
  });
});

it("a key that is released by an object that refers to its next owner is circular; the reference keeps its order", () => {
  const objects = [one(town, "a"), one(town, "b", ["Town/a"])];
  expect(order(objects, { "Town/a": "Town/b" })).toEqual({
    layers: { "Town/a": 0, "Town/b": 1 },
    waitsFor: {},
    circular: ["Town/a"],
  });
});

describe("the order of execution", () => {
  const declared = (name: string, layer: number, needs: readonly string[] = []) =>
    sampleChange(layer === 0 ? "create" : "update", `Town/${name}`, {
      layer,
      dependsOn: needs,
      desired: { name },
    });
  const addresses = (changes: Parameters<typeof inExecutionOrder>[0]) =>
    inExecutionOrder(changes).map(({ address }) => address.slice("Town/".length));

  it("has creates and updates by layer, then deletes from the highest layer down", () => {
    const changes = [
      sampleChange("delete", "Town/outer", { layer: 0 }),
      declared("late", 3),
      sampleChange("delete", "Town/inner", { layer: 2 }),
      declared("early", 0),
    ];
    expect(addresses(changes)).toEqual(["early", "late", "inner", "outer"]);
  });

  it("begins with a delete that releases a key, but not with what is only forgotten", () => {
    const changes = [
      declared("new", 0, ["Town/old", "Town/lost"]),
      sampleChange("delete", "Town/other"),
      sampleChange("forget", "Town/lost"),
      sampleChange("delete", "Town/old"),
    ];
    expect(addresses(changes)).toEqual(["old", "new", "other", "lost"]);
  });

  it("keeps the order of documents in a layer", () => {
    const changes = ["c", "a", "b"].map((name) => declared(name, 1));
    expect(addresses(changes)).toEqual(["c", "a", "b"]);
  });
});
