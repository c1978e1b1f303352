// Tests that an apply makes the number of calls that its plan estimates, for all kinds in one plan.
import { expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import type { Plan } from "../../../reconciler/model/index.ts";
import {
  everyKind,
  everyKindChanged,
  everySingleton,
  everySingletonChanged,
  prepareAccount,
} from "../../support/every-kind.ts";
import { startProxy } from "../../support/fault-proxy.ts";
import { startService } from "../../support/test-service.ts";
import { type Doc, makeStack } from "../../support/test-stack.ts";

it("counts each call that writes, in creates, updates and deletes of every kind", async () => {
  const service = await startService();
  const proxy = await startProxy(service.url);
  const stack = await makeStack({ url: proxy.url, key: service.adminKey });
  try {
    await prepareAccount(service);
    // Two recipients are deleted in one call, which is repeated for each if their notification was replaced before.
    const isOnly = ({ name }: Doc) => name !== "weekly-sales-tom";
    const created = [...everyKind, ...everySingleton].filter(isOnly);
    const changed = [...everyKindChanged, ...everySingletonChanged].filter(isOnly);
    for (const documents of [created, changed, everyKind.slice(0, 1)]) {
      await stack.write(documents);
      const { cost } = await stack.plan();
      proxy.arm();
      const applied = await stack.apply({ createsKey: true });
      const { outcomes, plan, calls, writeCalls } = applied;
      expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
      expect(proxy.writes()).toHaveLength(cost.writeCalls);
      expect([writeCalls, plan.cost.writeCalls]).toEqual([cost.writeCalls, cost.writeCalls]);
      expect(writeCalls).toBeGreaterThan(0);
      expect(calls).toBeGreaterThan(writeCalls);
    }
  } finally {
    await stack.dispose();
    await proxy.close();
    await service.close();
  }
});

/** Calls that reached the service, and those that a busy machine had to repeat before they did. */
function expectCalls(counted: number, reached: number): void {
  expect(counted).toBeGreaterThanOrEqual(reached);
  expect(counted).toBeLessThanOrEqual(reached + 3);
}

interface Run {
  readonly kind: string;
  readonly count: number;
  readonly inventory: string;
  readonly policy?: JsonObject;
}

/** Creates groups of users, or tenants with a group each, changes them and deletes them. Returns the calls of each step. */
async function callsOfSteps({ kind, count, inventory, policy }: Run) {
  const service = await startService();
  const proxy = await startProxy(service.url);
  const options = { url: proxy.url, key: service.adminKey, inventory, policy: { ...policy } };
  const stack = await makeStack(options);
  const documents = (description: string) =>
    Array.from({ length: count }, (_, at): Doc[] => {
      const spec = { name: `group-${at}`, description };
      if (kind === "UserGroup") return [{ kind, name: spec.name, spec }];
      const embedTenant = `tenant-${at}`;
      const tenant = { kind: "EmbedTenant", name: embedTenant, spec: { name: embedTenant } };
      return [tenant, { kind, name: spec.name, spec: { ...spec, embedTenant } }];
    }).flat();
  const steps: { planned: Plan["cost"]; calls: number; reported: number; seconds: number }[] = [];
  try {
    for (const step of [documents("a"), documents("b"), documents("b").slice(0, 1)]) {
      await stack.write(step);
      const before = proxy.requests.length;
      const { cost } = await stack.plan();
      expectCalls(cost.readCalls, proxy.requests.length - before);
      proxy.arm();
      const began = performance.now();
      const { calls: reported } = await stack.apply();
      const seconds = (performance.now() - began) / 1000;
      steps.push({ planned: cost, calls: proxy.requests.length, reported, seconds });
    }
    return steps;
  } finally {
    await stack.dispose();
    await proxy.close();
    await service.close();
  }
}

const sizes = ["file", "service"].flatMap((inventory): readonly Run[] => [
  ...[1, 10, 300].map((count) => ({ kind: "UserGroup", count, inventory })),
  ...[1, 30].map((count) => ({ kind: "EmbedGroup", count, inventory })),
]);

it.each(sizes)(
  "counts all calls of an apply within a fifth: $count of $kind, inventory in a $inventory",
  async (run) => {
    for (const { planned, calls, reported } of await callsOfSteps(run)) {
      expectCalls(reported, calls);
      // A plan without changes makes the calls that the apply repeats.
      const { applyCalls = planned.readCalls } = planned;
      expect([applyCalls, calls, applyCalls / calls > 0.8 && applyCalls / calls < 1.2]).toEqual([
        applyCalls,
        calls,
        true,
      ]);
    }
  },
);

it.each(["file", "service"])(
  "estimates the duration under a limit of the rate within a fifth, inventory in a %s",
  async (inventory) => {
    const requestsPerSecond = 20;
    const run: Run = { kind: "UserGroup", count: 60, inventory, policy: { requestsPerSecond } };
    const [, update] = await callsOfSteps(run);
    const { planned, calls, seconds } = update ?? expect.fail("no step");
    const { seconds: estimated = 0 } = planned;
    // The estimate is rounded up to whole seconds.
    expect(seconds).toBeGreaterThan(0.8 * (estimated - 1));
    // A busy machine needs longer than the limit asks for.
    expect(calls / requestsPerSecond).toBeLessThan(1.2 * estimated);
  },
);
