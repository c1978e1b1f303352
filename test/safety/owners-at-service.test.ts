// Tests how a plan asks a service which other stacks own its objects: the number of calls beside many stacks, and older servers.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { InventoryStore } from "../../reconciler/inventory/store.ts";
import type { Entry } from "../../reconciler/model/index.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { sampleEntry } from "../support/inventory-samples.ts";
import { openInventory } from "../support/inventory-stores.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";

const search = "/api/v1/states/search";
const neighbors = 30;

let service: TestService;
let proxy: Proxy;
let stack: TestStack;
beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
  stack = await makeStack({ url: proxy.url, key: service.adminKey, inventory: "service" });
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

/** Applies two groups, and then declares only `a`. Returns the entry of `b`. */
async function applyGroups(): Promise<Entry> {
  const groups = ["a", "b"].map((name) => ({ kind: "UserGroup", name, spec: { name } }));
  await stack.write(groups);
  await stack.apply();
  await stack.write(groups.slice(0, 1));
  const store = await open("conformance");
  const entry = (await store.read()).entries["UserGroup/b"];
  await store.close();
  if (entry === undefined) throw new Error("the group is not recorded");
  return entry;
}

function open(name: string): Promise<InventoryStore> {
  return openInventory({ in: "service", url: service.url, key: service.adminKey }, name);
}

/** Writes the inventory of another stack. */
async function writeInventory(name: string, entries: Readonly<Record<string, Entry>>) {
  const store = await open(name);
  const lock = await store.lock("test");
  await lock.write({ ...(await store.read()), entries });
  await lock.release();
  await store.close();
}

async function writeNeighbors(): Promise<void> {
  for (let count = 0; count < neighbors; count++)
    await writeInventory(`neighbor-${count}`, { "Thing/c": sampleEntry("c", `c${count}`) });
}

/** Plans. Returns the changes, and the calls of states in order without those that read the stack's own. */
async function planned() {
  proxy.arm();
  const { changes } = await stack.plan();
  const calls = proxy.requests
    .map(({ method, path }) => `${method} ${path.split("?")[0]}`)
    .filter((call) => call.includes("/state") && !call.includes("conformance"));
  return { changes: changes.map(({ address, action }) => `${action} ${address}`), calls };
}

it("takes one call for a delete beside many stacks, and two for each that mentions the object", async () => {
  const { id = "" } = await applyGroups();
  await writeNeighbors();
  const deleted = ["delete UserGroup/b"];
  expect(await planned()).toEqual({ changes: deleted, calls: [`POST ${search}`] });
  await writeInventory("other", { "Thing/b": sampleEntry("renamed", id) });
  const { changes, calls } = await planned();
  expect(changes).toEqual(deleted);
  const state = "GET /api/v1/state/svc-inventory.other";
  expect(calls).toEqual([`POST ${search}`, `${state}/journal`, state]);
});

it.each(["search", "list"])("finds the owner with the %s of states", async (way) => {
  const entry = await applyGroups();
  if (way === "list")
    proxy.alterResponses(({ path }, body) => {
      if (path !== "/api/v1/spec") return body;
      const { paths } = body as { paths: JsonObject };
      const { [search]: _, ...older } = paths;
      return { ...(body as JsonObject), paths: older };
    });
  await writeInventory("other", { "UserGroup/b": { ...entry, key: "renamed" } });
  const { changes, calls } = await planned();
  expect(changes).not.toContain("delete UserGroup/b");
  expect(calls.filter((call) => !call.includes("svc-inventory"))).toEqual([
    way === "search" ? `POST ${search}` : "GET /api/v1/state",
  ]);
});
