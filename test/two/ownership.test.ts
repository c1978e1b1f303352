// Tests two stacks that claim the same object at the same time: exactly one owns it afterwards, in every inventory store.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { moveInventory } from "../../reconciler/verbs/inventory-admin.ts";
import { adopt } from "../../reconciler/verbs/verbs.ts";
import type { InventoryStore } from "../../reconciler/inventory/store.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { sampleEntry } from "../support/inventory-samples.ts";
import {
  fileInventories,
  postgresInventories,
  serviceInventories,
  type TestInventories,
} from "../support/inventory-stores.ts";
import { runsAllCases } from "../support/sampling.ts";
import { createTestDatabase, onPostgres, type TestDatabase } from "../support/test-database.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";

const origin = "https://one.example";
const backends = onPostgres
  ? { "a database": postgresInventories, "the service": serviceInventories }
  : { "a folder": fileInventories, "the service": serviceInventories };

describe.each(Object.entries(backends))("concurrent claims in %s", (_name, make) => {
  let place: TestInventories;
  const opened: InventoryStore[] = [];
  beforeAll(async () => {
    place = await make();
  });
  afterAll(() => place.dispose());
  beforeEach(() => place.clear());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  const claim = async (stack: string, name: string): Promise<boolean> => {
    const store = await place.open(stack);
    opened.push(store);
    const lock = await store.lock("adopt");
    try {
      const entry = sampleEntry(name, "1");
      const owners = await lock.claim(origin, [{ phase: "done", address: `Thing/${name}`, entry }]);
      return owners.size === 0;
    } finally {
      await lock.release();
    }
  };

  it("have exactly one winner", { timeout: 120_000 }, async () => {
    for (const name of ["a", "b", "c", "d"]) {
      const stacks = ["bakery", "dairy", "shop"];
      const won = await Promise.all(stacks.map((stack) => claim(stack, name)));
      expect(won.filter(Boolean), name).toHaveLength(1);
      const winner = stacks[won.indexOf(true)];
      const other = await place.open(stacks[won.indexOf(false)] ?? "");
      opened.push(other);
      const { kind, key } = sampleEntry(name, "1");
      expect(await other.owner(origin, { kind, key })).toBe(winner);
    }
  });
});

const places = [
  ["service", "service"],
  ...(onPostgres ? [["postgres", "file"] as const] : []),
  ...(onPostgres && !runsAllCases ? [] : [["file", "file"] as const]),
] as const;

describe.each(places)(
  "two stacks that adopt one object at the same time (%s, %s)",
  (first, second) => {
    let service: TestService;
    let database: TestDatabase | undefined;
    let stacks: TestStack[];
    beforeEach(async () => {
      service = await startService();
      database = first === "postgres" ? await createTestDatabase() : undefined;
      const env = database && { SVC_INVENTORY_URL: database.data };
      const options = { url: service.url, key: service.adminKey, env };
      stacks = [
        await makeStack({ ...options, name: "bakery", inventory: first }),
        await makeStack({ ...options, name: "shop", inventory: second }),
      ];
    });
    afterEach(async () => {
      await Promise.all(stacks.map((stack) => stack.dispose()));
      await service.close();
      await database?.drop();
    });

    const verbs: readonly (readonly [string, (stack: TestStack) => Promise<unknown>])[] = [
      ["apply", (stack) => stack.apply({ adopt: () => true })],
      ["adopt", (stack) => stack.adopt()],
    ];
    it.each(verbs)(
      "by %s: one owns it, and the other is refused",
      { timeout: 120_000 },
      async (_verb, act) => {
        const names = ["a", "b", "c"];
        for (const name of names) {
          const path = "/api/v1/user-groups";
          expect((await service.send("POST", path, { body: { name } })).status).toBeLessThan(300);
          const description = (at: number) => `of ${at}`;
          for (const [at, stack] of stacks.entries()) {
            const spec = { name, description: description(at) };
            await stack.write([{ kind: "UserGroup", name, spec }]);
          }
          const ends = await Promise.allSettled(stacks.map((stack) => act(stack)));
          const isWinner = ends.map(({ status, ...end }) => {
            const value = "value" in end ? end.value : [];
            return status === "fulfilled" && (!Array.isArray(value) || value.length > 0);
          });
          expect(isWinner.filter(Boolean), JSON.stringify(ends)).toHaveLength(1);
          for (const stack of stacks) await stack.write([]);
          await stacks[isWinner.indexOf(true)]?.apply({ allowEmpty: true });
        }
      },
    );
  },
);

describe("a stack with its inventory in a file, beside one with its inventory at the service", () => {
  it("does not adopt what the other owns, whether it plans before the other adopts or after", async () => {
    await using end = new AsyncDisposableStack();
    const service = await startService();
    end.defer(() => service.close());
    const options = { url: service.url, key: service.adminKey };
    const owner = await makeStack({ ...options, name: "bakery", inventory: "service" });
    end.defer(() => owner.dispose());
    const other = await makeStack({ ...options, name: "shop", inventory: "file" });
    end.defer(() => other.dispose());
    for (const name of ["a", "b"])
      await service.send("POST", "/api/v1/user-groups", { body: { name } });
    const documents = ["a", "b"].map((name) => ({ kind: "UserGroup", name, spec: { name } }));
    for (const stack of [owner, other]) await stack.write(documents);
    const planned = await other.plan({ adopt: () => true });
    expect(planned.notChecked?.join() ?? "").not.toContain("owns what is adopted");

    const approve = async () => (await owner.adopt()).length === 2;
    await expect(adopt({ ...other.options, approve })).rejects.toMatchObject({
      message: expect.stringContaining("bakery"),
    });
    const { diagnostics } = await other.plan({ adopt: () => true });
    expect(diagnostics.map(({ code }) => code)).toEqual([
      "owned-by-other-stack",
      "owned-by-other-stack",
    ]);
    expect(diagnostics[0]?.summary).toContain('stack "bakery"');
  });
});

describe("stacks with their inventories in files of different folders", () => {
  let service: TestService;
  const created: TestStack[] = [];
  beforeAll(async () => {
    service = await startService();
  });
  afterEach(() => Promise.all(created.splice(0).map((stack) => stack.dispose())));
  afterAll(() => service.close());

  const stackNamed = async (name: string, inventory = "file", url = service.url) => {
    const stack = await makeStack({ url, key: service.adminKey, name, inventory });
    created.push(stack);
    return stack;
  };
  const group = (name: string) => [{ kind: "UserGroup", name, spec: { name } }];
  const codes = async (stack: TestStack) =>
    (await stack.plan({ adopt: () => true })).diagnostics.map(({ code }) => code);

  it("see what each other creates, until it is deleted or released, wherever their own inventories are", async () => {
    const owner = await stackNamed("bakery");
    await owner.write(group("rye"));
    await owner.apply();
    for (const place of ["file", "service"]) {
      const other = await stackNamed(`shop-${place}`, place);
      await other.write(group("rye"));
      const { diagnostics } = await other.plan({ adopt: () => true });
      expect(diagnostics.map(({ code }) => code)).toEqual(["owned-by-other-stack"]);
      expect(diagnostics[0]?.summary).toContain('stack "bakery", whose inventory is in another');
      expect(diagnostics[0]?.remedy).toContain("svc api DELETE /api/v1/state/svc-claims.");
    }
    await owner.write([]);
    await owner.apply({ allowEmpty: true });
    await service.send("POST", "/api/v1/user-groups", { body: { name: "rye" } });
    const other = await stackNamed("shop-file");
    await other.write(group("rye"));
    expect(await codes(other)).toEqual([]);
    const states = await service.send("GET", "/api/v1/state?prefix=svc-claims.");
    expect(states.body).toMatchObject({ items: [] });
  });

  it("rebuild a lost inventory by adopting, which other stacks still cannot", async () => {
    const owner = await stackNamed("dairy");
    await owner.write(group("milk"));
    await owner.apply();
    await owner.loseInventory();
    expect(await owner.adopt()).toEqual(["UserGroup/milk"]);
    const other = await stackNamed("kiosk");
    await other.write(group("milk"));
    expect(await codes(other)).toEqual(["owned-by-other-stack"]);
    const states = await service.send("GET", "/api/v1/state?prefix=svc-claims.");
    expect(states.body).toMatchObject({ items: [{}] });
  });

  it("keep their objects when an inventory moves to the service and back", async () => {
    const owner = await stackNamed("mill", "service");
    await owner.write(group("oats"));
    await owner.apply();
    const other = await stackNamed("farm");
    await other.write(group("oats"));
    const stackFile = join(owner.folder, "stack.yaml");
    const text = await readFile(stackFile, "utf8");
    for (const [from, to] of [
      ["service", "file"],
      ["file", "service"],
    ] as const) {
      await writeFile(stackFile, text.replace('"inventory":"service"', `"inventory":"${to}"`));
      const { connection } = owner.options;
      const moved = await moveInventory({ ...owner.options, connection, from });
      expect(moved).toMatchObject({ ok: true, objectCount: 1 });
      expect((await owner.plan()).changes).toEqual([]);
      expect(await codes(other)).toEqual(["owned-by-other-stack"]);
    }
    await owner.write([]);
    await owner.apply({ allowEmpty: true });
    await service.send("POST", "/api/v1/user-groups", { body: { name: "oats" } });
    expect(await codes(other)).toEqual([]);
  });

  it("own an object exactly once, whichever answer of a claim is lost", async () => {
    await using proxy = await startProxyOf(service.url);
    let claims = [0];
    for (const at of [0, 1, 2, 3]) {
      const name = `salt-${at}`;
      await service.send("POST", "/api/v1/user-groups", { body: { name } });
      const owner = await stackNamed(`sea-${at}`, "file", proxy.url);
      await owner.write(group(name));
      proxy.armAnyCall(claims[at] ?? 0, "lose-answer");
      expect(await owner.adopt()).toEqual([`UserGroup/${name}`]);
      const isClaim = ({ method, path }: { method: string; path: string }) =>
        method === "POST" && /svc-(?:claims|ownership)/.test(path);
      const calls = proxy.requests.flatMap((one, call) => (isClaim(one) ? [call + 1] : []));
      if (at === 0) claims = [0, ...calls];
      const other = await stackNamed("coast", "file");
      await other.write(group(name));
      expect(await codes(other)).toEqual(["owned-by-other-stack"]);
    }
    // Calls for the lock, its renewal before the write, the write, and the release.
    expect(claims.length).toBeGreaterThanOrEqual(4);
  }, 60_000);
});

async function startProxyOf(url: string) {
  const proxy = await startProxy(url);
  return Object.assign(proxy, { [Symbol.asyncDispose]: () => proxy.close() });
}
