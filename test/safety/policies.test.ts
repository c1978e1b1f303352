// Policies through the library: what a judge holds against a plan is shown in it, and keeps it from being applied.
import { expect, it } from "vitest";
import type { PolicyEvaluator } from "../../reconciler/policy/policy-rule.ts";
import { apply, plan } from "../../reconciler/verbs/verbs.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { startService } from "../support/test-service.ts";
import { makeStack } from "../support/test-stack.ts";

it("is asked about the plan, before anybody is asked to approve it", async () => {
  const service = await startService();
  const proxy = await startProxy(service.url);
  const stack = await makeStack({ url: proxy.url, key: service.adminKey });
  try {
    await stack.write([{ kind: "UserGroup", name: "north", spec: { name: "north" } }]);
    const judge: PolicyEvaluator = ({ changes }) =>
      changes.map(({ address }) => ({
        code: "policy-violation",
        severity: "warning",
        summary: `${address} is not wanted`,
        address,
      }));
    const planned = await plan({ ...stack.options, evaluatePolicies: judge });
    expect(planned.ok && planned.plan.diagnostics).toMatchObject([{ code: "policy-violation" }]);
    let asked = 0;
    let shown: readonly unknown[] = [];
    const run = (failOn: "warning" | "error") =>
      apply({
        ...stack.options,
        evaluatePolicies: judge,
        failOn,
        onPlan: ({ diagnostics }) => (shown = diagnostics),
        approve: async () => (asked += 1) > 0,
      });
    proxy.arm();
    await expect(run("warning")).rejects.toMatchObject({ code: "refused" });
    expect([asked, proxy.writes()]).toEqual([0, []]);
    expect(shown).toMatchObject([{ summary: "UserGroup/north is not wanted" }]);
    const done = await run("error");
    expect(done.ok && done.applied?.outcomes).toMatchObject([{ result: "done" }]);
  } finally {
    await stack.dispose();
    await proxy.close();
    await service.close();
  }
});
