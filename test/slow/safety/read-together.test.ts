// Tests that plan, drift and the checks of an apply read many collections together, with the same result as separate reads.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";

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

/** Returns the number of reads of a path's lists, and of all calls. */
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
  // The checks before and after the delete read the changing objects.
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

/** Leaves the groups of external users out of their list, like servers that do not support them. */
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

const deployment = { external: "main" };
const folders = (count: number) =>
  numbered(count, (at) => [
    {
      kind: "Folder",
      name: `folder-${at}`,
      spec: { deployment, name: `folder-${at}` },
    },
  ]);
const workbooks = (count: number) =>
  numbered(count, (at) => [
    {
      kind: "Workbook",
      name: `book-${at}`,
      spec: {
        deployment,
        name: `Book ${at}`,
        slug: `book-${at}`,
        dashboard: { title: "Sales", widgets: [] },
      },
    },
  ]);
const sellers = { kind: "UserGroup", name: "sellers", spec: { name: "sellers" } };

/** Access to each of many folders, and to each of many workbooks and their dashboards. */
const access: Readonly<Record<string, (count: number) => readonly Doc[]>> = {
  folders: (count) => [
    sellers,
    ...folders(count),
    ...folders(count).flatMap(({ name }) => {
      const spec = { deployment, folder: name };
      const group = { ...spec, group: "sellers", action: "FolderEdit" };
      return [
        { kind: "FolderAccess", name, spec: group },
        { kind: "FolderAllUsersAccess", name, spec: { ...spec, action: "FolderRead" } },
      ];
    }),
  ],
  workbooks: (count) => [
    sellers,
    tenant,
    ...workbooks(count),
    ...workbooks(count).flatMap(({ name }) => {
      const spec = { deployment, workbook: name };
      return [
        {
          kind: "WorkbookAccess",
          name,
          spec: { ...spec, group: "sellers", action: "WorkbookRead" },
        },
        { kind: "DashboardAccess", name, spec: { ...spec, group: "sellers" } },
        { kind: "DashboardEmbedAccess", name, spec: { ...spec, embedTenant: "acme-inc" } },
        { kind: "AllTenantsEmbedAccess", name, spec },
      ];
    }),
  ],
};

const one = /^\/api\/v1\/(?:resource-policies\?|deployments\/\d+\/workbooks\/\d+\/embed-access)/u;
const all = /^\/api\/v1\/deployments\/\d+\/(?:resource-policies\?|embed-access)/u;

it.each([
  ["folders", 1],
  ["workbooks", 3],
])("reads the access to many %s from %d lists", async (what, lists) => {
  await stack.write(access[what]?.(many) ?? []);
  await stack.apply();
  expect(await callsOf(one, () => stack.plan())).toBe(0);
  expect(await callsOf(all, () => stack.plan())).toBe(lists);
  expect((await stack.plan()).changes).toEqual([]);
  // Access that was removed outside the stack is created again.
  await service.send("PUT", "/api/v1/resource-policies/group", {
    body: { resourceType: what === "folders" ? "Folder" : "Workbook", resourceId: 1, groupId: 1 },
  });
  const { changes } = await stack.plan();
  expect(changes.map(({ action, address }) => [action, address.replace(/\/.*/u, "")])).toEqual([
    ["create", what === "folders" ? "FolderAccess" : "WorkbookAccess"],
  ]);
  await stack.apply();
  expect((await stack.plan()).changes).toEqual([]);
});

it("reads one list for kinds of different numbers of collections", async () => {
  const kinds = ["FolderAccess", "FolderAllUsersAccess"];
  const documents = access["folders"]?.(3 * many) ?? [];
  for (const few of kinds) {
    const used = documents.filter(
      ({ kind, name }) => kind !== few || Number(name.replace("folder-", "")) < many,
    );
    await stack.write(used);
    await stack.apply();
    expect(await callsOf(all, () => stack.plan())).toBe(1);
    expect(await callsOf(one, () => stack.plan())).toBe(0);
  }
});

it("counts only the collections that exist", async () => {
  const documents = access["folders"]?.(many) ?? [];
  await stack.write(documents.filter(({ name }) => ["sellers", "folder-0"].includes(name)));
  await stack.apply();
  await stack.write(documents);
  expect(await callsOf(all, () => stack.plan())).toBe(0);
  expect(await callsOf(one, () => stack.plan())).toBe(1);
});

/** Leaves out the first items of the lists of access. */
function without(count: number): void {
  proxy.alterResponses(({ method, path }, body) => {
    if (method !== "GET" || !all.test(path)) return body;
    const { items, ...page } = body as { readonly items: readonly JsonObject[] };
    return { ...page, items: items.slice(count) };
  });
}

it.each([
  [
    "lacks the lists",
    () => proxy.armAnyCall(1, async ({ path }) => (all.test(path) ? "html" : "pass"), Infinity),
  ],
  [
    "refuses the lists",
    () => proxy.armAnyCall(1, async ({ path }) => (all.test(path) ? "forbid" : "pass"), Infinity),
  ],
  ["answers 404 to them, which is an empty list", () => without(many)],
  ["leaves out an object that the caller does not manage", () => without(1)],
])("reads access one by one from a server that %s", async (_, prepare) => {
  await stack.write(access["workbooks"]?.(many) ?? []);
  await stack.apply();
  prepare();
  // One call for the policies of each workbook, one for each dashboard, and one for the embed access.
  const calls = proxy.requests.length;
  expect((await stack.plan()).changes).toEqual([]);
  const read = proxy.requests.slice(calls).filter(({ path }) => one.test(path));
  expect(read.length).toBe(3 * many);
});
