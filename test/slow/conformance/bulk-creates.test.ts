// Tests creates that share calls: the number of calls, the owner of each object, and calls whose response was lost.
import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../../client/client.ts";
import { keyOf, scopeOf } from "../../../core/kind/identity.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { ObjectWrite } from "../../../core/kind/kind.ts";
import { limits } from "../../../core/limits/limits.ts";
import { Secret } from "../../../core/secret.ts";
import { estimate } from "../../../lifecycle/estimate.ts";
import { createLifecycle, type Lifecycle } from "../../../lifecycle/lifecycle.ts";
import { observe } from "../../../lifecycle/observe.ts";
import { type CachedReader, createCachedReader } from "../../../lifecycle/reader.ts";
import type { Result } from "../../../lifecycle/results.ts";
import { createSubject } from "../../../provider/bridge/batching-writer.ts";
import { createBridge } from "../../../provider/bridge/bridge.ts";
import { embedGroup } from "../../../resources/embed-group.ts";
import { embedUser } from "../../../resources/embed-user.ts";
import { userAttribute } from "../../../resources/user-attribute.ts";
import { userGroup } from "../../../resources/user-group.ts";
import type { Surface } from "../../../service/server/server.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Fixture {
  readonly service: TestService;
  readonly proxy: Proxy;
  readonly lifecycle: Lifecycle;
  readonly reader: CachedReader;
  readonly discovery: Awaited<ReturnType<ReturnType<typeof createClient>["discoverApi"]>>;
}

/** Opens a lifecycle on a service that has an embed tenant, and a deployment for sessions. */
async function open(surface: Surface, useCreatorMode = true): Promise<Fixture> {
  const service = await startService({ surface, account: { useCreatorMode } });
  const proxy = await startProxy(service.url);
  const client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
  stops.push(
    () => client.close(),
    () => proxy.close(),
    () => service.close(),
  );
  const tenant = "/api/v1/embed-tenants/acme-stores";
  await service.send("POST", `${tenant}/user`, { body: { externalId: "svc-provisioner" } });
  const discovery = await client.discoverApi();
  const reader = createCachedReader(client.reader);
  const lifecycle = createLifecycle({ client, discovery, reader });
  return { service, proxy, discovery, reader, lifecycle };
}

const many = (count: number, specOf: (n: number) => JsonObject) =>
  Array.from({ length: count }, (_, n) => createSubject(specOf(n)));
const groupSpec = (n: number): JsonObject => ({ embedTenant: "acme-stores", name: `group-${n}` });
const groupsPath = "/api/v1/embed-tenants/acme-stores/groups";

const codes = (results: readonly Result[]) => [
  ...new Set(results.map((one) => (one.ok ? "ok" : one.failure.code))),
];

async function list(service: TestService, path: string): Promise<readonly JsonObject[]> {
  const { body } = await service.send("GET", path);
  return (body as { items: JsonObject[] }).items;
}

const kinds = [
  ["UserGroup", userGroup, (n: number) => ({ name: `group-${n}` })],
  ["UserAttribute", userAttribute, (n: number) => ({ name: `attribute_${n}`, type: "string" })],
  ["EmbedGroup", embedGroup, groupSpec],
  [
    "EmbedUser",
    embedUser,
    (n: number) => ({ embedTenant: "acme-stores", externalId: `user-${n}` }),
  ],
] as const;

describe("the estimate", () => {
  it("of 1,000 creates is 10 calls at the service, and one for a single object", async () => {
    const { discovery } = await open("full");
    for (const [name, kind, specOf] of kinds) {
      const cost = (count: number) =>
        estimate(discovery, [{ kind, verb: "create", writes: many(count, specOf) }]);
      expect([name, cost(1000)]).toEqual([name, { readCalls: 0, writeCalls: 10 }]);
      expect(cost(1).writeCalls).toBe(1);
    }
  });

  it("of 1,000 groups is one session without the bulk operation, and single calls for a few", async () => {
    const { discovery } = await open("public");
    const cost = (count: number) =>
      estimate(discovery, [{ kind: embedGroup, verb: "create", writes: many(count, groupSpec) }]);
    expect(cost(1000)).toEqual({ readCalls: 3, writeCalls: 1 });
    expect(cost(10)).toEqual({ readCalls: 0, writeCalls: 10 });
  });
});

it.each(kinds)("the ids of a bulk create belong to its objects: %s", async (_, kind, specOf) => {
  const { lifecycle, reader } = await open("full");
  expect(codes(await lifecycle.create(kind, many(2, specOf)))).toEqual(["ok"]);
  const writes = many(20, specOf).toReversed();
  const results = await lifecycle.create(kind, writes);
  const scope = scopeOf(kind, writes[0]?.spec ?? {});
  const { byKey } = await observe(kind, [scope], { reader, interest: new Set(kind.key) });
  const idOf = ({ spec }: ObjectWrite) => Number(byKey.get(keyOf(kind, spec))?.id);
  expect(results.slice(0, 18).map(({ id }) => id)).toEqual(writes.slice(0, 18).map(idOf));
  expect(results.slice(18).map(({ ok, id }) => [ok, id])).toEqual([
    [false, undefined],
    [false, undefined],
  ]);
});

describe.each(["full", "public"] as const)("on the %s surface, 120 groups", (surface) => {
  const calls = surface === "full" ? 2 : 1;

  it("take as many calls as estimated, and leave a group of another client alone", async () => {
    const { service, proxy, lifecycle } = await open(surface);
    const another = { name: "group-7", description: "Of another client." };
    await service.send("POST", groupsPath, { body: another });
    proxy.arm();
    const specs = many(120, (n) => ({ ...groupSpec(n), description: "Ours." }));
    const results = await lifecycle.create(embedGroup, specs);
    expect(proxy.writes()).toHaveLength(calls);
    expect(results.flatMap((one, at) => (one.ok ? [] : [[at, one.failure.code]]))).toEqual([
      [7, "conflict"],
    ]);
    const groups = await list(service, `${groupsPath}?first=1000`);
    expect(groups).toHaveLength(120);
    expect(groups.find(({ name }) => name === "group-7")).toMatchObject(another);
  });

  it.each(["lose-answer", "fail-after", "cut"] as const)(
    "are created once where an answer is lost (%s)",
    async (fault) => {
      const { service, proxy, lifecycle } = await open(surface);
      proxy.arm(1, fault);
      expect(codes(await lifecycle.create(embedGroup, many(120, groupSpec)))).toEqual(["ok"]);
      expect(await list(service, `${groupsPath}?first=1000`)).toHaveLength(120);
    },
  );
});

describe("groups by a session", () => {
  it("that another client creates at the same time are reported as a conflict", async () => {
    const { service, proxy, lifecycle } = await open("public");
    proxy.arm(1, async () => {
      const body = { name: "group-3", description: "Of another client." };
      await service.send("POST", groupsPath, { body });
      return "pass";
    });
    const results = await lifecycle.create(embedGroup, many(20, groupSpec));
    const failed = results.flatMap((one, at) => (one.ok ? [] : [{ at, ...one }]));
    expect(failed).toMatchObject([
      { at: 3, created: false, failure: { code: "conflict", message: /may belong to another/ } },
    ]);
  });

  it("are created one by one where the account has creator mode off", async () => {
    const { service, proxy, lifecycle } = await open("public", false);
    const results = await lifecycle.create(embedGroup, many(20, groupSpec));
    expect(codes(results)).toEqual(["ok"]);
    expect(proxy.writes()).toHaveLength(1 + 20);
    expect(await list(service, groupsPath)).toHaveLength(20);
  });
});

describe("creates of an engine", () => {
  it.each([10, 100])("share calls at a parallelism of %i", async (parallelism) => {
    const { service, proxy } = await open("full");
    const client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
    const bridge = createBridge(client, await client.discoverApi());
    stops.unshift(() => bridge.close());
    proxy.arm();
    const limit = pLimit(parallelism);
    const creates = Array.from({ length: 300 }, (_, n) =>
      limit(() => bridge.create(userGroup, { name: `group-${n}` })),
    );
    const created = await Promise.all(creates);
    expect(created.filter(({ failure, observed }) => failure || !observed.id)).toEqual([]);
    expect(proxy.writes()).toHaveLength(300 / parallelism);
    // Reads a page after each call. The server refuses an existing group, so no page is read before.
    expect(proxy.requests.length - proxy.writes().length).toBe(300 / parallelism);
  });

  it("that arrive while a call is under way share the next one", async () => {
    const { service, proxy } = await open("full");
    const client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
    const bridge = createBridge(client, await client.discoverApi());
    stops.unshift(() => bridge.close());
    const creates: Promise<unknown>[] = [];
    const start = (count: number): void => {
      const from = creates.length;
      for (let n = from; n < from + count; n += 1)
        creates.push(bridge.create(userGroup, { name: `group-${n}` }));
    };
    proxy.arm(1, async () => {
      start(10);
      await sleep(3 * limits.coalesceMs);
      start(10);
      await sleep(3 * limits.coalesceMs);
      return "pass";
    });
    start(10);
    await creates[0];
    await Promise.all(creates);
    expect(proxy.writes()).toHaveLength(2);
  });

  it("do not claim a group of another client where the answer is lost", async () => {
    const { service, proxy } = await open("full");
    const client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
    const bridge = createBridge(client, await client.discoverApi());
    stops.unshift(() => bridge.close());
    const body = { name: "theirs", description: "Of another client." };
    await service.send("POST", "/api/v1/user-groups", { body });
    proxy.arm(1, "lose-answer", 100);
    await expect(bridge.create(userGroup, { name: "theirs" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("of one name report the second as a conflict, also in one call", async () => {
    const { service, proxy } = await open("full");
    const client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
    const bridge = createBridge(client, await client.discoverApi());
    stops.unshift(() => bridge.close());
    const create = (name: string) => bridge.create(userGroup, { name });
    const ended = await Promise.allSettled([create("a"), create("a"), create("b")]);
    expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});

describe("external users", () => {
  it("that another client provisioned are not updated", async () => {
    const { service, lifecycle } = await open("full");
    const path = "/api/v1/embed-tenants/acme-stores/users";
    const users = [{ externalId: "user-1", email: "kept@acme.example" }];
    await service.send("POST", path, { body: { users } });
    const specs = many(3, (n) => ({
      embedTenant: "acme-stores",
      externalId: `user-${n}`,
      email: "ours@acme.example",
    }));
    const results = await lifecycle.create(embedUser, specs);
    expect(results.map((one) => one.ok || one.failure.code)).toEqual([true, "conflict", true]);
    const found = (await list(service, path)).find(({ externalId }) => externalId === "user-1");
    expect(found).toMatchObject({ email: "kept@acme.example" });
  });
});
