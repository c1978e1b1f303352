// The decision on one declared object: the direction of each difference, and the traces of an interrupted run.
import { describe, expect, it } from "vitest";
import {
  appliedEntry,
  desiredObject,
  planFor,
  town,
  type PlanInput,
} from "../../test/support/plan-fixtures.ts";
import type { RunRecord } from "../model/index.ts";

/** A motto; undefined leaves it out. */
type Motto = string | undefined;

const specOf = (motto: Motto) => ({ name: "ulm", ...(motto === undefined ? {} : { motto }) });

/** The plan of a town by its motto as last applied, declared and live. */
function decided(
  [applied, declared, live]: readonly [Motto, Motto, Motto],
  more: Partial<PlanInput> & { readonly pending?: boolean } = {},
) {
  const { pending = false, ...rest } = more;
  return planFor({
    desiredObjects: [desiredObject(town, "t", { spec: specOf(declared) })],
    liveObjects: [{ kind: town, id: "1", spec: specOf(live) }],
    entries: [appliedEntry(town, "t", { spec: specOf(applied), id: "1", pending })],
    ...rest,
  }).changes[0];
}

describe("the direction of a difference", () => {
  it.each([
    ["drifted", "the live object changed", ["a", "a", "b"]],
    ["pending", "the manifest changed", ["a", "b", "a"]],
    ["conflict", "both changed", ["a", "b", "c"]],
    ["pending", "the manifest sets a field that nothing had", [undefined, "b", undefined]],
  ] as const)("is %s if %s", (direction, _, mottos) => {
    const change = decided(mottos);
    expect(change).toMatchObject({ action: "update", direction });
    expect(change?.fields).toMatchObject([{ path: "/motto", direction }]);
  });

  it("shows the last applied value of a conflict, and of nothing else", () => {
    expect(decided(["a", "b", "c"])?.fields[0]).toMatchObject({ base: "a" });
    expect(decided(["a", "a", "b"])?.fields[0]).not.toHaveProperty("base");
  });

  it("is pending for every difference if the last write was interrupted", () => {
    expect(decided(["a", "a", "b"], { pending: true })).toMatchObject({ direction: "pending" });
  });
});

describe("a live value that a killed run may have written", () => {
  const run: RunRecord = {
    id: "killed",
    verb: "apply",
    by: "ann",
    startedAt: "2026-02-01T09:30:00.000Z",
    counts: {},
    changes: [
      {
        action: "update",
        address: "Town/t",
        kind: "Town",
        name: "t",
        key: "ulm",
        id: "1",
        before: { motto: "a" },
        after: { motto: "b" },
      },
    ],
  };
  const { changes = [] } = run;
  const ended = (result: "done" | "failed"): RunRecord => ({
    ...run,
    endedAt: run.startedAt,
    changes: changes.map((change) => ({ ...change, result })),
  });

  it.each<[string, string, readonly [Motto, Motto, Motto], readonly RunRecord[]]>([
    ["is no conflict with later manifests", "pending", ["a", "c", "b"], [run]],
    ["is no live edit for reverted manifests", "pending", ["a", "a", "b"], [run]],
    ["is that of the first of two", "pending", ["0", "c", "b"], [run, { ...run, changes: [] }]],
    ["is none if it has another value", "conflict", ["a", "c", "x"], [run]],
    [
      "is none if a later run completed the object",
      "conflict",
      ["a", "c", "b"],
      [run, ended("done")],
    ],
    ["is one also if a later run failed to", "pending", ["a", "c", "b"], [run, ended("failed")]],
    [
      "is none if the run changed another object",
      "conflict",
      ["a", "c", "b"],
      [{ ...run, changes: changes.map((change) => ({ ...change, id: "2" })) }],
    ],
  ])("%s: %s", (_, direction, mottos, runs) => {
    expect(decided(mottos, { runs })).toMatchObject({ action: "update", direction });
  });

  it("is recorded as applied if it is the declared one", () => {
    expect(decided(["a", "b", "b"], { runs: [run] })).toMatchObject({ action: "none" });
  });

  it("counts as declared before, so that the plan tells that the manifest leaves it out", () => {
    const [change] = planFor({
      desiredObjects: [desiredObject(town, "t", { spec: { name: "bonn" } })],
      liveObjects: [{ kind: town, id: "1", spec: { name: "ulm", motto: "b" } }],
      entries: [appliedEntry(town, "t", { spec: { name: "ulm" }, id: "1" })],
      runs: [run],
    }).changes;
    expect(change).toMatchObject({ action: "update", released: ["motto"] });
  });

  it("is gone with an object that the run deleted: no live edit", () => {
    const runs = [
      { ...run, changes: changes.map((change) => ({ ...change, action: "delete" as const })) },
    ];
    const gone = { liveObjects: [] };
    expect(decided(["a", "a", "a"], gone)).toMatchObject({
      action: "create",
      direction: "drifted",
    });
    expect(decided(["a", "a", "a"], { ...gone, runs })).toMatchObject({ direction: "pending" });
  });
});

describe("an object without a difference", () => {
  it("has no change if the inventory records its values", () => {
    expect(decided(["a", "a", "a"])).toBeUndefined();
  });

  it("is recorded without a write if both sides got the same new value", () => {
    expect(decided(["a", "b", "b"])).toMatchObject({ action: "none", fields: [] });
  });

  it("keeps a field that the manifest does not declare", () => {
    expect(decided([undefined, undefined, "b"])).toBeUndefined();
  });
});

it("adopts with the fields that differ, and only on request", () => {
  const unowned = { entries: [] };
  expect(decided(["a", "a", "b"], { ...unowned, adopt: true })).toMatchObject({
    action: "adopt",
    fields: [{ path: "/motto" }],
  });
  expect(decided(["a", "a", "b"], unowned)?.blockedBy).toMatchObject([{ code: "not-owned" }]);
});

it("replaces an object if one of its fields forces it, and lists every difference", () => {
  const [change] = planFor({
    desiredObjects: [desiredObject(town, "t", { spec: { name: "ulm", land: "x", motto: "b" } })],
    liveObjects: [{ kind: town, id: "1", spec: { name: "ulm", land: "y", motto: "a" } }],
    entries: [appliedEntry(town, "t", { spec: { name: "ulm", land: "y", motto: "a" }, id: "1" })],
  }).changes;
  expect(change).toMatchObject({ action: "replace", id: "1" });
  expect(change?.fields.map(({ path, replaces }) => [path, replaces])).toEqual([
    ["/land", true],
    ["/motto", false],
  ]);
});
