// Tests policies through the library: a plan shows the findings of a policy, and an apply refuses it.
import { expect, it } from "vitest";
import type { PolicyEvaluator } from "../../reconciler/policy/policy-rule.ts";
import { apply } from "../../reconciler/apply.ts";
import { plan } from "../../reconciler/plan.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { startService } from "../support/test-service.ts";
import { type Doc, makeStack } from "../support/test-stack.ts";

it("is evaluated before a person is asked to approve the plan", async () => {
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
    let approvals = 0;
    let shown: readonly unknown[] = [];
    const run = (failOn: "warning" | "error") =>
      apply({
        ...stack.options,
        evaluatePolicies: judge,
        failOn,
        progress: (event) => void (event.event === "plan" && (shown = event.plan.diagnostics)),
        approve: async () => (approvals += 1) > 0,
      });
    proxy.arm();
    await expect(run("warning")).rejects.toMatchObject({ code: "refused" });
    expect([approvals, proxy.writes()]).toEqual([0, []]);
    expect(shown).toMatchObject([{ summary: "UserGroup/north is not wanted" }]);
    const done = await run("error");
    expect(done.ok && done.applied?.outcomes).toMatchObject([{ result: "done" }]);
  } finally {
    await stack.dispose();
    await proxy.close();
    await service.close();
  }
});

it("is reported together with the delete limit and with conflicts, and asks for no confirmation then", async () => {
  const service = await startService();
  const policy = { maxDeletes: 0 };
  const stack = await makeStack({ url: service.url, key: service.adminKey, policy });
  const group = (name: string, description: string): Doc => ({
    kind: "UserGroup",
    name,
    spec: { name, description },
  });
  try {
    await stack.write([group("kept", "first"), group("gone", "first")]);
    await stack.apply();
    const path = "/api/v1/user-groups";
    const { body } = await service.send("GET", path);
    const { id } = (body as { items: { id: number; name: string }[] }).items.find(
      ({ name }) => name === "kept",
    ) ?? { id: 0 };
    await service.send("PATCH", `${path}/${id}`, { body: { description: "theirs" } });
    await stack.write([group("kept", "second")]);
    const run = (allowDeletes: number, severity: "error" | "warning") =>
      apply({
        ...stack.options,
        allowDeletes,
        evaluatePolicies: () => [{ code: "policy-violation", severity, summary: "not wanted" }],
        approve: async () => true,
      });
    const all = await run(0, "error").catch((error: unknown) => error);
    expect(all).toMatchObject({
      code: "refused",
      message: expect.stringMatching(
        /findings at or above --fail-on error: 1; .*deletes or replaces 1 object.*; changed both/u,
      ),
      remedy: expect.stringMatching(/Fix the findings.*--allow-deletes 1.*--on-conflict/u),
    });
    expect(all).not.toMatchObject({ details: { confirmation: "deletes" } });
    await expect(run(1, "error")).rejects.toMatchObject({
      code: "refused",
      message: expect.stringMatching(/findings at or above --fail-on error: 1; changed both/u),
    });
    await expect(run(0, "warning")).rejects.toMatchObject({
      message: expect.stringMatching(/^the plan deletes or replaces 1 object/u),
      details: { confirmation: "deletes", conflicts: ["UserGroup/kept"] },
    });
    await expect(run(1, "warning")).rejects.toMatchObject({ code: "conflict" });
  } finally {
    await stack.dispose();
    await service.close();
  }
});
