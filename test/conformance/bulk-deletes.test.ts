// Tests deletes that share calls: the number of calls, the failure of each object, and calls whose response was lost.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClient } from "../../client/client.ts";
import type { Client } from "../../client/types.ts";
import { Secret } from "../../core/secret.ts";
import { createLifecycle } from "../../lifecycle/lifecycle.ts";
import { observe } from "../../lifecycle/observe.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { user } from "../../resources/user.ts";
import type { Surface } from "../../service/server/server.ts";
import { type Fault, type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
let proxy: Proxy;
let client: Client;
/** Servers with a smaller surface take no idempotency keys. */
async function open(surface: Surface): Promise<void> {
  service = await startService({ surface });
  proxy = await startProxy(service.url);
  client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
}
beforeEach(() => open("full"));
async function close(): Promise<void> {
  await client.close();
  await proxy.close();
  await service.close();
}
afterEach(close);

const names = ["ada", "ben", "cat"];

/** Creates users, and deletes those whose email matches. Returns the writes, the results and the remaining emails. */
async function deleteUsers(isWanted: (email: string) => boolean, fault?: Fault) {
  for (const username of names) {
    const body = { username, email: `${username}@corp.example` };
    await service.send("POST", "/api/v1/users", { body });
  }
  const reader = createCachedReader(client.reader);
  const live = async () => [
    ...(await observe(user, [{}], { reader, interest: new Set(user.key) })).byKey.values(),
  ];
  const emailOf = (one: { readonly spec: object }) => String(Reflect.get(one.spec, "email"));
  const writes = (await live())
    .filter((one) => isWanted(emailOf(one)))
    .map((one) => ({ spec: one.spec, live: one, changed: new Set<string>() }));
  const lifecycle = createLifecycle({ client, discovery: await client.discoverApi(), reader });
  if (fault === undefined) proxy.arm();
  else proxy.arm(1, fault);
  const results = await lifecycle.delete(user, writes);
  const calls = proxy.writes().map(({ method, path }) => `${method} ${path.replace(/\d+$/u, "N")}`);
  reader.invalidate();
  const codes = results.map((one) => (one.ok ? "ok" : one.failure.code)).toSorted();
  return { calls, codes, left: (await live()).map(emailOf) };
}

const isNew = (email: string) => names.some((name) => email === `${name}@corp.example`);
const bulk = "POST /api/v1/users/bulk";
const single = "DELETE /api/v1/users/N";

it("deletes several users in one call, and one in a call of its own", async () => {
  expect(await deleteUsers(isNew)).toMatchObject({ calls: [bulk], codes: ["ok", "ok", "ok"] });
  const one = await deleteUsers((email) => email === "ada@corp.example");
  expect(one).toMatchObject({ calls: [single], codes: ["ok"] });
});

it("reports the failure of the user that cannot be deleted, and deletes the others", async () => {
  const { calls, codes, left } = await deleteUsers(() => true);
  expect(calls).toEqual([bulk]);
  expect(codes.filter((code) => code !== "ok")).toEqual(["invalid"]);
  expect(left).toHaveLength(1);
  expect(left.some(isNew)).toBe(false);
});

it("repeats a call with the same key if its answer was lost", async () => {
  const { calls, codes } = await deleteUsers(isNew, "lose-answer");
  expect([calls, codes]).toEqual([
    [bulk, bulk],
    ["ok", "ok", "ok"],
  ]);
});

it.each([
  ["is forbidden", "forbid"],
  ["has no answer from a server without keys", "lose-answer"],
] as const)("deletes one by one if a call for several users %s", async (_, fault) => {
  await close();
  await open("public");
  const { calls, codes, left } = await deleteUsers(isNew, fault);
  expect(calls).toEqual([bulk, single, single, single]);
  expect(codes).toEqual(["ok", "ok", "ok"]);
  expect(left.some(isNew)).toBe(false);
});
