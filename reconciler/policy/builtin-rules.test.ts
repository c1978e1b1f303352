// Tests of the built-in policy rules.
import { expect, it } from "vitest";
import { sampleChange, sampleField, samplePlan } from "../../test/support/sample-plans.ts";
import type { Change } from "../model/index.ts";
import { builtinRules } from "./builtin-rules.ts";
import { policyFailure, reachesSeverity } from "./policy-rule.ts";

const secret = sampleField({ path: "/token", after: "t", sensitive: true });

/** The names of the rules that a plan violates; 3 objects are unchanged. */
function violated(changes: readonly Change[], unchanged = 3): readonly string[] {
  const plan = samplePlan(changes, { unchanged });
  return builtinRules
    .filter(({ evaluate }) => evaluate(plan, []).length > 0)
    .map(({ name }) => name);
}

it.each<[string, readonly Change[], readonly string[]]>([
  ["a create", [sampleChange("create", "Plain/a")], []],
  ["a delete", [sampleChange("delete", "Plain/a")], ["deletes"]],
  ["a replacement", [sampleChange("replace", "Plain/a")], ["replaces"]],
  ["an update", [sampleChange("update", "Plain/a")], []],
  [
    "an update of drift",
    [sampleChange("update", "Plain/a", { direction: "drifted" })],
    ["overwrites"],
  ],
  [
    "an adoption of a conflict",
    [sampleChange("adopt", "Plain/a", { direction: "conflict" })],
    ["overwrites"],
  ],
  ["a create after drift", [sampleChange("create", "Plain/a", { direction: "drifted" })], []],
  ["an update of a secret", [sampleChange("update", "Plain/a", { fields: [secret] })], ["secrets"]],
  ["a create with a secret", [sampleChange("create", "Plain/a", { fields: [secret] })], []],
])("about %s", (_, changes, expected) => {
  expect(violated(changes)).toEqual(expected);
});

it.each([
  ["more than half of the objects", 3, 2, true],
  ["half of the objects", 2, 2, false],
  ["all of a stack with three objects", 3, 0, false],
])("a plan that deletes %s", (_, deletes, unchanged, shrinks) => {
  const changes = Array.from({ length: deletes }, (__, at) =>
    sampleChange("delete", `Plain/${at}`),
  );
  // A created object was not in the stack.
  const created = sampleChange("create", "Plain/new");
  expect(violated([...changes, created], unchanged).includes("shrinks")).toBe(shrinks);
});

it("a finding reaches its severity and those below", () => {
  const found = [{ code: "policy-violation", severity: "warning", summary: "s" }] as const;
  expect((["error", "warning", "info"] as const).map((one) => reachesSeverity(found, one))).toEqual(
    [false, true, true],
  );
  const plan = samplePlan([], { diagnostics: found });
  expect(policyFailure(plan, "error")).toBeUndefined();
  expect(policyFailure(plan, "warning")?.message).toContain("at or above --fail-on warning: 1");
});
