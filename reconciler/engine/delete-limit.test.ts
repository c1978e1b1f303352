// Tests of the delete limit.
import { describe, expect, it } from "vitest";
import { sampleChange, samplePlan } from "../../test/support/sample-plans.ts";
import type { Policy } from "../model/index.ts";
import { deleteLimitExceeded, deleteLimitOf, deleteLimitWarnings } from "./delete-limit.ts";

const policy: Policy = {
  prune: true,
  maxDeletes: 10,
  concurrency: 1,
  requestsPerSecond: undefined,
};

it.each([
  ["without a share", undefined, 1000, 10],
  ["with a share below the number", 5, 100, 5],
  ["with a share above the number", 50, 100, 10],
  ["with a share of all, which is no limit", 100, 4, 10],
  ["with a share of less than one object", 5, 19, 0],
])("is computed %s", (_, maxDeletePercent, owned, limit) => {
  expect(deleteLimitOf({ policy: { ...policy, maxDeletePercent }, owned })).toBe(limit);
});

const limit = (maxDeletes: number) => ({ policy: { ...policy, maxDeletes }, owned: 100 });

describe("a plan", () => {
  const plan = samplePlan([
    sampleChange("delete", "Plain/a", { cascadeCounts: { Plain: 2, Other: 1 } }),
    sampleChange("replace", "Plain/b"),
    sampleChange("forget", "Plain/c"),
    sampleChange("create", "Plain/d"),
  ]);

  it.each([
    [4, 0, true],
    [5, 0, false],
    [0, 5, false],
    [0, 4, true],
  ])("with five deletes, a limit of %i and an allowance of %i", (maxDeletes, allowed, exceeds) => {
    expect(deleteLimitExceeded(plan, { ...limit(maxDeletes), allowed }) !== undefined).toBe(
      exceeds,
    );
  });

  it("says how many objects go inside others, and what to pass", () => {
    expect(deleteLimitExceeded(plan, { ...limit(1), allowed: 0 })).toMatchObject({
      code: "refused",
      message:
        "the plan deletes or replaces 5 objects, 3 of them inside others; the stack allows 1",
      remedy: "Review the plan, then pass --allow-deletes 5.",
    });
    expect(deleteLimitWarnings(plan, limit(5))).toEqual([]);
    expect(deleteLimitWarnings(plan, limit(4))).toMatchObject([
      {
        code: "delete-limit",
        severity: "warning",
        remedy: "Review the plan, then pass --allow-deletes 5 to `svc apply`.",
      },
    ]);
  });

  it.each([
    [1, 4, "--allow-deletes allows 4"],
    [3, 2, "the stack allows 3; --allow-deletes allows 2"],
  ])("over a limit of %i and an allowance of %i says: %s", (maxDeletes, allowed, limits) => {
    expect(deleteLimitExceeded(plan, { ...limit(maxDeletes), allowed })?.message).toBe(
      `the plan deletes or replaces 5 objects, 3 of them inside others; ${limits}`,
    );
  });

  it("names the operator's grant that sets the limit", () => {
    const policyByGrant = { ...policy, maxDeletes: 0, maxDeletePercent: 50 };
    const granted = {
      policy: { ...policyByGrant, limitedByGrants: ["maxDeletes" as const] },
      owned: 100,
    };
    expect(deleteLimitExceeded(plan, { ...granted, allowed: 0 })).toMatchObject({
      message: expect.stringContaining("; grants.maxDeletes allows 0"),
      details: { grant: "maxDeletes" },
    });
  });

  it("says what a limit of a small stack is a share of", () => {
    const one = samplePlan([sampleChange("delete", "Plain/a")]);
    const small = { policy: { ...policy, maxDeletePercent: 50 }, owned: 1 };
    expect(deleteLimitExceeded(one, { ...small, allowed: 0 })?.message).toBe(
      "the plan deletes or replaces 1 object; the stack allows 0, which is 50% of the 1 object it owns, rounded down",
    );
  });
});
