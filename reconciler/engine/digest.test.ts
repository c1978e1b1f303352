// Tests of the digests that show whether an object or an inventory changed since a plan.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import {
  appliedEntry,
  fingerprints,
  inventoryWith,
  town,
} from "../../test/support/plan-fixtures.ts";
import { digest, inventoryDigest, preconditionHolds, preconditionOf } from "./digest.ts";

const of = fingerprints.of;
const observed = (spec: JsonObject, id = "1") => ({ id, spec, status: {} });
const ulm = observed({ name: "ulm", motto: "old", land: "x" });

it("is equal for values that differ in the order of members only", () => {
  expect(digest({ a: 1, b: [1, 2] })).toBe(digest({ b: [1, 2], a: 1 }));
  expect(digest({ a: [1, 2] })).not.toBe(digest({ a: [2, 1] }));
});

describe("the digest of an inventory", () => {
  const a = appliedEntry(town, "a", { spec: { name: "a" } });
  const b = appliedEntry(town, "b", { spec: { name: "b" } });

  it("does not depend on the order of entries, nor on the serial", () => {
    const one = inventoryDigest(inventoryWith([a, b]));
    expect(inventoryDigest({ ...inventoryWith([b, a]), serial: 9 })).toBe(one);
  });

  it.each([
    ["an entry less", [a]],
    ["another value", [a, appliedEntry(town, "b", { spec: { name: "b", motto: "m" } })]],
    ["another address", [a, ["Town/c", b[1]] as const]],
  ])("differs with %s", (_, entries) => {
    expect(inventoryDigest(inventoryWith(entries))).not.toBe(
      inventoryDigest(inventoryWith([a, b])),
    );
  });
});

describe("a precondition", () => {
  const holds = (fields: readonly string[], after: Parameters<typeof preconditionHolds>[2]) =>
    preconditionHolds(preconditionOf(town, ulm, { fields, of }), { kind: town, of }, after);

  it("holds while the fields that it is about stay the same", () => {
    expect(holds(["motto"], observed({ name: "ulm", motto: "old", land: "y" }))).toBe(true);
    expect(holds(["motto"], observed({ name: "ulm", motto: "new", land: "x" }))).toBe(false);
    expect(holds(["motto"], observed({ name: "ulm", land: "x" }))).toBe(false);
  });

  it("does not hold for another object, nor without one", () => {
    expect(holds([], observed(ulm.spec, "2"))).toBe(false);
    expect(holds([], undefined)).toBe(false);
  });

  it("names its fields once, sorted", () => {
    const { fields } = preconditionOf(town, ulm, {
      fields: ["motto", "land", "motto"],
      of,
    }) as { fields: readonly string[] };
    expect(fields).toEqual(["land", "motto"]);
  });

  it("of an absent object holds until it exists", () => {
    const absent = preconditionOf(town, undefined, { fields: ["motto"], of });
    expect(preconditionHolds(absent, { kind: town, of }, undefined)).toBe(true);
    expect(preconditionHolds(absent, { kind: town, of }, ulm)).toBe(false);
  });

  it("compares secrets by their fingerprints", () => {
    const secret = (code: string) => observed({ name: "ulm", code });
    const precondition = preconditionOf(town, secret("one"), { fields: ["code"], of });
    expect(JSON.stringify(precondition)).not.toContain("one");
    expect(preconditionHolds(precondition, { kind: town, of }, secret("one"))).toBe(true);
    expect(preconditionHolds(precondition, { kind: town, of }, secret("two"))).toBe(false);
  });
});
