// Tests a hand-over that is interrupted before any write: one stack always owns the object, and the next attempt completes
// it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { handOver } from "../../reconciler/verbs/hand-over.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { undo } from "../../reconciler/undo.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { changeSummaries, type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let proxy: Proxy;
let late = 0;
const stacks: TestStack[] = [];
beforeAll(async () => {
  service = await startService({ now: () => Date.now() + late });
  proxy = await startProxy(service.url);
});
afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.dispose()));
  await proxy.close();
  await service.close();
});

const group = (name: string, description: string): Doc => ({
  kind: "UserGroup",
  name,
  spec: { name, description },
});

async function makePair(
  id: string,
  moved: readonly string[] = [`moved-${id}`],
): Promise<{ giver: TestStack; taker: TestStack }> {
  const make = async (name: string): Promise<TestStack> => {
    const options = { url: proxy.url, key: service.adminKey, name, inventory: "service" };
    const stack = await makeStack(options);
    stacks.push(stack);
    return stack;
  };
  const giver = await make(`giver-${id}`);
  const taker = await make(`taker-${id}`);
  await giver.write([`kept-${id}`, ...moved].map((name) => group(name, "one")));
  await giver.apply();
  return { giver, taker };
}

function move({ giver, taker }: { giver: TestStack; taker: TestStack }, address: string) {
  return handOver({ ...giver.options, address, to: taker.folder });
}

/** Returns the changes of a plan, without those that it only records. */
async function summaries(stack: TestStack): Promise<readonly string[]> {
  const { changes } = await stack.plan();
  return changeSummaries(changes.filter(({ action }) => action !== "none"));
}

it("belongs to exactly one stack wherever the move stops", { timeout: 120_000 }, async () => {
  const complete = await makePair("0");
  proxy.arm();
  await move(complete, "UserGroup/moved-0");
  const count = proxy.writes().length;
  expect(count).toBeGreaterThan(6);
  const names = Array.from({ length: count }, (_, index) => `moved-at-${index + 1}`);
  const pair = await makePair("all", names);
  const { giver, taker } = pair;
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const address = `UserGroup/${name}`;
    proxy.arm(index + 1, "refuse", Infinity);
    await move(pair, address).catch(() => undefined);
    proxy.arm();
    late += 2 * limits.leaseMs;
    // The document moves before the command is run again.
    const kept = ["kept-all", ...names.slice(index + 1)];
    await giver.write(kept.map((one) => group(one, "one")));
    await taker.write(names.slice(0, index + 1).map((one) => group(one, "one")));
    seen.add(
      JSON.stringify([await summaries(giver), await summaries(taker)]).replaceAll(name, "moved"),
    );
    await move(pair, address);
    expect([name, await summaries(giver), await summaries(taker)]).toEqual([name, [], []]);
  }
  // The giver still owns it, both stacks record it and the giver forgets it, or the transfer is complete.
  expect([...seen].toSorted()).toEqual([
    '[["delete UserGroup/moved"],["refuse UserGroup/moved"]]',
    '[["forget UserGroup/moved"],[]]',
    "[[],[]]",
  ]);
});

it("is kept by a receiving stack that prunes, until its document has been applied there", async () => {
  const { giver, taker } = await makePair("early");
  const address = "UserGroup/moved-early";
  await taker.write([group("own-early", "one")]);
  await taker.apply();
  await move({ giver, taker }, address);
  const { changes, diagnostics } = await taker.plan();
  expect(changeSummaries(changes)).toEqual([`orphan ${address}`]);
  expect(diagnostics).toMatchObject([
    { summary: expect.stringContaining('handed over by stack "giver-early"') },
  ]);
  await taker.apply();
  await taker.write(["own-early", "moved-early"].map((name) => group(name, "one")));
  expect(changeSummaries((await taker.plan()).changes)).toEqual([`none ${address}`]);
  await taker.apply();
  await taker.write([group("own-early", "one")]);
  expect(await summaries(taker)).toEqual([`delete ${address}`]);
});

it("is refused to the giver while it still declares the object", async () => {
  const { giver, taker } = await makePair("declared");
  await move({ giver, taker }, "UserGroup/moved-declared");
  const { changes, diagnostics } = await giver.plan();
  expect(changeSummaries(changes)).toEqual(["refuse UserGroup/moved-declared"]);
  expect(diagnostics).toMatchObject([
    {
      code: "owned-by-other-stack",
      remedy: expect.stringContaining(
        'run `svc inventory move ADDRESS PATH --to .`: PATH is the folder of stack "taker-declared"',
      ),
    },
  ]);
});

it("is not undone", async () => {
  const { giver, taker } = await makePair("back");
  await move({ giver, taker }, "UserGroup/moved-back");
  for (const stack of [giver, taker]) {
    const listed = await history(stack.options);
    const run = (listed.ok && listed.runs.find(({ verb }) => verb === "move")?.id) || "";
    await expect(undo({ ...stack.options, run, approve: async () => true })).rejects.toMatchObject({
      code: "refused",
      message: `run ${run} cannot be undone: it moved the inventory`,
    });
  }
});

it("is named by the stack, and is refused where it cannot be safe", async () => {
  const { giver, taker } = await makePair("named");
  const address = "UserGroup/moved-named";
  const tried = (more: object) =>
    handOver({ ...giver.options, address, to: "taker-named", ...more });
  await expect(tried({})).rejects.toMatchObject({ code: "not_found" });
  await expect(tried({ to: giver.folder })).rejects.toMatchObject({ code: "usage" });
  await expect(tried({ address: "UserGroup/moved-nmed", to: taker.folder })).rejects.toMatchObject({
    code: "not_found",
    remedy: "Did you mean UserGroup/moved-named?",
  });
  const elsewhere = await makeStack({ url: proxy.url, key: service.adminKey, name: "elsewhere" });
  stacks.push(elsewhere);
  await expect(tried({ to: elsewhere.folder })).rejects.toMatchObject({
    code: "refused",
    remedy: expect.stringContaining("Removed"),
  });
  // In files, the folder of the other Stack would be refused, too.
  await elsewhere.write([group("own-elsewhere", "one")]);
  await elsewhere.apply();
  await expect(
    handOver({ ...elsewhere.options, address: "UserGroup/own-elsewhere", to: "taker-named" }),
  ).rejects.toMatchObject({ code: "not_found", remedy: expect.stringContaining("Removed") });
  await taker.write([group("own-named", "one")]);
  await taker.apply();
  expect(await tried({})).toMatchObject({ ok: true, from: "giver-named", to: "taker-named" });
  expect(await tried({})).toMatchObject({ ok: true });
});
