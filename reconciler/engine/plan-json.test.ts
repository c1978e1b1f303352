// Tests of the JSON report of a plan.
import { describe, expect, it } from "vitest";
import { sampleChange, sampleField, samplePlan } from "../../test/support/sample-plans.ts";
import { town } from "../../test/support/plan-fixtures.ts";
import { planJson } from "./plan-json.ts";

const warning = (summary: string) =>
  ({ code: "cannot-clear", severity: "warning", summary }) as const;

it("counts actions, conflicts and blocked changes", () => {
  const changes = [
    sampleChange("create", "Town/a"),
    sampleChange("update", "Town/b", { direction: "conflict" }),
    sampleChange("delete", "Town/c", { blockedBy: [{ code: "not-owned" }] }),
  ];
  expect(planJson(samplePlan(changes))).toMatchObject({
    report: "plan",
    stack: "shop",
    summary: { create: 1, update: 1, delete: 1, unchanged: 12, conflicts: 1, blocked: 1 },
    cost: { readCalls: 40, writeCalls: 4 },
  });
});

it("lists the diagnostics of manifests before those of the plan", () => {
  const report = planJson(samplePlan([], { diagnostics: [warning("plan")] }), {
    manifestDiagnostics: [warning("manifest")],
  });
  expect(report["diagnostics"]).toMatchObject([{ summary: "manifest" }, { summary: "plan" }]);
});

describe("a change", () => {
  const code = sampleField({
    path: "/code",
    sensitive: true,
    before: "old-code",
    after: "new-code",
  });
  const change = sampleChange("update", "Town/a", {
    fields: [code, sampleField({ path: "/motto", before: "m", after: "n" })],
    desired: { name: "a", code: "new-code" },
    secrets: { code: "fingerprint" },
    secretTo: { file: "secrets/a", fingerprint: "fingerprint" },
  });
  const report = planJson(samplePlan([change]), { kinds: [town] });

  it("shows its fields, and neither secrets nor their fingerprints", () => {
    expect(report["changes"]).toMatchObject([
      {
        address: "Town/a",
        fields: [{ path: "/code" }, { path: "/motto", before: "m", after: "n" }],
      },
    ]);
    expect(JSON.stringify(report)).not.toMatch(/old-code|new-code|fingerprint/u);
  });

  it("names the file that a generated secret is written to", () => {
    expect(report["changes"]).toMatchObject([{ secretTo: { file: "secrets/a" } }]);
  });
});
