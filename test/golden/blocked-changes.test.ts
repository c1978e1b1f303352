// Tests the report of blocked and skipped changes: one entry for each cause, with the changes that depend on it.
import { describe, expect, it } from "vitest";
import { sampleChange, samplePlan } from "../support/sample-plans.ts";
import { sampleReports } from "../support/sample-reports.ts";
import type { ApplyResult, Outcome } from "../../reconciler/model/index.ts";
import { appliedText } from "../../reconciler/report/applied-text.ts";
import { dependentsText, blockedChains } from "../../reconciler/report/dependent-chains.ts";
import { planText } from "../../reconciler/report/plan-text.ts";
import { driftText } from "../../reconciler/report/drift-text.ts";

const renderOptions = { color: false, width: 100 };
const { plan } = sampleReports.chain;
const blockedBy = (addresses: readonly string[]) =>
  addresses.map((address) => ({ code: "dependency", address }) as const);

describe("a chain of blocked work", () => {
  it("is reported once, at the change that blocks it, and counted in the summary", () => {
    const text = planText(plan, renderOptions);
    expect(text).toContain(
      "    and 7 that depend on it: Plain/leaf-0, Plain/leaf-1, Plain/leaf-2, Plain/leaf-3, Plain/leaf-4 and 2 more\n",
    );
    expect(text).not.toContain("+ Plain/leaf-");
    expect(text).toContain("+ Plain/free");
    expect(text).toContain(
      "~ Plain/both\n    blocked: the server cannot update it [not-supported]\n",
    );
    expect(text).toContain("8 to create (7 of them blocked), 1 to update (1 of them blocked)");
  });

  it("keeps the differences of drift", () => {
    const text = driftText({ plan, manifestDiagnostics: [] }, renderOptions);
    expect(text.match(/\+ Plain\/leaf-/gu)).toHaveLength(7);
    expect(text.match(/depend on it/gu)).toHaveLength(1);
    expect(text).not.toContain("needs");
  });

  it("ends if it is a cycle, and handles thousands of links", () => {
    const circle = ["a", "b", "c"].map((name, at, all) => {
      const needs = [`Plain/${all[(at + 1) % 3]}`];
      return sampleChange("create", `Plain/${name}`, {
        dependsOn: needs,
        blockedBy: blockedBy(needs),
      });
    });
    expect([...blockedChains(circle).values()].flat()).toHaveLength(3);
    const long = Array.from({ length: 20_000 }, (_, at) => {
      const needs = [`Plain/${at + 1}`];
      return sampleChange("create", `Plain/${at}`, {
        dependsOn: needs,
        blockedBy: blockedBy(needs),
      });
    });
    const chains = blockedChains(long);
    expect([...chains.keys()]).toEqual(["Plain/20000"]);
    expect(dependentsText(chains.get("Plain/20000"))[0]).toMatch(/^and 20000 that depend on it: /u);
  });

  it("after an apply is reported with the change that failed", () => {
    const changes = [
      sampleChange("create", "Plain/root"),
      sampleChange("create", "Plain/one", { dependsOn: ["Plain/root"] }),
      sampleChange("create", "Plain/two", { dependsOn: ["Plain/one"] }),
      sampleChange("update", "Plain/alone"),
    ];
    const failure = { code: "conflict", message: "the name is taken" } as const;
    const outcomes = changes.map(({ action, address }): Outcome => {
      if (address === "Plain/root") return { action, address, result: "failed", failure };
      return { action, address, result: "skipped", failure: undefined };
    });
    const rest = {
      stopped: undefined,
      residual: [],
      unverified: undefined,
      calls: 3,
      writeCalls: 1,
    };
    const applied: ApplyResult = { plan: samplePlan(changes), outcomes, ...rest };
    expect(appliedText(applied, renderOptions)).toBe(
      [
        "failed to create Plain/root: the name is taken [conflict]",
        "    and 2 that depend on it: Plain/one, Plain/two",
        "",
        "skipped: update Plain/alone",
        "",
        "Applied: 1 failed, 3 skipped; 1 call to write, 3 in total.",
        "",
      ].join("\n"),
    );
  });
});
