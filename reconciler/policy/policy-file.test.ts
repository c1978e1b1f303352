// Policy files: which rules they select, and which files are refused.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleChange, samplePlan } from "../../test/support/sample-plans.ts";
import { builtinRules } from "./builtin-rules.ts";
import { readRules } from "./policy-file.ts";
import { evaluatePolicies } from "./policy-rule.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-policies-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function rulesOf(content: unknown) {
  const file = join(folder, "policy.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return readRules(file);
}

const custom = (more = {}) => ({
  name: "no-deletes",
  severity: "warning",
  message: "deletes need a ticket",
  over: "change",
  schema: { properties: { action: { not: { const: "delete" } } } },
  ...more,
});
const plan = samplePlan([sampleChange("delete", "Plain/a"), sampleChange("create", "Plain/b")]);

it("selects a built-in rule, with another severity if the file states one", () => {
  const [first] = builtinRules;
  expect(rulesOf({ rules: [{ use: "deletes" }] })).toEqual([
    builtinRules.find(({ name }) => name === "deletes"),
  ]);
  const rules = rulesOf({ rules: [{ use: "deletes", severity: "info" }] });
  expect(evaluatePolicies(plan, { rules, kinds: [] })).toMatchObject([{ severity: "info" }]);
  expect(readRules("recommended")[0]).toBe(first);
  expect(() => readRules("recomended")).toThrow(
    expect.objectContaining({ remedy: expect.stringContaining("Did you mean recommended?") }),
  );
});

it("checks each change, or the report of the plan, with a schema", () => {
  const rules = rulesOf({ rules: [custom({ remedy: "ask ops" })] });
  expect(evaluatePolicies(plan, { rules, kinds: [] })).toEqual([
    {
      code: "policy-violation",
      severity: "warning",
      address: "Plain/a",
      summary: expect.stringMatching(/^no-deletes: deletes need a ticket \(Plain\/a\): \/action /u),
      remedy: "ask ops",
    },
  ]);
  const whole = rulesOf({
    rules: [custom({ over: "plan", schema: { properties: { changes: { maxItems: 1 } } } })],
  });
  const [finding] = evaluatePolicies(plan, { rules: whole, kinds: [] });
  expect(finding?.summary).toMatch(/^no-deletes: deletes need a ticket: \/changes /u);
  expect(finding).not.toHaveProperty("address");
});

it.each([
  ["no JSON", "rules: []", "it is not valid JSON"],
  ["no rules", { rules: [] }, "/rules"],
  ["an unknown built-in rule", { rules: [{ use: "nonsense" }] }, "/rules/0"],
  ["an invalid schema", { rules: [custom({ schema: { type: "nonsense" } })] }, "is invalid"],
  [
    "an asynchronous schema, which would accept everything",
    { rules: [custom({ schema: { allOf: [{ $async: true }] } })] },
    "must not be $async",
  ],
])("refuses a file with %s", (_, content, why) => {
  expect(() => rulesOf(content)).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(why) }),
  );
});
