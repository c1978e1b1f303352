// Tests windows and freezes on the real service: plans are complete, nothing is applied, and rules of the operator come
// before those of the Stack.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { apply } from "../../reconciler/apply.ts";
import { startProxy, type Proxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";

const office = {
  effect: "allow",
  schedule: "0 9 * * mon-fri",
  duration: "8h",
  reason: "office hours",
  owner: "platform",
};
const [friday, night, monday] = [
  new Date("2026-11-20T10:00:00Z"),
  new Date("2026-11-20T20:00:00Z"),
  new Date("2026-11-23T09:00:00Z"),
];
const group = (name: string): Doc => {
  return { kind: "UserGroup", name, spec: { name } };
};

let service: TestService;
let proxy: Proxy;
let stack: TestStack;

async function make(policy: JsonObject): Promise<void> {
  stack = await makeStack({ url: proxy.url, key: service.adminKey, policy });
}

beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
});

afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

describe("a closed window", () => {
  const closed = {
    code: "window_closed",
    details: { opens: monday.toISOString() },
    message:
      "changes are not allowed now: outside the windows of the Stack that allow changes (office hours)",
  };

  it("leaves the plan whole, and lets nothing be applied", async () => {
    await make({ windows: [office] });
    await stack.write([group("north")]);
    const plan = await stack.plan({ now: () => night });
    expect(changeSummaries(plan.changes)).toEqual(["create UserGroup/north"]);
    expect(plan.diagnostics).toMatchObject([
      {
        code: "window-closed",
        severity: "warning",
        remedy: "Wait until 2026-11-23T09:00:00Z, or ask platform.",
      },
    ]);
    proxy.arm();
    await expect(stack.apply({ now: () => night })).rejects.toMatchObject(closed);
    expect(proxy.writes()).toEqual([]);
    const open = await stack.apply({ savedPlan: plan, now: () => monday });
    expect(open.outcomes.map(({ result }) => result)).toEqual(["done"]);
    expect((await stack.plan({ now: () => night })).diagnostics).toEqual([]);
  });

  it("that closes while a user decides counts", async () => {
    await make({ windows: [office] });
    await stack.write([group("north")]);
    let now = friday;
    const approve = async () => {
      now = night;
      return true;
    };
    proxy.arm();
    const run = apply({ ...stack.options, approve, now: () => now });
    await expect(run).rejects.toMatchObject(closed);
    expect(proxy.writes()).toEqual([]);
  });

  it("does not keep what it does not hold for, nor our own record", async () => {
    await make({ windows: [{ ...office, match: { names: ["nor*"] } }] });
    await stack.write([group("south")]);
    await stack.apply({ now: () => night });
    await stack.write([group("south"), group("north")]);
    await expect(stack.apply({ now: () => night })).rejects.toMatchObject(closed);
    await stack.apply({ now: () => monday });
    await stack.loseInventory();
    expect(await stack.adopt()).toHaveLength(2);
  });
});

it("the operator's freeze is not lifted by a Stack that allows everything", async () => {
  await make({ windows: [{ ...office, schedule: "* * * * *", duration: "1h" }] });
  await stack.write([group("north")]);
  const grants = {
    ...noGrants,
    freezes: [{ to: "2027-01-01T00:00:00Z", reason: "audit", owner: "security" }],
  };
  await expect(stack.apply({ now: () => friday, grants })).rejects.toMatchObject({
    code: "window_closed",
    message: "changes are not allowed now: a freeze of the operator (audit)",
    remedy: "Nothing was written. Wait until 2027-01-01T00:00:00Z, or ask security.",
  });
  await stack.apply({ now: () => friday });
});

it("a rule that cannot be read is reported with its position, and nothing is planned", async () => {
  await make({
    windows: [office, { ...office, schedule: "9 o'clock" }, { ...office, timeZone: "Mars/North" }],
    freezes: [{ to: "2027-01-01", reason: "", owner: "ops" }],
  });
  await stack.write([group("north")]);
  const found = await stack.diagnostics();
  expect(found.map(({ path }) => path)).toEqual([
    "/spec/policy/freezes/0/to",
    "/spec/policy/freezes/0/reason",
  ]);
  await stack.dispose();
  await make({
    windows: [office, { ...office, schedule: "9 o'clock" }, { ...office, timeZone: "Mars/North" }],
  });
  expect((await stack.diagnostics()).map(({ path }) => path)).toEqual([
    "/spec/policy/windows/1/schedule",
    "/spec/policy/windows/2/timeZone",
  ]);
});
