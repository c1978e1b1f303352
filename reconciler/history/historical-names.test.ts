// Addresses by the natural keys from before a run.
import { expect, it } from "vitest";
import {
  appliedEntry,
  house,
  inventoryWith,
  town,
  townKinds,
} from "../../test/support/plan-fixtures.ts";
import { kindsByName } from "../../core/kind/kind.ts";
import type { Entry, RunChange, RunRecord } from "../model/index.ts";
import { namesBefore } from "./historical-names.ts";

const townEntry = (name: string, called: string) =>
  appliedEntry(town, name, { spec: { name: called } });
const change = (
  action: RunChange["action"],
  key: string,
  more: Partial<RunChange> = {},
): RunChange => ({
  action,
  address: "Town/a",
  kind: "Town",
  name: "a",
  key,
  result: "done",
  ...more,
});
const run = (id: string, ...changes: readonly RunChange[]): RunRecord => {
  return { id, verb: "apply", by: "ann", startedAt: "2026-01-31T09:30:00Z", counts: {}, changes };
};

/** The keys and addresses from before run `id`, given the entries and runs of today. */
function before(
  id: string,
  entries: readonly (readonly [string, Entry])[],
  runs: readonly RunRecord[],
) {
  const record = runs.find((one) => one.id === id) ?? run(id);
  return Object.fromEntries(
    namesBefore(record, { ...inventoryWith(entries), runs }, kindsByName(townKinds)),
  );
}

it("reverts the renames of the run and of all later ones, the newest first", () => {
  const runs = [
    run("1", change("update", "bonn", { before: { name: "ulm" } })),
    run("2", change("update", "kiel", { before: { name: "bonn" } })),
  ];
  const entries = [townEntry("a", "kiel")];
  expect(before("1", entries, runs)).toEqual({ "Town/ulm": "Town/a" });
  expect(before("2", entries, runs)).toEqual({ "Town/bonn": "Town/a" });
});

it("removes what the run created and restores what it deleted", () => {
  const created = run("1", change("create", "ulm"));
  expect(before("1", [townEntry("a", "ulm")], [created])).toEqual({});
  const deleted = run("1", change("delete", "ulm"));
  expect(before("1", [], [deleted])).toEqual({ "Town/ulm": "Town/a" });
});

it("ignores changes that failed or were skipped, other fields, and unknown resource types", () => {
  const entries = [townEntry("a", "ulm")];
  for (const ignored of [
    change("update", "ulm", { before: { name: "bonn" }, result: "failed" }),
    change("create", "ulm", { result: "skipped" }),
    change("update", "ulm", { before: { motto: "onward" } }),
    change("delete", "x", { kind: "River", address: "River/x" }),
  ]) {
    expect(before("1", entries, [run("1", ignored)])).toEqual({ "Town/ulm": "Town/a" });
  }
});

it("gives the children of a renamed parent their former keys, but not those of a replaced one", () => {
  const child = appliedEntry(house, "h", { spec: { town: "bonn", name: "one" } });
  const entries = [townEntry("a", "bonn"), child];
  const renamed = (action: RunChange["action"]) =>
    before("1", entries, [run("1", change(action, "bonn", { before: { name: "ulm" } }))]);
  expect(renamed("update")).toEqual({ "Town/ulm": "Town/a", "House/ulm/one": "House/h" });
  expect(renamed("replace")).toEqual({ "Town/ulm": "Town/a", "House/bonn/one": "House/h" });
});

it("finds the current addresses of objects whose entries moved since", () => {
  const moved = (name: string, from: string, key: string): RunChange => ({
    ...change("none", key),
    address: `Town/${name}`,
    name,
    formerAddress: `Town/${from}`,
  });
  const runs = [
    run("1", change("update", "ulm", { before: { name: "rome" } })),
    run("2", moved("b", "a", "ulm"), moved("a", "b", "bonn")),
    run("3", change("delete", "bonn")),
    run("4", moved("a", "b", "ulm")),
  ];
  // The deleted object had the address that the other one has now.
  expect(before("3", [townEntry("a", "ulm")], runs)).toEqual({
    "Town/ulm": "Town/a",
    "Town/bonn": "Town/a",
  });
  expect(before("1", [townEntry("b", "ulm")], runs.slice(0, 2))).toEqual({
    "Town/rome": "Town/b",
  });
});
