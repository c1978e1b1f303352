// The first few objects of a collection are read by id, with the same result as from the list.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getUserGroup } from "../../api/user-groups.ts";
import { createClient } from "../../client/client.ts";
import { keyOf, scopeOf } from "../../core/identity.ts";
import { limits } from "../../core/limits.ts";
import { Secret } from "../../core/secret.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { type Bridge, createBridge } from "../../provider/bridge/bridge.ts";
import { readTargetFor } from "../../provider/bridge/read-cache.ts";
import { kinds } from "../../resources/index.ts";
import { userGroup } from "../../resources/user-group.ts";
import { resolveReferences } from "../../scripts/resolve-references.ts";
import { everyKind, prepareAccount } from "../support/every-kind.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";

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
    const { observe } = kind.bindings;
    const { byId } = observe;
    if (byId === undefined) continue;
    const reader = createCachedReader(client.reader);
    const scope = scopeOf(kind, spec);
    const interest = new Set(Object.keys(kind.spec.properties));
    const listed = await observe.read(reader, scope, interest);
    expect(listed.length).toBeGreaterThan(0);
    for (const observed of listed) {
      expect(await byId.read(reader, Number(observed.id), { scope, interest })).toEqual(observed);
    }
    expect(await byId.read(reader, 999_999, { scope, interest })).toBeUndefined();
    compared.add(kind.name);
  }
  expect([...compared].toSorted()).toEqual(able.toSorted());
});

describe("groups", () => {
  const names = Array.from({ length: 10 }, (_, at) => `group-${at}`);
  const list = "/api/v1/user-groups";
  let ids: readonly string[];
  beforeEach(async () => {
    const made = await Promise.all(names.map((name) => bridge.create(userGroup, { name })));
    ids = made.map(({ observed }) => observed.id ?? "");
    proxy.arm();
  });
  const ask = (at: number) => readTargetFor(userGroup, { name: names[at] ?? "" }, { id: ids[at] });
  const found = async (at: number) => (await bridge.read(ask(at)))?.id;

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
    await bridge.delete(userGroup, { id: ids[9], spec: { name: names[9] ?? "" }, status: {} });
    proxy.arm();
    const renamed = await service.send("PATCH", `${list}/${ids[1]}`, { body: { name: "renamed" } });
    expect(renamed.status).toBe(200);
    const seen = await bridge.read(ask(1));
    expect(seen && keyOf(userGroup, seen.spec)).toBe("renamed");
    expect(takeReadPaths()).toEqual([`${list}/${ids[1]}`, list]);
  });

  it("are read back by id after a few updates", async () => {
    const live = { id: ids[0], spec: { name: names[0] ?? "" }, status: {} };
    const desired = { name: names[0] ?? "", description: "new" };
    const { observed } = await bridge.update(userGroup, {
      desired,
      live,
      changed: new Set(["description"]),
    });
    expect(observed.spec).toEqual(desired);
    expect(takeReadPaths()).toEqual([`${list}/${ids[0]}`, `${list}/${ids[0]}`]);
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
});
