// Cascades of deletes and replacements: counted, reported, and refused for objects of others and protected ones.
import { describe, expect, it } from "vitest";
import { appliedEntry, house, town } from "../../test/support/plan-fixtures.ts";
import { sampleChange, samplePlan } from "../../test/support/sample-plans.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import type { Change, Inventory, Plan } from "../model/index.ts";
import { cascadeText, countCascaded, withCascades } from "./cascade.ts";

const houses = (...names: readonly string[]): readonly ObservedObject[] =>
  names.map((name, at) => ({ id: `${at}`, spec: { town: "ulm", name }, status: {} }));

interface Surroundings {
  readonly live?: readonly ObservedObject[];
  readonly owners?: Readonly<Record<string, string>>;
  readonly otherEntries?: Inventory["entries"];
  readonly offersList?: boolean;
}

/** Adds cascades to a plan, with these houses in the town `ulm`; records which towns were read. */
async function cascaded(
  changes: readonly Change[],
  { live = [], owners = {}, otherEntries = {}, offersList = true }: Surroundings = {},
): Promise<{ readonly plan: Plan; readonly reads: readonly string[] }> {
  const reads: string[] = [];
  const read: typeof house.bindings.observe.read = async (_, scope) => {
    reads.push(String(scope["town"]));
    return scope["town"] === "ulm" ? live : [];
  };
  const observe = { ...house.bindings.observe, read };
  const kinds: readonly Kind[] = [town, { ...house, bindings: { ...house.bindings, observe } }];
  const plan = await withCascades(samplePlan(changes), {
    kinds,
    apiDiscovery: { has: () => offersList },
    reader: { all: unexpected, allWithin: unexpected, one: unexpected, knownText: () => undefined },
    signal: undefined,
    ownersOf:
      async () =>
      ({ kind, key }) =>
        owners[`${kind}/${key}`],
    owned: {},
    otherEntries,
    desired: { objects: [] },
  });
  return { plan, reads };
}

function unexpected(): never {
  throw new Error("the collections read for themselves");
}

const deletesUlm = sampleChange("delete", "Town/ulm");

describe("a change that deletes a parent", () => {
  it("counts and reports cascaded deletes, without those that the plan lists itself", async () => {
    const listed = sampleChange("delete", "House/tall", { key: "ulm/tall" });
    const { plan } = await cascaded([deletesUlm, listed], {
      live: houses("tall", "wide", "deep"),
    });
    expect(plan.changes[0]?.cascadeCounts).toEqual({ House: 2 });
    expect(plan.changes[1]?.cascadeCounts).toBeUndefined();
    expect([countCascaded(plan.changes), cascadeText(plan.changes[0] ?? deletesUlm)]).toEqual([
      2,
      "2 House",
    ]);
    expect(plan.diagnostics).toMatchObject([
      { code: "cascade-delete", severity: "warning", address: "Town/ulm" },
    ]);
  });

  it("looks under the name that the parent has today", async () => {
    const from = { key: "ulm", scope: {} };
    const replaced = sampleChange("replace", "Town/new", { key: "new", from });
    const { plan, reads } = await cascaded([replaced], { live: houses("tall") });
    expect(reads).toEqual(["ulm"]);
    expect(plan.diagnostics[0]?.summary).toMatch(/^replacing Town\/new also deletes 1 object that/);
  });

  it("is refused, with one error for each stack that owns cascaded objects", async () => {
    const { plan } = await cascaded([deletesUlm], {
      live: houses("tall", "wide"),
      owners: { "House/ulm/tall": "north", "House/ulm/wide": "north" },
    });
    expect(plan.changes[0]?.blockedBy).not.toEqual([]);
    const refusals = plan.diagnostics.filter(({ severity }) => severity === "error");
    expect(refusals).toMatchObject([{ code: "owned-by-other-stack", address: "Town/ulm" }]);
    expect(refusals[0]?.summary).toContain("2 objects that stack north owns");
  });

  it("is refused where a protected entry is inside, also one that is not seen", async () => {
    const [at, entry] = appliedEntry(house, "tall", { spec: { town: "ulm", name: "tall" } });
    const otherEntries = { [at]: { ...entry, lifecycle: { protect: true } as const } };
    for (const live of [houses("tall"), []]) {
      const { plan } = await cascaded([deletesUlm], { live, otherEntries });
      expect(plan.changes[0]?.blockedBy).not.toEqual([]);
      expect(plan.changes[0]?.cascadedMetadata).toEqual([
        expect.objectContaining({ kind: "House" }),
      ]);
    }
    const { plan } = await cascaded([deletesUlm], { otherEntries: { [at]: entry } });
    expect(plan.changes[0]?.blockedBy).toEqual([]);
  });

  it("continues where the server cannot list what is inside", async () => {
    const { plan, reads } = await cascaded([deletesUlm], { offersList: false });
    expect([reads, plan.diagnostics]).toEqual([[], []]);
  });
});

it("reads nothing for creates, updates, and deletes that another delete cascades to", async () => {
  const changes = [
    sampleChange("create", "Town/ulm"),
    sampleChange("update", "Town/bonn"),
    sampleChange("delete", "Town/ulm", { cascadedBy: "Town/other" }),
    sampleChange("delete", "House/tall", { key: "ulm/tall" }),
  ];
  const { plan, reads } = await cascaded(changes, { live: houses("tall") });
  expect(reads).toEqual([]);
  expect(plan).toEqual(samplePlan(changes));
});
