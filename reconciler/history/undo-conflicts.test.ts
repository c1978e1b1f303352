// Tests the changes that an undo cannot restore.
import { expect, it } from "vitest";
import {
  appliedEntry,
  desiredObject,
  house,
  town,
  townKinds,
} from "../../test/support/plan-fixtures.ts";
import type { DesiredObject, Entry } from "../model/index.ts";
import { type UndoConflictInput, undoConflicts } from "./undo-conflicts.ts";

const ulm = desiredObject(town, "ulm", { spec: { name: "ulm" } });
const tall = desiredObject(house, "tall", {
  spec: { town: "ulm", name: "tall" },
  needs: ["Town/ulm"],
});
const townEntry = (name: string, as: string): readonly [string, Entry] =>
  appliedEntry(town, name, { spec: { name: as } });

function conflicts(
  restored: readonly DesiredObject[],
  more: Partial<UndoConflictInput> = {},
): Readonly<Record<string, string>> {
  const input: UndoConflictInput = {
    currentEntries: {},
    entriesAfter: {},
    addresses: new Set(restored.map(({ address }) => address)),
    fields: new Map(),
    historicalNames: new Map(
      restored.map(({ kind, key, address }) => [`${kind.name}/${key}`, address]),
    ),
    kinds: new Map(townKinds.map((kind) => [kind.name, kind])),
    ...more,
  };
  return Object.fromEntries(undoConflicts(restored, input));
}

it("a free name and a restored parent conflict with nothing", () => {
  expect(conflicts([ulm, tall])).toEqual({});
});

it("an object whose name another one keeps is not restored, nor what needs it", () => {
  const entriesAfter = Object.fromEntries([townEntry("other", "ulm")]);
  expect(conflicts([ulm, tall], { entriesAfter })).toEqual({
    "Town/ulm": "Town/other has its name now",
    "House/tall": "it needs Town/ulm, which cannot be restored",
  });
});

it("an object keeps its own name, and takes one that the undo deletes", () => {
  const own = Object.fromEntries([townEntry("ulm", "ulm")]);
  expect(conflicts([ulm], { entriesAfter: own, addresses: new Set() })).toEqual({});
  const entriesAfter = Object.fromEntries([townEntry("other", "ulm")]);
  const addresses = new Set(["Town/ulm", "Town/other"]);
  expect(conflicts([ulm], { entriesAfter, addresses })).toEqual({});
});

it("an object is not restored into another one with the name of its parent", () => {
  const alone = { ...tall, dependsOn: [] };
  const historicalNames = new Map([["Town/ulm", "Town/former"]]);
  const entriesAfter = Object.fromEntries([townEntry("ulm", "ulm")]);
  expect(conflicts([alone], { historicalNames, entriesAfter })).toEqual({
    "House/tall": "it needs Town/former as it was, which cannot be restored",
  });
  // Of an existing object only the restored fields count.
  const fields = new Map([["House/tall", ["twin"]]]);
  expect(conflicts([alone], { historicalNames, entriesAfter, fields })).toEqual({});
});

it("an object is not restored while the plan deletes what has its parent's name", () => {
  const alone = { ...tall, dependsOn: [] };
  const entriesAfter = Object.fromEntries([townEntry("new", "ulm")]);
  const addresses = new Set(["House/tall", "Town/new"]);
  expect(conflicts([alone], { entriesAfter, addresses })).toEqual({
    "House/tall": "it was in another object than Town/new",
  });
});
