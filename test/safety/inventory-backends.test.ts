// Tests stacks whose inventory is at the service or in a database: applied, locked, separated, and moved there from a file.
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonValue } from "../../core/json.ts";
import { openStores } from "../../reconciler/inventory/open-stores.ts";
import { history } from "../../reconciler/verbs/history.ts";
import { moveInventory, renameInventory, unlock } from "../../reconciler/verbs/inventory-admin.ts";
import type { Stack } from "../../reconciler/model/index.ts";
import { protect } from "../../reconciler/verbs/protect.ts";
import { undo } from "../../reconciler/undo.ts";
import { plan } from "../../reconciler/plan.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";
import { startService, type TestService } from "../support/test-service.ts";
import {
  createTestDatabase,
  inventoryPlaces,
  type TestDatabase,
} from "../support/test-database.ts";

const group = { kind: "UserGroup", name: "sellers", spec: { name: "sellers" } };
const address = "UserGroup/sellers";
const secret = "hunter2-in-an-inventory";
const variable = {
  kind: "EnvironmentVariable",
  name: "password",
  spec: { deployment: { external: "main" }, name: "DB_PASS", value: secret },
};

describe.each(inventoryPlaces)("a stack whose inventory is kept by %s", (where) => {
  let service: TestService;
  let database: TestDatabase;
  let stacks: TestStack[];

  const make = async (name: string, inventory?: string): Promise<TestStack> => {
    const stack = await makeStack({ url: service.url, key: service.adminKey, name });
    const env = { ...stack.options.env, SVC_INVENTORY_URL: database.data };
    const configured = { ...stack, options: { ...stack.options, env } };
    stacks.push(configured);
    if (inventory !== undefined) await place(configured, name, inventory);
    return configured;
  };
  const place = (stack: TestStack, name: string, inventory: JsonValue) =>
    writeFile(
      join(stack.folder, "stack.yaml"),
      JSON.stringify({
        apiVersion: "svc/v1",
        kind: "Stack",
        metadata: { name },
        spec: { inventory, policy: { prune: true } },
      }),
    );
  const stackOf = ({ folder }: TestStack): Stack => ({
    name: "shop",
    target: undefined,
    inventory: "file",
    folder,
    inventoryFile: join(folder, ".svc/shop.inventory.json"),
    policy: { prune: true, maxDeletes: 10, concurrency: 1, requestsPerSecond: undefined },
  });
  beforeEach(async () => {
    stacks = [];
    service = await startService();
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(stacks.map((stack) => stack.dispose()));
    await service.close();
    await database.drop();
  });

  it("is applied from one folder, and known in another that has no file", async () => {
    const one = await make("shop", where);
    await one.write([group]);
    const env = one.options.env;
    expect((await one.apply({ env })).outcomes).toMatchObject([{ result: "done" }]);
    expect(existsSync(join(one.folder, ".svc"))).toBe(false);
    const other = await make("shop", where);
    await other.write([group]);
    expect(await other.plan({ env })).toMatchObject({ changes: [], unchanged: 1 });
    await other.write([]);
    const [orphan] = (await other.plan({ env })).changes;
    expect(orphan).toMatchObject({ address });
  });

  it("keeps its runs there, and undoes one from any folder", async () => {
    const [one, other] = [await make("shop", where), await make("shop", where)];
    const env = one.options.env;
    const described = (description: string) => ({
      ...group,
      spec: { ...group.spec, description },
    });
    for (const description of ["who sell", "who sell more"]) {
      await one.write([described(description)]);
      await one.apply({ env, author: { by: "jo", message: description } });
    }
    const reported = await history(other.options);
    if (!reported.ok) throw new Error(JSON.stringify(reported.diagnostics));
    expect(reported.runs).toMatchObject([{ message: "who sell more" }, { message: "who sell" }]);
    const run = reported.runs[0]?.id ?? "";
    const done = await undo({ ...other.options, run, approve: async () => true });
    expect(done).toMatchObject({ ok: true, applied: { outcomes: [{ result: "done" }] } });
    await one.write([described("who sell")]);
    expect((await one.plan({ env })).changes).toEqual([]);
    const after = await history(one.options);
    expect(after.ok && after.runs[0]).toMatchObject({ verb: "undo", undoes: run });
  });

  it("keeps what another stack of the same place owns from being taken", async () => {
    const shop = await make("shop", where);
    const bakery = await make("bakery", where);
    for (const stack of [shop, bakery]) await stack.write([group]);
    await shop.apply({ env: shop.options.env });
    const taken = await bakery.plan({ env: bakery.options.env, adopt: () => true });
    expect(taken.changes).toMatchObject([{ action: "refuse" }]);
    expect(JSON.stringify(taken.diagnostics)).toContain("shop");
  });

  it("is protected there, and its lock is broken by its id alone", async () => {
    const shop = await make("shop", where);
    await shop.write([group]);
    await shop.apply({ env: shop.options.env });
    const guarded = await protect({ ...shop.options, addresses: [address], protect: true });
    expect(guarded).toMatchObject({ ok: true, changed: [address] });
    await expect(unlock({ ...shop.options, id: "unknown" })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("is refused while a file still holds it, and continues after it was moved", async () => {
    const shop = await make("shop");
    await shop.write([group, variable]);
    const { env } = shop.options;
    await shop.apply({ env });
    const holds = await openStores(stackOf(shop), { env }).companionStore("@promotions");
    const lock = await holds.lock("hold");
    await lock.write({ ...(await holds.read()), pipelines: { main: { held: "production" } } });
    await lock.release();
    await place(shop, "shop", where);
    const refused = expect(plan(shop.options)).rejects;
    await refused.toMatchObject({
      code: "refused",
      remedy: expect.stringContaining("svc inventory move"),
    });
    const moved = await moveInventory(shop.options);
    expect(moved).toMatchObject({ ok: true, stack: "shop", objectCount: 2 });
    expect(await shop.plan({ env })).toMatchObject({ changes: [], unchanged: 2 });
    const stores = openStores({ ...stackOf(shop), inventory: where }, shop.options);
    const companion = await (await stores.companionStore("@promotions")).read();
    expect(companion.pipelines).toEqual({ main: { held: "production" } });
    await stores[Symbol.asyncDispose]();
    const kept = readFileSync(join(shop.folder, ".svc/shop.inventory.json.moved"), "utf8");
    expect(kept).not.toContain(secret);
    const again = moveInventory(shop.options);
    await expect(again).rejects.toMatchObject({ code: "usage" });
  });

  it("is moved from a file that the Stack names no longer", async () => {
    const shop = await make("shop");
    const { env } = shop.options;
    const file = ".svc/own.json";
    await place(shop, "shop", { file });
    await shop.write([group]);
    await shop.apply({ env });
    await protect({ ...shop.options, addresses: [address], protect: true });
    await place(shop, "shop", where);
    const codes = (await shop.plan({ env })).diagnostics.map(({ code }) => code);
    expect(codes).toEqual(["inventory-missing", "not-owned"]);
    const moved = await moveInventory({ ...shop.options, from: "file", file });
    expect(moved).toMatchObject({ objectCount: 1, backupFile: join(shop.folder, `${file}.moved`) });
    expect(await shop.plan({ env })).toMatchObject({ changes: [], unchanged: 1 });
    // Protected objects are still protected.
    const again = await protect({ ...shop.options, addresses: [address], protect: true });
    expect(again).toMatchObject({ ok: true, changed: [] });
  });

  it("is refused as another stack's once it has another name, until its inventory is renamed", async () => {
    const shop = await make("shop", where);
    const { env } = shop.options;
    await shop.write([group]);
    await shop.apply({ env });
    await protect({ ...shop.options, addresses: [address], protect: true });
    await place(shop, "store", where);
    const [reported] = (await shop.plan({ env })).diagnostics;
    expect(reported).toMatchObject({
      code: "owned-by-other-stack",
      remedy: expect.stringContaining("svc inventory move --renamed-from shop"),
    });
    const rename = (approve: boolean) =>
      renameInventory({ ...shop.options, renamedFrom: "shop", approve: async () => approve });
    expect(await rename(false)).toMatchObject({ ok: true, renamed: undefined });
    const old = openStores({ ...stackOf(shop), inventory: where }, shop.options);
    const lock = await (await old.stackStore()).lock("apply");
    await expect(rename(true)).rejects.toMatchObject({ code: "locked" });
    await lock.release();
    const what = { stack: "store", renamedFrom: "shop", objectCount: 1, from: where, to: where };
    expect(await rename(true)).toMatchObject({ renamed: what });
    expect(await (await old.stackStore()).read()).toMatchObject({ entries: {} });
    await old[Symbol.asyncDispose]();
    expect(await shop.plan({ env })).toMatchObject({ changes: [], unchanged: 1 });
    const again = await protect({ ...shop.options, addresses: [address], protect: true });
    expect(again).toMatchObject({ ok: true, changed: [] });
    const runs = await history(shop.options);
    expect(runs.ok && runs.runs).toMatchObject([{ verb: "move" }, { verb: "apply" }]);
    await expect(rename(true)).rejects.toMatchObject({
      code: "not_found",
      // `--renamed-from` cannot be combined with `--from`.
      remedy: expect.stringMatching(/^Pass the name that the stack store had before; .* first: /u),
    });
  });

  it("gives no stack that has an inventory already that of another", async () => {
    const [shop, bakery] = [await make("shop", where), await make("bakery", where)];
    const { env } = shop.options;
    await shop.write([group]);
    await bakery.write([variable]);
    for (const stack of [shop, bakery]) await stack.apply({ env });
    const take = (renamedFrom: string) =>
      renameInventory({ ...bakery.options, renamedFrom, approve: async () => true });
    await expect(take("shop")).rejects.toMatchObject({ code: "refused" });
    for (const name of ["bakery", "../shop", "shop@promotions"]) {
      await expect(take(name)).rejects.toMatchObject({ code: "usage" });
    }
    expect(await shop.plan({ env })).toMatchObject({ changes: [], unchanged: 1 });
    await bakery.write([group]);
    const reported = (await bakery.plan({ env })).diagnostics.find(
      ({ code }) => code === "owned-by-other-stack",
    );
    expect(reported?.remedy).not.toContain("--renamed-from");
  });

  it.each<[string, JsonValue, string | undefined]>([
    ["of the usual name", "file", ".svc/shop.inventory.json.moved"],
    ["that the Stack names", { file: ".svc/own.json" }, undefined],
  ])("renames a file %s with its stack", async (_, inventory, kept) => {
    if (where !== "service") return;
    const shop = await make("shop");
    await place(shop, "shop", inventory);
    await shop.write([group]);
    await shop.apply();
    await place(shop, "store", inventory);
    const done = await renameInventory({
      ...shop.options,
      renamedFrom: "shop",
      approve: async () => true,
    });
    const at = kept === undefined ? undefined : join(shop.folder, kept);
    expect(done).toMatchObject({ renamed: { objectCount: 1, backupFile: at } });
    expect(await shop.plan()).toMatchObject({ changes: [], unchanged: 1 });
    const runs = await history(shop.options);
    expect(runs.ok && runs.runs[0]).toMatchObject({ verb: "move" });
    const run = (runs.ok && runs.runs[0]?.id) || "";
    const undoing = undo({ ...shop.options, run, approve: async () => true });
    await expect(undoing).rejects.toMatchObject({
      code: "refused",
      message: `run ${run} cannot be undone: it moved the inventory`,
    });
  });

  it("goes back into a file, with what pipelines hold, and there again", async () => {
    const shop = await make("shop", where);
    await shop.write([group, variable]);
    const { env } = shop.options;
    await shop.apply({ env });
    const target = openStores({ ...stackOf(shop), inventory: where }, shop.options);
    const held = { main: { held: "production" } };
    const holds = await target.companionStore("@promotions");
    const lock = await holds.lock("hold");
    await lock.write({ ...(await holds.read()), pipelines: held });
    await lock.release();
    await place(shop, "shop", "file");
    await expect(moveInventory(shop.options)).rejects.toMatchObject({ code: "not_found" });
    const back = await moveInventory({ ...shop.options, from: where });
    expect(back).toMatchObject({
      ok: true,
      objectCount: 2,
      from: where,
      to: "file",
      backupFile: undefined,
    });
    expect(await shop.plan({ env })).toMatchObject({ changes: [], unchanged: 2 });
    const here = openStores(stackOf(shop), shop.options);
    expect((await (await here.companionStore("@promotions")).read()).pipelines).toEqual(held);
    expect(await (await target.storeAt(where)).read()).toMatchObject({ entries: {} });
    await target[Symbol.asyncDispose]();
    // No file that would be in the way is left there.
    await place(shop, "shop", where);
    expect(await moveInventory(shop.options)).toMatchObject({
      ok: true,
      objectCount: 2,
      to: where,
    });
    expect(await shop.plan({ env })).toMatchObject({ changes: [], unchanged: 2 });
    const reported = await history(shop.options);
    expect(reported.ok && reported.runs).toHaveLength(1);
  });

  it("says that nothing has to move, not to name places that have no inventory", async () => {
    const shop = await make("shop", where);
    await shop.write([group]);
    await shop.apply({ env: shop.options.env });
    for (const from of ["file", where] as const) {
      await expect(moveInventory({ ...shop.options, from })).rejects.toMatchObject({
        code: "usage",
        remedy: expect.stringContaining("first set another `inventory` in the Stack"),
      });
    }
    const filed = await make("shop", "file");
    await filed.write([{ ...group, name: "others", spec: { name: "others" } }]);
    const never = moveInventory({ ...filed.options, from: "file" });
    await expect(never).rejects.toMatchObject({
      remedy: expect.stringContaining("--from service"),
    });
    await filed.apply({ env: filed.options.env });
    const here = moveInventory({ ...filed.options, from: "file" });
    await expect(here).rejects.toMatchObject({ code: "usage" });
  });

  it("is moved over no other inventory of the stack", async () => {
    const [one, other] = [await make("shop", where), await make("shop", "file")];
    for (const stack of [one, other]) await stack.write([group]);
    await one.apply({ env: one.options.env });
    await other.adopt();
    await other.write([group, variable]);
    await other.apply();
    await place(other, "shop", where);
    await expect(moveInventory(other.options)).rejects.toMatchObject({ code: "refused" });
    expect(existsSync(join(other.folder, ".svc/shop.inventory.json"))).toBe(true);
    expect(await one.plan({ env: one.options.env })).toMatchObject({ unchanged: 1 });
  });

  it("reports an address that is missing, and never shows one", async () => {
    if (where !== "postgres") return;
    const shop = await make("shop", where);
    await shop.write([group]);
    const at = (url: string) => plan({ ...shop.options, env: { SVC_INVENTORY_URL: url } });
    await expect(at("")).rejects.toMatchObject({ code: "usage" });
    for (const url of [`postgres://svc:${secret}@127.0.0.1:1/none`, `svc:${secret}`]) {
      const failure: unknown = await at(url).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: expect.stringMatching(/usage|unavailable/) });
      expect(JSON.stringify(failure) + String(failure)).not.toContain(secret);
    }
  });
});
