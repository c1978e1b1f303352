// Entries that follow the renames of the objects that contain them.
import { expect, it } from "vitest";
import { appliedEntry, house, town, townKinds } from "../../test/support/plan-fixtures.ts";
import { kindsByName } from "../../core/kind/kind.ts";
import type { Entry } from "./index.ts";
import { RenamableEntries } from "./parent-renames.ts";

const townOf = (name: string) => appliedEntry(town, "town", { spec: { name }, id: "1" })[1];
const houseIn = (name: string, at = "House/tall") =>
  [at, appliedEntry(house, "tall", { spec: { town: name, name: "tall" } })[1]] as const;
const entriesWith = (entries: Iterable<readonly [string, Entry]>) =>
  new RenamableEntries(entries, kindsByName(townKinds));
const renameTown = (entries: RenamableEntries, from: string, to: string) =>
  entries.rename({ before: townOf(from), after: townOf(to) });
const keysOf = (entries: ReadonlyMap<string, Entry>) =>
  Object.fromEntries([...entries].map(([at, { key }]) => [at, key]));

it("follow with each rename of their parent, and no other ones", () => {
  const entries = entriesWith([houseIn("ulm"), houseIn("bonn", "House/low")]);
  expect(keysOf(renameTown(entries, "ulm", "kiel"))).toEqual({ "House/tall": "kiel/tall" });
  expect(keysOf(renameTown(entries, "kiel", "bonn"))).toEqual({ "House/tall": "bonn/tall" });
  expect(entries.get("House/tall")?.lastApplied).toEqual({ town: "bonn", name: "tall" });
  expect(keysOf(renameTown(entries, "kiel", "ulm"))).toEqual({});
  expect(keysOf(entries)).toEqual({ "House/tall": "bonn/tall", "House/low": "bonn/tall" });
});

it("are found where they are now, if they were put or deleted after a rename", () => {
  const entries = entriesWith([houseIn("ulm"), houseIn("ulm", "House/gone")]);
  renameTown(entries, "bonn", "kiel");
  entries.delete("House/gone");
  entries.set(...houseIn("kiel"));
  entries.set(...houseIn("ulm", "House/new"));
  expect(keysOf(renameTown(entries, "ulm", "bonn"))).toEqual({ "House/new": "bonn/tall" });
  expect(keysOf(entries)).toEqual({ "House/tall": "kiel/tall", "House/new": "bonn/tall" });
});
