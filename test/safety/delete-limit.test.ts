// Tests the delete limit as a number and as a share of the owned objects, also with a saved plan.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { startService } from "../support/test-service.ts";
import { type Doc, makeStack } from "../support/test-stack.ts";

const groups = (count: number): readonly Doc[] =>
  Array.from({ length: count }, (_, at) => ({
    kind: "UserGroup",
    name: `group-${at}`,
    spec: { name: `group-${at}` },
  }));

it.each<[JsonObject, number]>([
  [{ maxDeletes: 10, maxDeletePercent: 20 }, 1],
  [{ maxDeletes: 1, maxDeletePercent: 100 }, 1],
  [{ maxDeletes: 10, maxDeletePercent: 0 }, 0],
  // An explicit limit does not raise the share of a small stack.
  [{ maxDeletes: 5, maxDeletePercent: undefined }, 4],
  // The limits of a Stack that declares none.
  [{ maxDeletes: null }, 4],
])("%j of eight objects allows %i deletes", async (policy, allowed) => {
  const service = await startService();
  const proxy = await startProxy(service.url);
  const stack = await makeStack({ url: proxy.url, key: service.adminKey, policy });
  try {
    await stack.write(groups(8));
    await stack.apply();
    await stack.write(groups(8 - allowed - 1));
    proxy.arm();
    const refusal = {
      code: "refused",
      details: { confirmation: "deletes", count: allowed + 1, deleteLimit: allowed },
    };
    await expect(stack.apply()).rejects.toMatchObject(refusal);
    await expect(stack.apply({ savedPlan: await stack.plan() })).rejects.toMatchObject(refusal);
    await expect(stack.apply({ allowDeletes: allowed })).rejects.toMatchObject(refusal);
    const remedy = expect.stringContaining(`--allow-deletes ${allowed + 1}`) as string;
    expect((await stack.plan()).diagnostics).toMatchObject([{ code: "delete-limit", remedy }]);
    expect(proxy.writes()).toEqual([]);
    await stack.write(groups(8 - allowed));
    expect((await stack.plan()).diagnostics).toEqual([]);
    await stack.apply();
    await stack.write(groups(8 - allowed - 1));
    const { outcomes } = await stack.apply({ allowDeletes: 1 });
    expect(outcomes.map(({ result }) => result)).toEqual(["done"]);
  } finally {
    await stack.dispose();
    await proxy.close();
    await service.close();
  }
});

it("is not asked for where the plan holds errors, which no --allow-deletes lifts", async () => {
  const service = await startService();
  const stack = await makeStack({
    url: service.url,
    key: service.adminKey,
    policy: { maxDeletes: 0 },
  });
  try {
    const [kept, guarded, removed] = groups(3);
    if (kept === undefined || guarded === undefined || removed === undefined) expect.fail();
    await stack.write([kept, { ...guarded, lifecycle: { protect: true } }, removed]);
    await stack.apply();
    await stack.write([kept]);
    await expect(stack.apply()).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("errors") as string,
    });
  } finally {
    await stack.dispose();
    await service.close();
  }
});
