// Tests that a few objects of a collection are read or selected by ID, with the same result as from the list.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getUserGroup } from "../../../api/user-groups.ts";
import { createClient } from "../../../client/client.ts";
import { keyOf, scopeOf } from "../../../core/kind/identity.ts";
import { limits } from "../../../core/limits/limits.ts";
import { Secret } from "../../../core/secret.ts";
import { observe } from "../../../lifecycle/observe.ts";
import { createCachedReader } from "../../../lifecycle/reader.ts";
import { type Bridge, createBridge } from "../../../provider/bridge/bridge.ts";
import { readTargetFor } from "../../../provider/bridge/read-target.ts";
import { kinds } from "../../../resources/index.ts";
import { embedUser } from "../../../resources/embed-user.ts";
import { userGroup } from "../../../resources/user-group.ts";
import { resolveReferences } from "../../../scripts/resolve-references.ts";
import { everyKind, prepareAccount } from "../../support/every-kind.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";

let service: TestService;
let proxy: Proxy;
let client: ReturnType<typeof createClient>;
let bridge: Bridge;
beforeEach(async () => {
  service = await startService();
  await prepareAccount(service);
  proxy = await startProxy(service.url);
  client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
  bridge = createBridge(client, await client.discoverApi());
});
afterEach(async () => {
  await bridge.close();
  await proxy.close();
  await service.close();
});

const readPaths = (): readonly string[] =>
  proxy.requests
    .filter(({ method }) => method === "GET")
    .map(({ path }) => path.split("?")[0] ?? "");

const takeReadPaths = (): readonly string[] => {
  const found = proxy.requests.map(({ path }) => path.split("?")[0] ?? "");
  proxy.arm();
  return found;
};

it("every kind that supports reads by id returns the same object as its list", async () => {
  const able = kinds
    .filter(({ bindings: life }) => life.observe.byId !== undefined)
    .map(({ name }) => name);
  expect(able.length).toBeGreaterThan(4);
  const compared = new Set<string>();
  for (const { kind, spec } of resolveReferences(everyKind)) {
    await bridge.create(kind, spec);
    const { byId, ...bindings } = kind.bindings.observe;
    if (byId === undefined) continue;
    const reader = createCachedReader(client.reader);
    const scope = scopeOf(kind, spec);
    const interest = new Set(Object.keys(kind.spec.properties));
    const listed = await bindings.read(reader, scope, interest);
    expect(listed.length).toBeGreaterThan(0);
    for (const observed of listed) {
      expect(await byId.read(reader, Number(observed.id), { scope, interest })).toEqual(observed);
    }
    expect(await byId.read(reader, 999_999, { scope, interest })).toBeUndefined();
    compared.add(kind.name);
  }
  expect([...compared].toSorted()).toEqual(able.toSorted());
});

const pathPattern = ({ path }: { readonly path: string }): RegExp =>
  new RegExp(`^${path.replaceAll(/\{[^}]*\}/gu, "[^/]+")}$`, "u");

it("every kind whose list can be selected from returns the same objects by ID as in the list", async () => {
  const selectable = kinds.filter(({ bindings }) => bindings.observe.items?.selectable === true);
  expect(selectable.length).toBeGreaterThan(8);
  const apiDiscovery = await client.discoverApi();
  const compared = new Set<string>();
  for (const { kind, spec } of resolveReferences(everyKind)) {
    await bridge.create(kind, spec);
    const { items } = kind.bindings.observe;
    if (items?.selectable !== true) continue;
    const scope = scopeOf(kind, spec);
    const interest = new Set(Object.keys(kind.spec.properties));
    const reader = () => createCachedReader(client.reader, { apiDiscovery });
    const listed = await observe(kind, [scope], { reader: reader(), interest });
    const ids = new Map([[keyOf(kind, spec), Number(listed.byKey.get(keyOf(kind, spec))?.id)]]);
    proxy.arm();
    const how = { reader: reader(), interest, recordedIds: () => ids };
    const selected = await observe(kind, [scope], how);
    expect([...selected.byKey]).toEqual(
      [...listed.byKey].filter(([key]) => key === keyOf(kind, spec)),
    );
    const reads = proxy.requests
      .map(({ path }) => path.split("?"))
      .filter(([path = ""]) => pathPattern(items).test(path))
      .map(([, query]) => new URLSearchParams(query).getAll("id").map(Number));
    expect([kind.name, reads]).toEqual([kind.name, [[...ids.values()]]]);
    compared.add(kind.name);
  }
  expect([...compared].toSorted()).toEqual(selectable.map(({ name }) => name).toSorted());
});

describe("groups", () => {
  const names = Array.from({ length: 10 }, (_, at) => `group-${at}`);
  const list = "/api/v1/user-groups";
  let ids: readonly string[];
  beforeEach(async () => {
    const created = await Promise.all(names.map((name) => bridge.create(userGroup, { name })));
    ids = created.map(({ observed }) => observed.id ?? "");
    proxy.arm();
  });
  const ask = (at: number) => readTargetFor(userGroup, { name: names[at] ?? "" }, { id: ids[at] });
  const found = async (at: number) => (await bridge.read(ask(at)))?.id;

  const describeGroup = (at: number) => {
    const spec = { name: names[at] ?? "" };
    const live = { id: ids[at], spec, status: {} };
    const desired = { ...spec, description: "new" };
    return bridge.update(userGroup, { desired, live, changed: new Set(["description"]) });
  };

  it("are read one by one for the first few, and then from one list", async () => {
    const few = Array.from({ length: limits.readsById }, (_, at) => at);
    expect(await Promise.all(few.map(found))).toEqual(few.map((at) => ids[at]));
    expect(takeReadPaths().toSorted()).toEqual(few.map((at) => `${list}/${ids[at]}`).toSorted());
    // Repeated reads come from the cache.
    expect(await Promise.all(few.map(found))).toEqual(few.map((at) => ids[at]));
    expect(takeReadPaths()).toEqual([]);
    expect(await Promise.all(names.map((_, at) => found(at)))).toEqual(ids);
    expect(takeReadPaths()).toEqual([list]);
  });

  it("are read from the list if the id does not exist or belongs to another object", async () => {
    await service.send("DELETE", `${list}/${ids[0]}`, {});
    const again = await service.send("POST", list, { body: { name: names[0] } });
    expect(again.status).toBeLessThan(300);
    expect((await bridge.read(ask(0)))?.spec["name"]).toBe(names[0]);
    expect(takeReadPaths()).toEqual([`${list}/${ids[0]}`, list]);
    await bridge.delete(
      userGroup,
      { id: ids[9], spec: { name: names[9] ?? "" }, status: {} },
      kinds,
    );
    proxy.arm();
    const renamed = await service.send("PATCH", `${list}/${ids[1]}`, { body: { name: "renamed" } });
    expect(renamed.status).toBe(200);
    const seen = await bridge.read(ask(1));
    expect(seen && keyOf(userGroup, seen.spec)).toBe("renamed");
    expect(takeReadPaths()).toEqual([`${list}/${ids[1]}`, list]);
  });

  it("are read back by id after a few updates", async () => {
    const { observed } = await describeGroup(0);
    expect(observed.spec).toEqual({ name: names[0], description: "new" });
    expect(takeReadPaths()).toEqual([`${list}/${ids[0]}`, `${list}/${ids[0]}`]);
  });

  it("are listed once for many fresh reads, if the list is short", async () => {
    const read = await Promise.all(ids.map((_, at) => bridge.readFresh(ask(at))));
    expect(read.map((one) => one?.id)).toEqual(ids);
    expect(readPaths()).toEqual([list]);
  });

  it("are read from the list if the server does not offer reads by id", async () => {
    const offer = await client.discoverApi();
    const less = createBridge(client, {
      ...offer,
      has: (one) => one.path !== getUserGroup.path && offer.has(one),
    });
    proxy.arm();
    expect((await less.read(ask(0)))?.id).toBe(ids[0]);
    expect(takeReadPaths()).toEqual([list]);
  });

  describe("of a large account", () => {
    const perRound = 8;
    const isOne = /^\/api\/v1\/user-groups\/\d+$/u;
    beforeEach(async () => {
      const created_at = new Date().toISOString();
      for (let from = 0; from < perRound * limits.listedPerReadById; from += 100) {
        const rows = Array.from({ length: 100 }, (_, at) => ({
          name: `o-${from + at}`,
          created_at,
        }));
        await service.db.insertInto("user_groups").values(rows).execute();
      }
      await bridge.readFresh(readTargetFor(userGroup, { name: "o-0" }));
      proxy.arm();
    });

    it("are read back by id after creates in one call", async () => {
      const more = Array.from({ length: perRound }, (_, at) => `more-${at}`);
      const created = await Promise.all(more.map((name) => bridge.create(userGroup, { name })));
      expect(proxy.writes()).toHaveLength(1);
      expect(created.map(({ observed }) => observed.spec["name"])).toEqual(more);
      const paths = readPaths();
      expect(paths).toHaveLength(perRound);
      expect(paths.filter((path) => !isOne.test(path))).toEqual([]);
    });

    it("are read back by id after updates", async () => {
      const few = ids.slice(0, perRound).map((_, at) => describeGroup(at));
      expect((await Promise.all(few)).map(({ observed }) => observed.id)).toEqual(
        ids.slice(0, perRound),
      );
      const paths = readPaths();
      expect(paths).toHaveLength(perRound);
      expect(paths.filter((path) => !isOne.test(path))).toEqual([]);
    });

    it("are listed once for more fresh reads at a time", async () => {
      const read = await Promise.all(ids.map((_, at) => bridge.readFresh(ask(at))));
      expect(read.map((one) => one?.id)).toEqual(ids);
      expect(readPaths()).toEqual([list]);
    });

    it("are listed once if one of them has no known id", async () => {
      const targets = [ask(0), ask(1), readTargetFor(userGroup, { name: names[2] ?? "" })];
      const read = await Promise.all(targets.map((one) => bridge.readFresh(one)));
      expect(read.map((one) => one?.id)).toEqual(ids.slice(0, 3));
      expect(readPaths()).toEqual([list]);
    });
  });
});

describe("external users, whom the API returns only in lists", () => {
  const embedTenant = "acme-stores";
  const list = `/api/v1/embed-tenants/${embedTenant}/users`;
  const create = (externalId: string) => bridge.create(embedUser, { embedTenant, externalId });

  it("are read back from the first items of the list after creates", async () => {
    await Promise.all(Array.from({ length: 50 }, (_, at) => create(`earlier-${at}`)));
    proxy.arm();
    const names = Array.from({ length: 8 }, (_, at) => `later-${at}`);
    const created = await Promise.all(names.map(create));
    expect(created.map(({ failure, unverified }) => failure ?? unverified)).toEqual(
      names.map(() => undefined),
    );
    expect(created.map(({ observed }) => observed.spec["externalId"])).toEqual(names);
    expect(new Set(created.map(({ observed }) => observed.status["username"])).size).toBe(8);
    const reads = proxy.requests.filter(({ method }) => method === "GET").map(({ path }) => path);
    expect(new Set(reads)).toEqual(new Set([`${list}?first=${limits.newestReadLeast}`]));
  });

  it("are read back from the whole list if others came after them", async () => {
    const later = Array.from({ length: limits.newestReadLeast }, (_, at) => ({
      externalId: `later-${at}`,
    }));
    // The create, and the read after it.
    proxy.armAnyCall(2, async () => {
      await service.send("POST", list, { body: { users: later } });
      return "pass";
    });
    const { observed, failure } = await create("first");
    expect(failure).toBeUndefined();
    expect(observed.spec["externalId"]).toBe("first");
    expect(observed.status["username"]).toBeDefined();
    const reads = proxy.requests.filter(({ method }) => method === "GET").map(({ path }) => path);
    expect(reads).toEqual([
      `${list}?first=${limits.newestReadLeast}`,
      `${list}?first=${limits.pageMax}`,
    ]);
  });
});
