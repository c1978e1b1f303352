// Tests that a run which keeps conflicts or live edits leaves everything else consistent.
import { expect, it } from "vitest";
import {
  appliedEntry,
  desiredObject,
  house,
  planFor,
  pruningStack,
  town,
} from "../../test/support/plan-fixtures.ts";
import { keepingConflicts, keepingLiveEdits } from "./field-conflicts.ts";

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

it("keeps the live edits of an object, and writes its other fields", () => {
  const spec = { name: "ulm", land: "new", motto: "as declared" };
  const objects = [desiredObject(town, "ulm", { spec })];
  const input = {
    liveObjects: [{ kind: town, id: "1", spec: { name: "ulm", land: "old", motto: "edited" } }],
    entries: [appliedEntry(town, "ulm", { spec: { ...spec, land: "old" }, id: "1" })],
  };
  const plan = planFor({ desiredObjects: objects, ...input });
  const fieldsOf = ({ changes }: typeof plan) =>
    changes.map(({ direction, fields, desired }) => [
      direction,
      fields.map(({ field, direction: side }) => `${field} ${side}`),
      desired?.["motto"],
    ]);
  expect(fieldsOf(plan)).toEqual([["drifted", ["land pending", "motto drifted"], "as declared"]]);
  const kept = keepingLiveEdits({ stack: pruningStack, objects, digest: "digest" }, plan);
  const left = planFor({ desiredObjects: kept.objects, ...input, leavesDrift: true });
  expect(fieldsOf(left)).toEqual([["pending", ["land pending"], "edited"]]);
  expect(left.diagnostics).toEqual([]);
});
