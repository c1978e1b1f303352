// Tests a server that does not answer the unlock at the end of a command: the command keeps its result and warns about the
// remaining lock.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hold } from "../../promotion/manual-actions.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { handOver } from "../../reconciler/verbs/hand-over.ts";
import { moveInventory, renameInventory } from "../../reconciler/verbs/inventory-admin.ts";
import { protect } from "../../reconciler/verbs/protect.ts";
import { undo } from "../../reconciler/undo.ts";
import { adopt } from "../../reconciler/adopt.ts";
import { apply } from "../../reconciler/apply.ts";
import { type FaultHook, type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { changeSummaries, makeStack, type TestStack } from "../support/test-stack.ts";
import { openPromotionFixture, type PromotionFixture } from "../promotion/fixture.ts";

/** Fails every request that releases a lock. */
const failUnlocks: FaultHook = async ({ path }) => (path.endsWith("/unlock") ? "refuse" : "pass");

let service: TestService;
let proxy: Proxy;
const stacks: TestStack[] = [];
let count = 0;
beforeAll(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
});
beforeEach(() => proxy.arm());
afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.dispose()));
  await proxy.close();
  await service.close();
});

const group = (name: string, description = "one") => ({
  kind: "UserGroup",
  name,
  spec: { name, description },
});

async function openStack(inventory: "service" | "file" = "service"): Promise<TestStack> {
  count += 1;
  const name = `kept-${count}`;
  const stack = await makeStack({ url: proxy.url, key: service.adminKey, name, inventory });
  stacks.push(stack);
  return stack;
}

async function ownGroup(name: string, inventory?: "service" | "file"): Promise<TestStack> {
  const stack = await openStack(inventory);
  await stack.write([group(name)]);
  await stack.apply();
  return stack;
}

/** Runs a command whose locks cannot be released. */
async function runUnreleased<T>(run: () => Promise<T>): Promise<T> {
  proxy.arm(1, failUnlocks, Infinity);
  const result = await run();
  proxy.arm();
  return result;
}

async function lastRun(stack: TestStack): Promise<string> {
  const shown = await history(stack.options);
  return (shown.ok && shown.runs[0]?.id) || "";
}

/** The warning about a lock on the state of the service, with the command that breaks it. */
const lockKept = {
  code: "lock-kept",
  severity: "warning",
  summary: expect.stringMatching(
    /^the lock on state \S+ of http\S+ could not be released and is held until 20/u,
  ),
  remedy: expect.stringMatching(/^To release it now: svc inventory unlock [\w-]+(?: \S+)?$/u),
};

describe("a lock that cannot be released", () => {
  it("keeps the result of apply", async () => {
    const stack = await openStack();
    await stack.write([group("applied")]);
    const result = await runUnreleased(() =>
      apply({ ...stack.options, approve: async () => true }),
    );
    expect(result).toMatchObject({
      ok: true,
      applied: { outcomes: [{ address: "UserGroup/applied", result: "done" }] },
      diagnostics: [lockKept],
    });
    expect(result.ok && result.applied?.unrecorded).toBeUndefined();
  });

  it("keeps the result of undo", async () => {
    const stack = await ownGroup("undone");
    await stack.write([group("undone", "two")]);
    await stack.apply();
    const run = await lastRun(stack);
    const result = await runUnreleased(() =>
      undo({ ...stack.options, run, approve: async () => true }),
    );
    expect(result).toMatchObject({
      ok: true,
      applied: { outcomes: [{ address: "UserGroup/undone", result: "done" }] },
      diagnostics: [lockKept, { code: "still-declared" }],
    });
  });

  it("keeps the result of adopt", async () => {
    const stack = await openStack();
    await service.send("POST", "/api/v1/user-groups", { body: { name: "adopted" } });
    await stack.write([group("adopted")]);
    expect(await runUnreleased(() => adopt(stack.options))).toMatchObject({
      ok: true,
      adopted: ["UserGroup/adopted"],
      diagnostics: [lockKept],
    });
  });

  it("keeps the result of protect", async () => {
    const stack = await ownGroup("protected");
    const addresses = ["UserGroup/protected"];
    const run = () => protect({ ...stack.options, addresses, protect: true });
    expect(await runUnreleased(run)).toMatchObject({
      ok: true,
      changed: addresses,
      diagnostics: [lockKept],
    });
  });

  it("keeps the result of a hand-over, with a warning for each stack", async () => {
    const giver = await ownGroup("handed");
    const taker = await openStack();
    const address = "UserGroup/handed";
    const run = () => handOver({ ...giver.options, address, to: taker.folder });
    expect(await runUnreleased(run)).toMatchObject({
      ok: true,
      address,
      diagnostics: [lockKept, lockKept],
    });
    await taker.write([group("handed")]);
    expect(changeSummaries((await taker.plan()).changes)).toEqual([`none ${address}`]);
  });

  it("keeps the result of the move of an inventory", async () => {
    const stack = await ownGroup("moved", "file");
    const spec = { inventory: "service" };
    const document = {
      apiVersion: "svc/v1",
      kind: "Stack",
      metadata: { name: `kept-${count}` },
      spec,
    };
    await writeFile(join(stack.folder, "stack.yaml"), JSON.stringify(document));
    expect(await runUnreleased(() => moveInventory(stack.options))).toMatchObject({
      ok: true,
      objectCount: 1,
      to: "service",
      diagnostics: [lockKept],
    });
    expect((await stack.plan()).unchanged).toBe(1);
  });

  it("keeps the result of the rename of an inventory", async () => {
    const stack = await ownGroup("renamed");
    const spec = { inventory: "service" };
    const document = {
      apiVersion: "svc/v1",
      kind: "Stack",
      metadata: { name: `kept-${count}-new` },
      spec,
    };
    await writeFile(join(stack.folder, "stack.yaml"), JSON.stringify(document));
    const renamedFrom = `kept-${count}`;
    const run = () => renameInventory({ ...stack.options, renamedFrom, approve: async () => true });
    const result = await runUnreleased(run);
    expect(result).toMatchObject({ ok: true, renamed: { renamedFrom, objectCount: 1 } });
    expect(result.diagnostics).toEqual(
      result.diagnostics.map(() => expect.objectContaining(lockKept)),
    );
    expect(result.diagnostics.length).toBeGreaterThan(0);
    expect((await stack.plan()).unchanged).toBe(1);
  });

  it("does not replace the reason why the work failed", async () => {
    const stack = await ownGroup("failing");
    const run = () => protect({ ...stack.options, addresses: ["UserGroup/other"], protect: true });
    await expect(runUnreleased(run)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a lock on the record of a pipeline that cannot be released", { timeout: 60_000 }, () => {
  let fixture: PromotionFixture;
  beforeAll(async () => {
    fixture = await openPromotionFixture(undefined, { inventory: "service" });
    await fixture.writePipeline();
  });
  afterAll(() => fixture.close());

  it("keeps the result of a hold", async () => {
    fixture.proxy.arm(1, failUnlocks, Infinity);
    const held = await hold({ ...fixture.options, stage: "production", reason: "a fair" });
    fixture.proxy.arm();
    expect(held).toMatchObject({ ok: true, diagnostics: [lockKept] });
    expect((await fixture.status()).stages.at(-1)?.hold?.reason).toBe("a fair");
  });
});
