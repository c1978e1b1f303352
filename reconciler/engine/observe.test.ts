// Tests the reads for many requests: each collection once, with the fields that any request needs.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, ObservedObject, Reader, ScopeKey } from "../../core/kind/kind.ts";
import { house, liveFrom, town } from "../../test/support/plan-fixtures.ts";
import { fieldNames, observeAll, observedObjectOf, type ObserveRequest } from "./observe.ts";

/** The kinds of these tests read from memory. */
const reader = {} as Reader;

const nameIn = (spec: JsonObject): string => spec["name"] as string;

interface ReadCall {
  readonly kind: string;
  readonly scope: ScopeKey;
  readonly fields: readonly string[];
}

/** A kind whose objects are these, and the collections that were read. */
function readable(
  kind: Kind,
  objects: readonly JsonObject[],
  { hasDetail = false, fails = false } = {},
) {
  const reads: ReadCall[] = [];
  const details: string[] = [];
  const isInside = (scope: ScopeKey) => (spec: JsonObject) =>
    Object.entries(scope).every(([name, value]) => spec[name] === value);
  const read = async (_: Reader, scope: ScopeKey, interest: ReadonlySet<string>) => {
    reads.push({ kind: kind.name, scope, fields: [...interest].toSorted() });
    if (fails) throw new Error(`${kind.plural} cannot be read`);
    return objects
      .filter(isInside(scope))
      .map((spec): ObservedObject => ({ id: `id-${nameIn(spec)}`, spec, status: {} }));
  };
  const detail = async (_: Reader, one: ObservedObject) => {
    details.push(nameIn(one.spec));
    return { ...one, spec: { ...one.spec, motto: "read" } };
  };
  const observe = { ...kind.bindings.observe, read, ...(hasDetail && { detail }) };
  return { kind: { ...kind, bindings: { ...kind.bindings, observe } }, reads, details };
}

const houseIn = (
  kind: Kind,
  place: string,
  name: string,
  fields: readonly string[] = [],
): ObserveRequest => ({ kind, scope: { town: place }, fields, key: `${place}/${name}` });

describe("observing all requests", () => {
  it("reads nothing if there are no requests", async () => {
    expect((await observeAll([], { reader })).size).toBe(0);
  });

  it("reads each collection once, with the fields of all requests, in any order", async () => {
    const houses = readable(house, [
      { town: "ulm", name: "one" },
      { town: "bonn", name: "two" },
    ]);
    const { kind } = houses;
    const live = await observeAll(
      [
        houseIn(kind, "ulm", "one", ["name"]),
        houseIn(kind, "bonn", "two", ["twin"]),
        houseIn(kind, "ulm", "three"),
        houseIn(kind, "ulm", "four", ["town"]),
      ],
      { reader },
    );
    expect(houses.reads).toEqual([
      { kind: "House", scope: { town: "ulm" }, fields: ["name", "town", "twin"] },
      { kind: "House", scope: { town: "bonn" }, fields: ["name", "town", "twin"] },
    ]);
    expect([...(live.get("House")?.byKey.keys() ?? [])]).toEqual(["ulm/one", "bonn/two"]);
  });

  it("keeps scopes apart whose text is alike", async () => {
    const { kind, reads } = readable(house, []);
    await observeAll(
      ["a", "a/b", 'a"', "a\\", ""].map((place) => houseIn(kind, place, "one")),
      { reader },
    );
    expect(reads.map(({ scope }) => scope["town"])).toEqual(["a", "a/b", 'a"', "a\\", ""]);
  });

  it("reads 20,000 objects of one collection with one call", async () => {
    const { kind, reads } = readable(town, []);
    function* many(): Generator<ObserveRequest> {
      for (let n = 0; n < 20_000; n++) yield { kind, scope: {}, fields: ["name"], key: `t${n}` };
    }
    await observeAll(many(), { reader });
    expect(reads).toHaveLength(1);
  });

  it("reads details only of requested objects: by key, or by ID if they were renamed", async () => {
    const specs = ["ulm", "bonn", "rome"].map((name) => ({ name }));
    const { kind, details } = readable(town, specs, { hasDetail: true });
    const live = await observeAll(
      [
        { kind, scope: {}, fields: ["motto"], key: "ulm" },
        { kind, scope: {}, fields: ["motto"], key: "bonn-before", id: "id-bonn" },
        { kind, scope: {}, fields: ["motto"], key: "new" },
      ],
      { reader },
    );
    expect(details.toSorted()).toEqual(["bonn", "ulm"]);
    expect(live.get("Town")?.byKey.get("rome")?.spec).toEqual({ name: "rome" });
  });

  it("fails with the failure of any collection, and stops after an abort", async () => {
    const failing = readable(town, [], { fails: true });
    const houses = readable(house, []);
    const requests = [
      houseIn(houses.kind, "ulm", "one"),
      { kind: failing.kind, scope: {}, fields: [], key: "ulm" },
    ];
    await expect(observeAll(requests, { reader })).rejects.toThrow("towns cannot be read");
    const signal = AbortSignal.abort();
    await expect(observeAll(requests, { reader, signal })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(failing.reads).toHaveLength(1);
  });
});

describe("the live object of a change", () => {
  const live = liveFrom([
    { kind: town, id: "1", spec: { name: "ulm" } },
    { kind: town, id: "2", spec: { name: "bonn" } },
  ]);
  const nameOf = (change: Parameters<typeof observedObjectOf>[1]) =>
    observedObjectOf(town, change, live)?.spec["name"];

  it.each<[string, Parameters<typeof observedObjectOf>[1], string | undefined]>([
    ["by its ID, whatever its key is", { key: "ulm", id: "2" }, "bonn"],
    ["by its key without an ID", { key: "ulm", id: undefined }, "ulm"],
    ["by its key if no object has the ID", { key: "ulm", id: "9" }, "ulm"],
    ["by its former key before a rename", { key: "new", from: { key: "bonn", scope: {} } }, "bonn"],
    [
      "not by its new key before a rename",
      { key: "ulm", from: { key: "x", scope: {} } },
      undefined,
    ],
    ["not at all if it does not exist", { key: "rome" }, undefined],
  ])("is found %s", (_, change, expected) => {
    expect(nameOf(change)).toBe(expected);
  });

  it("does not exist in a type that was not read", () => {
    expect(observedObjectOf(town, { key: "ulm" }, new Map())).toBeUndefined();
  });
});

it("null is a set field, and undefined is not", () => {
  expect(fieldNames({ a: null, b: undefined, c: false, d: "" })).toEqual(["a", "c", "d"]);
  expect(fieldNames({})).toEqual([]);
});
