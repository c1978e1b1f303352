// Tests that an apply makes the number of calls that its plan estimates, for all kinds in one plan.
import { expect, it } from "vitest";
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

it("of an inventory at the service is two calls of a plan, and of an apply far fewer than its writes", async () => {
  const service = await startService();
  const proxy = await startProxy(service.url);
  const options = { url: proxy.url, key: service.adminKey, inventory: "unspecified" };
  const stack = await makeStack({ ...options, policy: { concurrency: 8 } });
  const states = () => proxy.requests.filter(({ path }) => path.startsWith("/api/v1/state"));
  try {
    const documents = Array.from({ length: 100 }, (_, at): Doc => {
      return { kind: "UserGroup", name: `group-${at}`, spec: { name: `group-${at}` } };
    });
    await stack.write(documents);
    for (const changes of [100, 0]) {
      proxy.arm();
      expect((await stack.plan()).changes).toHaveLength(changes);
      expect([states().length, proxy.writes()]).toEqual([2, []]);
      proxy.arm();
      await stack.apply();
      // The lock, its checks, the whole inventory, and journal lines for many objects at a time.
      expect(states().length).toBeLessThan(10 + changes / 2);
    }
  } finally {
    await stack.dispose();
    await proxy.close();
    await service.close();
  }
});
