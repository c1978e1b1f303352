// Tests of the notes on probable renames.
import { describe, expect, it } from "vitest";
import { appliedEntry, house, town, townKinds } from "../../test/support/plan-fixtures.ts";
import { sampleChange } from "../../test/support/sample-plans.ts";
import type { Change } from "../model/index.ts";
import { likelyRenames } from "./rename-hints.ts";

const kinds = new Map(townKinds.map((kind) => [kind.name, kind]));
const before = { land: "x", motto: "m", code: "c" };

function created(name: string, spec: object, more: Partial<Change> = {}): Change {
  return sampleChange("create", `Town/${name}`, { desired: { name, ...spec }, ...more });
}

/** The notes for these changes, with the last-applied state of each deleted town. */
function notes(changes: readonly Change[], specs: Readonly<Record<string, object>>): unknown {
  const entries = Object.entries(specs).map(([name, spec]) =>
    appliedEntry(town, name, { spec: { name, ...spec } }),
  );
  return likelyRenames(changes, kinds, Object.fromEntries(entries)).map(({ address, remedy }) => [
    address,
    /movedFrom: (\S+)`/u.exec(remedy ?? "")?.[1],
  ]);
}

describe("a create", () => {
  const deleted = sampleChange("delete", "Town/old");

  it("that shares most fields with one deleted object is noted", () => {
    expect(notes([deleted, created("new", { land: "x", motto: "m" })], { old: before })).toEqual([
      ["Town/new", "Town/old"],
    ]);
    const kept = sampleChange("orphan", "Town/old");
    expect(notes([kept, created("new", { land: "x", motto: "m" })], { old: before })).toEqual([
      ["Town/new", "Town/old"],
    ]);
  });

  it.each([
    ["shares too few fields", [deleted, created("new", { land: "x", motto: "other" })]],
    ["is in another scope", [deleted, created("new", before, { scope: { land: "z" } })]],
    ["resembles an object that moved", [{ ...deleted, movedTo: "Town/b" }, created("new", before)]],
    [
      "resembles what a cascade deletes",
      [{ ...deleted, cascadedBy: "Land/x" }, created("new", before)],
    ],
  ])("that %s is not", (_, changes) => {
    expect(notes(changes, { old: before })).toEqual([]);
  });

  it("is not noted when several objects resemble it, or it resembles several", () => {
    const two = { old: before, older: before };
    const both = [deleted, sampleChange("delete", "Town/older")];
    expect(notes([...both, created("new", before)], two)).toEqual([]);
    expect(notes([deleted, created("a", before), created("b", before)], two)).toEqual([]);
  });

  it("is not noted for a kind whose key cannot change", () => {
    const spec = { town: "ulm", name: "h" };
    const [address, entry] = appliedEntry(house, "old", { spec });
    const changes = [
      sampleChange("delete", address),
      sampleChange("create", "House/new", { desired: { ...spec, name: "n" } }),
    ];
    expect(likelyRenames(changes, kinds, { [address]: entry })).toEqual([]);
  });
});
