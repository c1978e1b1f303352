// Tests which long lists of similar changes are shortened, and which never are.
import { describe, expect, it } from "vitest";
import { sampleChange, sampleField, samplePlan } from "../support/sample-plans.ts";
import { foldNames } from "../../reconciler/report/fold-lists.ts";
import { planText } from "../../reconciler/report/plan-text.ts";

const renderOptions = { color: false, width: 100 };
const many = Array.from({ length: 60 }, (_, at) =>
  sampleChange("create", `Plain/p${at}`, { desired: { name: `p${at}` } }),
);

describe("a plan that creates many objects of a kind", () => {
  const others = [
    sampleChange("delete", "Plain/old", {}),
    sampleChange("create", "Plain/stuck", { blockedBy: [{ code: "protected" }] }),
  ];
  const plan = samplePlan([...many, ...others]);
  const heads = (text: string) => text.split("\n").filter((line) => /^\S \w+\//u.test(line));

  it("shows the first objects in full, names some of the rest, and shows all other changes", () => {
    const text = planText(plan, renderOptions);
    expect(heads(text).slice(0, 20)).toEqual(
      many.slice(0, 20).map(({ address }) => `+ ${address}`),
    );
    expect(heads(text).slice(20)).toEqual(["- Plain/old", expect.stringContaining("Plain/stuck")]);
    expect(text).toContain(
      "+ 40 more of Plain: Plain/p20, Plain/p21, Plain/p22, Plain/p23, Plain/p24 and 35 others; --full shows them",
    );
  });

  it("shows all objects with --full", () => {
    expect(heads(planText(plan, { ...renderOptions, full: true }))).toHaveLength(62);
  });

  it("counts the folded objects", () => {
    expect(planText(plan, renderOptions)).toContain(
      "Plan: 61 to create (1 of them blocked), 1 to delete",
    );
  });
});

describe("a plan of a stack without an inventory, whose objects exist", () => {
  const foreign = (kind: string, at: number, more: object = {}) => {
    const summary = `${kind} p${at} exists already, and this stack did not create it`;
    const change = sampleChange("refuse", `${kind}/p${at}`, {
      id: `${at}`,
      blockedBy: [{ code: "not-owned" }],
      ...more,
    });
    const { address } = change;
    const remedy = `run \`svc adopt ${address}\` to adopt it`;
    return {
      change,
      finding: { code: "not-owned", severity: "error", address, summary, remedy },
    } as const;
  };
  const changes = [
    ...Array.from({ length: 30 }, (_, at) => foreign("Plain", at)),
    foreign("Other", 1),
    // A rename to the name of a foreign object, for which adopting does not help.
    foreign("Other", 2, { from: { key: "old", scope: {} } }),
  ];
  const planOf = (some: typeof changes) =>
    samplePlan(
      some.map(({ change }) => change),
      { diagnostics: some.map(({ finding }) => finding) },
    );

  it("has one line for each kind, and one remedy", () => {
    const lines = planText(planOf(changes), renderOptions).split("\n");
    expect(lines.filter((line) => line.startsWith("! "))).toEqual([
      "! Other/p2",
      "! 30 of Plain: Plain/p0, Plain/p1, Plain/p2, Plain/p3, Plain/p4 and 25 others",
      "! 1 of Other: Other/p1",
    ]);
    expect(lines.filter((line) => line.includes("svc adopt"))).toEqual([
      expect.stringContaining("Other/p2"),
      "    → `svc adopt` adopts them all",
    ]);
  });

  it("shows every object if there are few, or with --full", () => {
    expect(planText(planOf(changes.slice(0, 20)), renderOptions)).toContain("svc adopt Plain/p19");
    expect(planText(planOf(changes), { ...renderOptions, full: true })).toContain(
      "svc adopt Plain/p29",
    );
  });

  it("folds adopted objects without differences, and no others", () => {
    const adopts = Array.from({ length: 30 }, (_, at) => sampleChange("adopt", `Plain/p${at}`));
    const differing = sampleChange("adopt", "Plain/z", {
      fields: [sampleField({ path: "/name" })],
    });
    const text = planText(samplePlan([...adopts, differing]), renderOptions);
    expect(text.split("\n").filter((line) => line.startsWith("= "))).toEqual([
      ...adopts.slice(0, 20).map(({ address }) => `= ${address}`),
      "= Plain/z",
      "= 10 more of Plain: Plain/p20, Plain/p21, Plain/p22, Plain/p23, Plain/p24 and 5 others; --full shows them",
    ]);
  });
});

it("folds what only the inventory needs, except entries that move", () => {
  const found = Array.from({ length: 30 }, (_, at) => sampleChange("none", `Plain/p${at}`));
  const moved = { ...sampleChange("none", "Plain/to"), formerAddress: "Plain/from" };
  const text = planText(samplePlan([...found, moved]), renderOptions);
  expect(text).toContain("10 more of Plain: Plain/p20,");
  expect(text).not.toContain("· Plain/p25");
  expect(text).toContain("its inventory entry moves from Plain/from");
});

it("names lists by kinds", () => {
  const names = Array.from({ length: 26 }, (_, at) => `Plain/p${at}`);
  expect(foldNames("added", ["Other/o", ...names], {})).toEqual([
    "added Other/o",
    ...names.slice(0, 20).map((name) => `added ${name}`),
    "added 6 more of Plain: Plain/p20, Plain/p21, Plain/p22, Plain/p23, Plain/p24 and 1 other; --full shows them",
  ]);
  expect(foldNames("added", names, { full: true })).toHaveLength(26);
});

it("a plan that prunes says how to keep an object, and an undo does not", () => {
  const plan = samplePlan([sampleChange("delete", "Plain/a")]);
  expect(planText(plan, renderOptions)).toContain("To keep an object");
  expect(planText(plan, { ...renderOptions, isUndo: true })).not.toContain("To keep an object");
});
