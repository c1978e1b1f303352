// Tests that a run which keeps conflicts leaves everything else consistent.
import { expect, it } from "vitest";
import {
  appliedEntry,
  desiredObject,
  house,
  planFor,
  pruningStack,
  town,
} from "../../test/support/plan-fixtures.ts";
import { keepingConflicts } from "./field-conflicts.ts";

it("keeps the name of a parent for what is in it and refers to it", () => {
  const objects = [
    desiredObject(town, "a", { spec: { name: "declared" } }),
    desiredObject(house, "old", { spec: { town: "declared", name: "old" }, needs: ["Town/a"] }),
    desiredObject(house, "new", { spec: { town: "declared", name: "new" }, needs: ["Town/a"] }),
    desiredObject(house, "far", {
      spec: { town: "far", name: "far", twin: "declared" },
      needs: ["Town/a"],
    }),
  ];
  const input = {
    liveObjects: [
      { kind: town, id: "1", spec: { name: "live" } },
      { kind: town, id: "2", spec: { name: "far" } },
      { kind: house, id: "3", spec: { town: "live", name: "old" } },
    ],
    entries: [
      appliedEntry(town, "a", { spec: { name: "applied" }, id: "1" }),
      appliedEntry(house, "old", { spec: { town: "applied", name: "old" }, id: "3" }),
    ],
  };
  const plan = planFor({ desiredObjects: objects, ...input });
  expect(plan.changes[0]).toMatchObject({ address: "Town/a", direction: "conflict" });
  const kept = keepingConflicts({ stack: pruningStack, objects, digest: "digest" }, plan);
  const { changes } = planFor({ desiredObjects: kept.objects, ...input });
  const summary = changes.map(({ action, address, key, desired }) => [
    `${action} ${address} ${key}`,
    desired?.["twin"],
  ]);
  expect(summary).toEqual([
    ["none House/old live/old", undefined],
    ["create House/new live/new", undefined],
    ["create House/far far/far", "live"],
  ]);
});
