// Tests which changes later runs made to the objects of a run.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { appliedEntry, town } from "../../test/support/plan-fixtures.ts";
import type { RunChange, RunRecord } from "../model/index.ts";
import { followChanges, isChangedBy, valuesAfterRun } from "./later-changes.ts";

function change(
  action: RunChange["action"],
  address: string,
  more: Partial<RunChange> = {},
): RunChange {
  const [kind = "", name = ""] = address.split("/");
  return { action, address, kind, name, key: name, result: "done", ...more };
}

const moved = (from: string, to: string, more: Partial<RunChange> = {}) =>
  change("none", to, { formerAddress: from, ...more });
const runOf = (id: string, changes?: readonly RunChange[]): RunRecord => ({
  id,
  verb: "apply",
  by: "ann",
  startedAt: "2026-01-31T09:30:00Z",
  counts: {},
  ...(changes && { changes }),
});

/** Follows the changes of a first run: the address now, the actions since, and `displaced`. */
function followed(first: readonly RunChange[], ...later: readonly (readonly RunChange[])[]) {
  const run = runOf("run", first);
  const runs = [run, ...later.map((changes, at) => runOf(`later-${at}`, changes))];
  return followChanges(run, { runs }).map(({ change: one, later: since, isDisplaced }) =>
    [one.address, ...since.map(({ action }) => action), ...(isDisplaced ? ["displaced"] : [])].join(
      " ",
    ),
  );
}

describe("a change", () => {
  const ulm = change("update", "Town/ulm");

  it("is followed through later runs only, and through what they did", () => {
    expect(
      followed(
        [ulm],
        [change("replace", "Town/ulm"), change("update", "Town/bonn")],
        [change("update", "Town/ulm", { result: "failed" })],
        [change("update", "Town/ulm", { result: "skipped" })],
        [change("delete", "Town/ulm", { result: "partial" })],
      ),
    ).toEqual(["Town/ulm replace delete"]);
    const run = runOf("run", [ulm]);
    const runs = [runOf("before", [change("create", "Town/ulm")]), run];
    expect(followChanges(run, { runs })[0]?.later).toEqual([]);
  });

  it("counts what a killed run may have written", () => {
    const { result: _, ...unfinished } = change("update", "Town/ulm");
    expect(followed([ulm], [unfinished])).toEqual(["Town/ulm update"]);
  });

  it("passes runs that are too old for their changes to be kept", () => {
    const run = runOf("run", [ulm]);
    const runs = [run, runOf("old"), runOf("last", [change("delete", "Town/ulm")])];
    expect(followChanges(run, { runs })[0]?.later).toHaveLength(1);
    expect(followChanges(runOf("older"), { runs })).toEqual([]);
  });

  it("follows its object to other addresses, and has the name of the last", () => {
    const updates = change("update", "Town/c");
    expect(
      followed([ulm], [moved("Town/ulm", "Town/b")], [moved("Town/b", "Town/c"), updates]),
    ).toEqual(["Town/c none none update"]);
    const run = runOf("run", [ulm]);
    const runs = [run, runOf("later", [moved("Town/ulm", "Town/b")])];
    expect(followChanges(run, { runs })[0]?.change).toMatchObject({ address: "Town/b", name: "b" });
  });

  it("follows the move of a change that failed: the entry moved before", () => {
    const failed = moved("Town/ulm", "Town/b", { result: "failed" });
    expect(followed([ulm], [failed])).toEqual(["Town/b"]);
  });

  it("follows objects that exchange their addresses", () => {
    const [a, b] = [change("update", "Town/a"), change("create", "Town/b")];
    const exchange = [moved("Town/a", "Town/b"), moved("Town/b", "Town/a")];
    expect(followed([a, b], exchange, [change("delete", "Town/a")])).toEqual([
      "Town/b none",
      "Town/a none delete",
    ]);
  });

  it("ends where another object gets the address", () => {
    const later = [moved("Town/other", "Town/ulm"), change("update", "Town/ulm")];
    expect(followed([ulm], later, [change("update", "Town/ulm")])).toEqual(["Town/ulm displaced"]);
  });

  it.each(["delete", "forget"] as const)("that is a %s does not follow a later move", (action) => {
    const removed = change(action, "Town/ulm");
    expect(followed([removed], [moved("Town/ulm", "Town/b")])).toEqual(["Town/ulm"]);
    expect(followed([removed], [moved("Town/x", "Town/ulm")])).toEqual(["Town/ulm displaced"]);
  });
});

const entryWith = (spec: JsonObject) =>
  appliedEntry(town, "ulm", { spec: { name: "ulm", ...spec } })[1];
const updated = (before: JsonObject, more: Partial<RunChange> = {}) =>
  change("update", "Town/ulm", { before, ...more });

describe("an object that a run created", () => {
  it.each<[string, JsonObject, readonly RunChange[], boolean]>([
    ["without later runs is as the run left it", { motto: "a" }, [], false],
    ["with another value is changed", { motto: "b" }, [updated({ motto: "a" })], true],
    [
      "whose value came back is as the run left it",
      { motto: "a" },
      [updated({ motto: "a" }), updated({ motto: "b" })],
      false,
    ],
    ["with a new field is changed", { motto: "b" }, [updated({ motto: null })], true],
    ["without a field that it had is changed", {}, [updated({ motto: "a" })], true],
    ["with a secret that changed is changed", {}, [updated({}, { hidden: ["code"] })], true],
    [
      "is compared with what was applied, not with what drifted before",
      { motto: "a" },
      [updated({ motto: "drifted" }, { lastApplied: { motto: "a" } })],
      false,
    ],
    [
      "with a record of a field that no document declares any more is as it was",
      {},
      [updated({}, { lastApplied: { motto: "a" } })],
      false,
    ],
  ])("%s", (_, applied, later, expected) => {
    expect(isChangedBy(entryWith(applied), later)).toBe(expected);
  });
});

describe("the values after a run", () => {
  it("are those before the first later change, of the restored fields", () => {
    const later = [updated({ motto: "run", land: "x" }), updated({ motto: "later" })];
    expect(valuesAfterRun({ motto: "old" }, entryWith({ motto: "last" }), later)).toEqual({
      motto: "run",
    });
  });

  it("leave out a field that later runs did not change, or that has its restored value again", () => {
    expect(valuesAfterRun({ motto: "old" }, entryWith({ motto: "run" }), [])).toEqual({});
    const later = [updated({ motto: "run" })];
    expect(valuesAfterRun({ motto: "old" }, entryWith({ motto: "old" }), later)).toEqual({});
    expect(valuesAfterRun({ motto: null }, entryWith({}), later)).toEqual({});
  });

  it("have null for a field that the run left without a value", () => {
    const later = [updated({ motto: null })];
    expect(valuesAfterRun({ motto: "old" }, entryWith({ motto: "new" }), later)).toEqual({
      motto: null,
    });
  });
});
