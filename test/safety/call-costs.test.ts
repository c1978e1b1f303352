// The calls that a plan estimates are those that its apply makes.
import { expect, it } from "vitest";
import {
  everyKind,
  everyKindChanged,
  everySingleton,
  everySingletonChanged,
  prepareAccount,
} from "../support/every-kind.ts";
import { startService } from "../support/test-service.ts";
import { makeStack } from "../support/test-stack.ts";

it("estimates the calls that write objects of every type", { timeout: 180_000 }, async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    await prepareAccount(service);
    const created = [...everyKind, ...everySingleton];
    const changed = [...everyKindChanged, ...everySingletonChanged];
    for (const documents of [created, changed, []]) {
      await stack.write(documents);
      const { plan, calls, writeCalls } = await stack.apply({ createsKey: true, allowEmpty: true });
      expect(writeCalls).toBe(plan.cost.writeCalls);
      expect(writeCalls).toBeGreaterThan(0);
      expect(calls).toBeGreaterThan(writeCalls);
    }
  } finally {
    await stack.dispose();
    await service.close();
  }
});
