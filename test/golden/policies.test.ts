// Tests policies: findings of the built-in rules, policy files, and the severity from which a run fails.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { JsonValue } from "../../core/json.ts";
import { sampleChange, sampleField, samplePlan } from "../support/sample-plans.ts";
import type { Plan } from "../../reconciler/model/index.ts";
import { readRules } from "../../reconciler/policy/policy-file.ts";
import { evaluatePolicies, reachesSeverity } from "../../reconciler/policy/policy-rule.ts";

const folder = mkdtempSync(path.join(tmpdir(), "svc-policy-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: JsonValue | string): string {
  const file = path.join(folder, "policy.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

function violationsOf(plan: Plan, file = "recommended"): readonly string[] {
  const found = evaluatePolicies(plan, { rules: readRules(file), kinds: [] });
  return found.map(({ severity, code, address = "-" }) => `${severity} ${code} ${address}`);
}

const update = sampleChange("update", "Plain/a", {
  fields: [sampleField({ path: "/name", before: "x", after: "y" })],
});
const secret = sampleChange("update", "Plain/s", {
  fields: [sampleField({ path: "/token", before: "s3cr3t", after: "t0k3n", sensitive: true })],
});

describe("the policies that come with svc", () => {
  it("allow creates and ordinary updates", () => {
    expect(violationsOf(samplePlan([sampleChange("create", "Plain/new"), update]))).toEqual([]);
  });

  it("report deletes, replacements, overwritten changes and secrets", () => {
    const plan = samplePlan([
      sampleChange("delete", "Plain/old", { cascadeCounts: { Plain: 2 } }),
      sampleChange("replace", "Plain/re"),
      { ...update, direction: "conflict" },
      secret,
    ]);
    expect(violationsOf(plan)).toEqual([
      "warning policy-deletes Plain/old",
      "warning policy-replaces Plain/re",
      "warning policy-overwrites Plain/a",
      "info policy-secrets Plain/s",
    ]);
    const found = evaluatePolicies(plan, { rules: readRules("recommended"), kinds: [] });
    expect(found[0]?.summary).toBe("Plain/old is deleted, including 2 Plain inside");
    expect(found[2]?.summary).toContain("and this plan would overwrite that change");
    expect(JSON.stringify(found)).not.toMatch(/s3cr3t|t0k3n/u);
  });

  it.each([
    [3, 2, true],
    [3, 3, false],
    [4, 0, true],
    [3, 0, false],
  ])(
    "of %i deletes beside %i objects that stay say that the stack shrinks: %s",
    (deletes, stay, is) => {
      const changes = Array.from({ length: deletes }, (_, at) =>
        sampleChange("delete", `Plain/${at}`),
      );
      const found = violationsOf(samplePlan(changes, { unchanged: stay }));
      expect(found.includes("error policy-mass-delete -")).toBe(is);
    },
  );
});

const noDeletes = {
  name: "keeps-plain",
  severity: "error",
  message: "nothing is deleted here",
  remedy: "ask the platform team",
  over: "change",
  schema: { properties: { action: { enum: ["create", "update"] } } },
};

describe("custom policies", () => {
  it("check each change, or the whole plan, with a schema", () => {
    const whole = {
      name: "few",
      severity: "warning",
      message: "at most one change at a time",
      over: "plan",
      schema: { properties: { changes: { maxItems: 1 } } },
    };
    const file = fileOf({ rules: [noDeletes, whole, { use: "deletes", severity: "info" }] });
    const plan = samplePlan([update, sampleChange("delete", "Plain/old")]);
    expect(violationsOf(plan, file)).toEqual([
      "error policy-violation Plain/old",
      "warning policy-violation -",
      "info policy-deletes Plain/old",
    ]);
    const [first] = evaluatePolicies(plan, { rules: readRules(file), kinds: [] });
    expect(first?.summary).toMatch(
      /^keeps-plain: nothing is deleted here \(Plain\/old\): \/action must be /u,
    );
    expect(first?.remedy).toBe("ask the platform team");
    expect(violationsOf(samplePlan([update]), file)).toEqual([]);
  });

  it("receive no secret", () => {
    const schema = { not: { required: ["fields"] } };
    const file = fileOf({ rules: [{ ...noDeletes, schema }] });
    const found = evaluatePolicies(samplePlan([secret]), { rules: readRules(file), kinds: [] });
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found)).not.toMatch(/s3cr3t|t0k3n/u);
  });

  it.each<[string, JsonValue | string]>([
    ["is not valid JSON", "{"],
    ["no rules", {}],
    ["an unknown built-in one", { rules: [{ use: "nothing" }] }],
    ["an unknown member", { rules: [{ ...noDeletes, severty: "info" }] }],
    ["an invalid schema", { rules: [{ ...noDeletes, schema: { type: "text" } }] }],
    ["a misspelt keyword", { rules: [{ ...noDeletes, schema: { propertys: {} } }] }],
    ["a reference elsewhere", { rules: [{ ...noDeletes, schema: { $ref: "http://x.example/" } }] }],
    ["a schema that only promises", { rules: [{ ...noDeletes, schema: { $async: true } }] }],
  ])("are refused with %s", (_, content) => {
    expect(() => readRules(fileOf(content))).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining("policy.json") }),
    );
  });

  it("are an error if the file does not exist", () => {
    expect(() => readRules(path.join(folder, "none.json"))).toThrow(
      /cannot be read: no such file or folder/u,
    );
  });
});

describe("a threshold", () => {
  const of = (severity: Diagnostic["severity"]): Diagnostic => ({
    code: "deprecated",
    severity,
    summary: "",
  });

  it.each([
    ["error", "error", true],
    ["warning", "error", false],
    ["warning", "warning", true],
    ["error", "warning", true],
    ["info", "warning", false],
    ["info", "info", true],
  ] as const)("is reached by %s at %s: %s", (severity, threshold, is) => {
    expect(reachesSeverity([of(severity)], threshold)).toBe(is);
    expect(reachesSeverity([], threshold)).toBe(false);
  });
});
