// Tests an edited inventory with an entry for the object of another stack: the plan shows it and deletes nothing.
import { afterEach, beforeEach, expect, it } from "vitest";
import { Secret } from "../../core/secret.ts";
import { inventoryStore } from "../../reconciler/inventory/inventory-store.ts";
import { stateServer } from "../../reconciler/inventory/service.ts";
import { planText } from "../../reconciler/report/plan-text.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

const group = (name: string): Doc => ({ kind: "UserGroup", name, spec: { name } });

let service: TestService;
let [shop, bakery]: TestStack[] = [];

beforeEach(async () => {
  service = await startService();
  const options = { url: service.url, key: service.adminKey, inventory: "service" };
  [shop, bakery] = [
    await makeStack({ ...options, name: "shop" }),
    await makeStack({ ...options, name: "bakery" }),
  ];
});
afterEach(async () => {
  await Promise.all([shop?.dispose(), bakery?.dispose()]);
  await service.close();
});

/** Changes the entry of one group of bakery to name the object of another group. */
async function editEntry(address: string, named: { key?: string; id: string }): Promise<void> {
  await using server = stateServer({
    url: service.url,
    credential: new Secret(service.adminKey),
  });
  const store = inventoryStore(server.backend("bakery"), "bakery");
  const lock = await store.lock("edit");
  const inventory = await store.read();
  const entry = inventory.entries[address];
  if (entry === undefined) throw new Error(`${address} is not in the inventory`);
  const entries = { ...inventory.entries, [address]: { ...entry, ...named } };
  await lock.write({ ...inventory, entries });
  await lock.release();
}

async function groupIds(): Promise<ReadonlyMap<string, string>> {
  const rows = await service.db.selectFrom("user_groups").select(["id", "name"]).execute();
  return new Map(rows.map(({ id, name }) => [name, String(id)]));
}

it("does not delete what another stack owns", async () => {
  if (shop === undefined || bakery === undefined) throw new Error("no stacks");
  await shop.write([group("sellers")]);
  await shop.apply();
  await bakery.write([group("bakers"), group("waiters")]);
  await bakery.apply();
  await editEntry("UserGroup/waiters", { id: (await groupIds()).get("sellers") ?? "" });
  await bakery.write([group("bakers")]);
  const plan = await bakery.plan();
  expect(plan.changes).toMatchObject([{ action: "forget", address: "UserGroup/waiters" }]);
  await bakery.apply();
  expect([...(await groupIds()).keys()]).toContain("sellers");
  expect((await shop.plan()).changes).toEqual([]);
});

it("shows the natural key and the id of what a delete removes, not those of its address", async () => {
  if (bakery === undefined) throw new Error("no stack");
  await bakery.write([group("bakers"), group("waiters")]);
  await bakery.apply();
  const created = await service.send("POST", "/api/v1/user-groups", { body: { name: "by-hand" } });
  expect(created.status).toBeLessThan(300);
  const id = (await groupIds()).get("by-hand") ?? "";
  await editEntry("UserGroup/waiters", { id });
  await bakery.write([group("bakers")]);
  const text = planText(await bakery.plan(), { color: false, width: 100 });
  expect(text).toContain(`deletes UserGroup by-hand, id ${id}`);
});
