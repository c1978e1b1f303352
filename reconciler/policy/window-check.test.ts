// Windows and freezes over a plan: findings, and the refusal of an apply.
import { describe, expect, it } from "vitest";
import { sampleChange, samplePlan } from "../../test/support/sample-plans.ts";
import type { WindowRuleSet } from "../model/windows/window-schema.ts";
import { closedWindowFailure, closureText, planWindowStatus, windowNotes } from "./window-check.ts";

const at = new Date("2026-06-01T12:00:00Z");
const freeze = { to: "2026-06-02T00:00:00Z", reason: "backups run", owner: "ops@example.com" };
const rules = (more: Partial<WindowRuleSet>): { windowRuleSets: readonly WindowRuleSet[] } => ({
  windowRuleSets: [{ by: "the Stack", windows: [], freezes: [], ...more }],
});
const metadata = { name: "a", labels: {} };
const plan = samplePlan([sampleChange("update", "Plain/a", { metadata })]);

describe("a freeze", () => {
  const frozen = rules({ freezes: [freeze] });

  it("is a warning when planning, with its owner and its end", () => {
    expect(windowNotes(plan, frozen, at)).toEqual([
      {
        code: "window-closed",
        severity: "warning",
        summary: "this plan cannot be applied now: a freeze of the Stack (backups run)",
        remedy: "Wait until 2026-06-02T00:00:00Z, or ask ops@example.com.",
      },
    ]);
  });

  it("is a refusal when applying", () => {
    expect(closedWindowFailure(plan, frozen, at)).toMatchObject({
      code: "window_closed",
      details: { opens: "2026-06-02T00:00:00.000Z" },
      remedy: "Nothing was written. Wait until 2026-06-02T00:00:00Z, or ask ops@example.com.",
    });
  });

  it("does not apply to a plan without changes, to other objects, or after its end", () => {
    const none = { closures: [], opens: undefined };
    expect(planWindowStatus(samplePlan([]), frozen, at)).toEqual(none);
    const other = rules({ freezes: [{ ...freeze, match: { kinds: ["Deployment"] } }] });
    expect(planWindowStatus(plan, other, at)).toEqual(none);
    expect(planWindowStatus(plan, frozen, new Date(freeze.to))).toEqual(none);
  });
});

it("names the object that a closed rule matches through the delete of its parent", () => {
  const cascaded = { kind: "EmbedUser", name: "ada", cascadedFrom: "EmbedTenant/shop" };
  const closure = { by: "the operator", why: "deny", reason: "audit", owner: undefined } as const;
  const text = "a window of the operator that denies changes (audit)";
  expect(closureText(closure)).toBe(text);
  expect(closureText({ ...closure, cascaded })).toBe(
    `${text} that applies to EmbedUser/ada, which is deleted with EmbedTenant/shop`,
  );
  expect(closureText({ ...closure, cascaded: { ...cascaded, name: undefined } })).toContain(
    "applies to an undeclared EmbedUser",
  );
});

it("reports an expired window", () => {
  const expired = rules({
    windows: [
      {
        effect: "deny",
        schedule: "0 9 * * *",
        duration: "1h",
        reason: "trading hours",
        expires: "2026-05-31",
      },
    ],
  });
  expect(windowNotes(plan, expired, at)).toMatchObject([
    { code: "window-expired", summary: expect.stringContaining("(trading hours) has expired") },
  ]);
});
