// Tests that a directly applied promotion has the safeguards of every apply: policies, windows at the time of writing, and
// permissions of the key.
import { describe, expect, it } from "vitest";
import { setUpFixture, slowTest } from "./test-hooks.ts";
import { builtinRules } from "../../reconciler/policy/builtin-rules.ts";
import type { Severity } from "../../reconciler/policy/policy-names.ts";
import { evaluatePolicies, type PolicyEvaluator } from "../../reconciler/policy/policy-rule.ts";
import { readRules } from "../../reconciler/policy/policy-file.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { kinds } from "../../resources/index.ts";
import { newestVersion, olderVersion, type PromotionFixture } from "./fixture.ts";

let fixture: PromotionFixture;
setUpFixture((opened) => {
  fixture = opened;
});

/** Returns a policy file with one rule for each change, which forbids the newest version. */
function policyAgainstNewest(severity: Severity): PolicyEvaluator {
  const file = join(fixture.stack.folder, ".svc", "policy.json");
  const fields = { not: { contains: { properties: { after: { const: newestVersion } } } } };
  const schema = { properties: { fields } };
  const rule = { name: "not-yet", severity, message: "wait for it", over: "change", schema };
  writeFileSync(file, JSON.stringify({ rules: [rule] }));
  const rules = readRules(file);
  return (plan) => evaluatePolicies(plan, { rules, kinds });
}

describe("policies", slowTest, () => {
  it("block a version with a reason, before any write", async () => {
    await fixture.writePipeline([{}]);
    await fixture.verifyOnly();
    const { failures } = await fixture.promote({ evaluatePolicies: policyAgainstNewest("error") });
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      [
        "refused",
        expect.stringMatching(
          /^the plan of this promotion has errors: not-yet: wait for it \(Deployment\/dev\)/u,
        ),
      ],
    ]);
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
    // A started rollout continues as soon as no rule blocks it.
    expect((await fixture.promote()).failures).toEqual([]);
    expect(await fixture.versions()).toMatchObject({ dev: newestVersion });
  });

  it("block by the severity of --fail-on, and are reported below it", async () => {
    await fixture.writePipeline([{}]);
    await fixture.verifyOnly();
    const warned = await fixture.promote({
      evaluatePolicies: policyAgainstNewest("warning"),
      failOn: "warning",
    });
    expect(warned.failures.map(({ code }) => code)).toEqual(["refused"]);
    const { diagnostics, failures } = await fixture.promote({
      evaluatePolicies: policyAgainstNewest("warning"),
    });
    expect(failures).toEqual([]);
    expect(diagnostics.filter(({ code }) => code === "policy-violation")).toMatchObject([
      { severity: "warning", address: "Deployment/dev" },
    ]);
    expect(await fixture.versions()).toMatchObject({ dev: newestVersion });
  });

  it("recommended by svc find nothing in two consecutive promotions", async () => {
    await fixture.writePipeline([{}, {}]);
    await fixture.verifyOnly();
    const rules: PolicyEvaluator = (plan) => evaluatePolicies(plan, { rules: builtinRules, kinds });
    const { diagnostics, failures } = await fixture.promote({
      evaluatePolicies: rules,
      failOn: "warning",
    });
    expect([failures, diagnostics]).toEqual([[], []]);
    await fixture.promote({
      to: "dev",
      version: olderVersion,
      evaluatePolicies: rules,
      failOn: "warning",
    });
    expect(await fixture.versions()).toMatchObject({
      dev: olderVersion,
      "staging-a": newestVersion,
    });
  });
});

describe("a maintenance window", slowTest, () => {
  it("that closes during a promotion blocks the next write", async () => {
    const until = { from: "2026-03-02T09:00:01Z", to: "2026-03-03T00:00:00Z" };
    const freeze = { ...until, reason: "audit", owner: "ops" };
    await fixture.writePipeline([{ freezes: [freeze] }]);
    await fixture.verifyOnly();
    // The second request is that of the plan, after the decision; the first asks who promotes.
    let asked = 0;
    const now = () => new Date(asked > 1 ? "2026-03-02T09:00:02Z" : "2026-03-02T09:00:00Z");
    const approve = () => Promise.resolve(true);
    fixture.alterResponses(({ method, path }, body) => {
      if (method === "GET" && path.includes("/users/me")) asked++;
      return body;
    });
    const { failures } = await fixture.promote({ now, approve });
    expect(failures.map(({ code, message }) => [code, message])).toEqual([
      ["window_closed", "changes are not allowed now: a freeze of the stage dev (audit)"],
    ]);
    expect(await fixture.versions()).toMatchObject({ dev: olderVersion });
  });
});
