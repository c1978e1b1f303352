// Findings of rules: their severities, and the threshold that refuses a plan.
import { expect, it } from "vitest";
import { samplePlan } from "../../test/support/sample-plans.ts";
import { policyFailure, evaluatePolicies, withPolicyFindings } from "./policy-rule.ts";

const finding = { code: "policy-violation", summary: "no" } as const;

it("gives each finding the severity of its rule, in the order of the rules", () => {
  const rules = (["info", "error"] as const).map((severity) => ({
    name: severity,
    severity,
    evaluate: () => [finding],
  }));
  expect(evaluatePolicies(samplePlan([]), { rules, kinds: [] })).toEqual([
    { ...finding, severity: "info" },
    { ...finding, severity: "error" },
  ]);
});

it("adds findings to a frozen copy of the plan, and changes nothing without rules", () => {
  const plan = samplePlan([]);
  expect(withPolicyFindings(plan, undefined)).toBe(plan);
  const checked = withPolicyFindings(plan, () => [{ ...finding, severity: "warning" }]);
  expect(checked.diagnostics).toHaveLength(1);
  expect(Object.isFrozen(checked.diagnostics)).toBe(true);
  expect(plan.diagnostics).toEqual([]);
});

it.each([
  ["error", "error", true],
  ["warning", "error", false],
  ["warning", "warning", true],
  ["info", "warning", false],
  ["info", "info", true],
] as const)(
  "a finding of severity %s with --fail-on %s refuses: %s",
  (severity, failOn, refuses) => {
    const plan = samplePlan([], { diagnostics: [{ ...finding, severity }] });
    const message = policyFailure(plan, failOn)?.message;
    expect(message?.includes(`at or above --fail-on ${failOn}: 1`) ?? false).toBe(refuses);
  },
);
