// What a plan says it will cost is what carrying it out does cost, for every kind at once.
import { expect, it } from "vitest";
import { everyKind, everyKindChanged, makePeople } from "../support/every-kind.ts";
import { startProxy } from "../support/proxy.ts";
import { startService } from "../support/service.ts";
import { makeStack } from "../support/stack.ts";

it("counts each call that writes, in creates, updates and deletes of every kind", async () => {
  const service = await startService();
  const proxy = await startProxy(service.url);
  const stack = await makeStack({ url: proxy.url, key: service.adminKey });
  try {
    await makePeople(service);
    for (const documents of [everyKind, everyKindChanged, everyKind.slice(0, 1)]) {
      await stack.write(documents);
      const { cost } = await stack.plan();
      proxy.arm();
      const { outcomes } = await stack.apply();
      expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
      expect(proxy.writes()).toHaveLength(cost.writeCalls);
    }
  } finally {
    await stack.dispose();
    await proxy.close();
    await service.close();
  }
});
