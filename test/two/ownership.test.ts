// Tests two stacks that claim the same object at the same time: exactly one owns it afterwards, in every inventory store.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { InventoryStore } from "../../reconciler/inventory/store.ts";
import { sampleEntry } from "../support/inventory-samples.ts";
import {
  fileInventories,
  postgresInventories,
  serviceInventories,
  type TestInventories,
} from "../support/inventory-stores.ts";
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
      const entries = { [`Thing/${name}`]: sampleEntry(name, "1") };
      const { inventory } = lock;
      const next = { ...inventory, origin, entries: { ...inventory.entries, ...entries } };
      return "written" in (await lock.claim(next, { entries }));
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
      expect((await other.ownersOf(origin, [{ kind, key }]))({ kind, key })).toBe(winner);
    }
  });
});

describe.each(onPostgres ? ["postgres", "service"] : ["service"])(
  "two stacks with inventories kept by %s that adopt one object at the same time",
  (inventory) => {
    let service: TestService;
    let database: TestDatabase | undefined;
    let stacks: TestStack[];
    beforeEach(async () => {
      service = await startService();
      database = inventory === "postgres" ? await createTestDatabase() : undefined;
      const env = database && { SVC_INVENTORY_URL: database.data };
      const options = { url: service.url, key: service.adminKey, env };
      stacks = [
        await makeStack({ ...options, name: "bakery", inventory }),
        await makeStack({ ...options, name: "shop", inventory }),
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
