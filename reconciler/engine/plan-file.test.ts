// Tests of saved plans.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Plan } from "../model/index.ts";
import { isPlanFile, readPlan, rejectReport, savePlan } from "./plan-file.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-plan-"));
afterAll(() => rmSync(folder, { recursive: true }));

const plan: Plan = {
  format: 2,
  basis: { stack: "s", origin: "https://a.example", desired: "d", inventory: "i" },
  changes: [
    {
      action: "update",
      address: "Ship/a",
      kind: "Ship",
      name: "a",
      key: "a",
      scope: {},
      id: undefined,
      from: undefined,
      fields: [
        {
          path: "/home",
          field: "home",
          before: null,
          after: "Hull",
          reason: "differs",
          replaces: false,
          sensitive: false,
          direction: "pending",
        },
      ],
      direction: "pending",
      desired: { home: "Hull" },
      precondition: { digest: "x", fields: ["home"] },
      layer: 0,
      dependsOn: [],
      cascadedBy: undefined,
      blockedBy: [],
      notVerifiable: [],
    },
  ],
  unchanged: 2,
  diagnostics: [],
  cost: { readCalls: 1, writeCalls: 1 },
};

function written(name: string, value: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  return file;
}

function refusal(file: string): unknown {
  try {
    return readPlan(file);
  } catch (error) {
    return error;
  }
}

describe("a saved plan", () => {
  const file = join(folder, "plan.json");
  savePlan(file, plan);

  it("is not a report of a plan, and the error says so", () => {
    const report = written("report.json", { format: 1, report: "plan", changes: [] });
    const expected = {
      code: "usage",
      message: `${report} is a report, not a saved plan: it lacks what an apply needs`,
      remedy: "Save the plan with `svc plan --out FILE`, and apply that file.",
    };
    expect(refusal(report)).toMatchObject(expected);
    expect(() => rejectReport(report)).toThrow(expected.message);
    expect(() => rejectReport(written("saved.json", plan))).not.toThrow();
  });

  it("is read as it was", () => {
    expect(isPlanFile(file)).toBe(true);
    expect(readPlan(file)).toEqual(plan);
  });

  it("is readable by its owner only, and replaces an existing file", () => {
    savePlan(file, plan);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it.each([
    ["damaged", readFileSync(file, "utf8").slice(0, 80), "corrupt"],
    ["newer", { ...plan, format: 3 }, "corrupt"],
    ["edited", { ...plan, changes: [{ ...plan.changes[0], action: "run" }] }, "corrupt"],
    [
      "blocked by a sentence",
      { ...plan, changes: [{ ...plan.changes[0], blockedBy: ["no"] }] },
      "corrupt",
    ],
    ["half", { format: 2, basis: plan.basis }, "corrupt"],
    ["another thing", { kind: "Stack" }, "usage"],
    ["a list", [], "usage"],
    ["a manifest", "kind: Stack\n", "usage"],
  ])("is refused when it is %s", (name, value, code) => {
    expect(refusal(written(`${name}.json`, value))).toMatchObject({ code });
  });

  it("of an earlier version is refused with what to do, whatever it contains", () => {
    const change = { ...plan.changes[0], guards: { protect: true } };
    const earlier = written("earlier.json", { ...plan, format: 1, changes: [change] });
    expect(refusal(earlier)).toMatchObject({
      code: "corrupt",
      message: `${earlier} is a plan of format 1, and this version of svc reads format 2`,
      remedy: "Plan again with this version.",
    });
    expect(() => savePlan(earlier, plan)).not.toThrow();
  });

  it("is no other file, and no file that is missing", () => {
    expect(refusal(join(folder, "none.json"))).toMatchObject({ code: "usage" });
    expect(isPlanFile(join(folder, "none.json"))).toBe(false);
    expect(isPlanFile(written("plan.yaml", plan))).toBe(false);
    expect(isPlanFile(written("manifest.json", { kind: "Stack" }))).toBe(false);
  });

  it("is not left partly written if its folder does not exist", () => {
    expect(() => savePlan(join(folder, "no", "plan.json"), plan)).toThrow(/cannot be written/);
  });
});
