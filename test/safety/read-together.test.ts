// Plan, drift and the checks of an apply read many collections together, and see the same as if each was read by itself.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let proxy: Proxy;
let stack: TestStack;
beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
  stack = await makeStack({ url: proxy.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

const many = limits.collectionsReadApart + 1;

/** Returns how often lists of a path are read, and all calls. */
async function callsOf(path: RegExp, run: () => Promise<unknown>): Promise<number> {
  proxy.arm();
  await run();
  return proxy.requests.filter((one) => one.method === "GET" && path.test(one.path)).length;
}

function numbered(count: number, docs: (at: number) => readonly Doc[]): readonly Doc[] {
  return Array.from({ length: count }, (_, at) => docs(at)).flat();
}

it.each([
  ["one by one if they are few", 3, 3],
  ["from the users if they are many", many, 0],
])("reads the members of groups %s", async (_, count, lists) => {
  const email = "jane@corp.example";
  await service.send("POST", "/api/v1/users", { body: { username: "jane", email } });
  const documents = numbered(count, (at) => [
    { kind: "UserGroup", name: `group-${at}`, spec: { name: `group-${at}` } },
    {
      kind: "GroupMembership",
      name: `jane-${at}`,
      spec: { group: `group-${at}`, user: { external: email } },
    },
  ]);
  await stack.write(documents);
  await stack.apply();
  const path = /^\/api\/v1\/user-groups\/\d+\/users/u;
  expect(await callsOf(path, () => stack.plan())).toBe(lists);
  expect((await stack.plan()).changes).toEqual([]);
  await stack.write(documents.slice(0, -1));
  // The checks before the delete and after it read what changes.
  const applied = await stack.apply();
  expect(applied.outcomes.map(({ result }) => result)).toEqual(["done"]);
});

const tenant = { kind: "EmbedTenant", name: "acme-inc", spec: { name: "acme-inc" } };
const tenantGroups = numbered(many, (at) => [
  {
    kind: "EmbedGroup",
    name: `group-${at}`,
    spec: { embedTenant: "acme-inc", name: `group-${at}` },
  },
]);

/** Leaves the groups of external users out of their list, as servers that do not know them. */
function withoutGroups(): void {
  proxy.alterResponses(({ method, path }, body) => {
    if (method !== "GET" || !/\/embed-tenants\/acme-inc\/users/u.test(path)) return body;
    const { items, ...page } = body as { readonly items: readonly JsonObject[] };
    return { ...page, items: items.map(({ tenantGroups: _, ...user }) => user) };
  });
}

it.each([
  ["from the users", 0],
  ["group by group if the users lack them", many],
])("reads the groups of external users, and their members, %s", async (_, lists) => {
  const names = tenantGroups.map(({ name }) => name);
  const jane = { embedTenant: "acme-inc", externalId: "jane", tenantGroups: names };
  const sam = { embedTenant: "acme-inc", externalId: "sam" };
  const documents = [
    tenant,
    ...tenantGroups,
    { kind: "EmbedUser", name: "jane", spec: jane },
    { kind: "EmbedUser", name: "sam", spec: sam },
    ...names.map((group) => {
      const spec = { embedTenant: "acme-inc", group, user: "sam" };
      return { kind: "EmbedGroupMembership", name: group, spec };
    }),
  ];
  const path = /^\/api\/v1\/embed-tenants\/acme-inc\/groups\/\d+\/users/u;
  if (lists > 0) withoutGroups();
  await stack.write(documents);
  await stack.apply();
  expect(await callsOf(path, () => stack.plan())).toBe(lists);
  expect((await stack.plan()).changes).toEqual([]);
});
