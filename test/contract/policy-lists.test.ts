// Tests that lists of policies and of embed access of a deployment return to each caller the same as the reads of the single
// objects.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
let users = 0;
/** IDs of folders, workbooks, their dashboards and reports; others are in another deployment. */
let ids: Readonly<Record<"Folder" | "Workbook" | "Dashboard" | "Report", readonly number[]>>;
let groupId: number;

const send = (method: string, path: string, body?: object, key?: string) =>
  service.send(method, `/api/v1${path}`, {
    ...(body && { body }),
    ...(key !== undefined && { key }),
  });
const idOf = ({ body }: { body: unknown }) => (body as { id: number }).id;
const setUser = (resourceType: string, resourceId: number, rest: object) =>
  send("PUT", "/resource-policies/user", { resourceType, resourceId, ...rest });

async function createUser(): Promise<{ id: number; key: string }> {
  const username = `user-${++users}`;
  const email = `${username}@example.com`;
  const id = idOf(await send("POST", "/users", { username, email, defaultRoles: ["Guest"] }));
  return { id, key: await keyOf({ ownerUserId: id }) };
}

async function keyOf(input: object): Promise<string> {
  const { body } = await send("POST", "/api-keys", { name: `key-${++users}`, ...input });
  return (body as { token: string }).token;
}

/** Creates objects of each type: the second folder in the first, and all other objects in the second. */
async function createContent(deployment: number): Promise<typeof ids> {
  const path = `/deployments/${deployment}`;
  const Folder: number[] = [];
  for (const name of ["EMEA", "Germany"]) {
    const parentId = Folder[0] ?? null;
    Folder.push(idOf(await send("POST", `${path}/folders`, { name, parentId })));
  }
  const folderId = Folder[1];
  const Workbook: number[] = [];
  const Dashboard: number[] = [];
  for (const name of ["Sales", "Orders"]) {
    const workbookId = idOf(await send("POST", `${path}/workbooks`, { name, folderId }));
    const publish = { workbookId, config: { title: name, widgets: [] } };
    Workbook.push(workbookId);
    Dashboard.push(idOf(await send("POST", `${path}/workbooks/${workbookId}/publish`, publish)));
  }
  const report = { name: "Open orders", folderId, sqlQuery: "SELECT 1" };
  return {
    Folder,
    Workbook,
    Dashboard,
    Report: [idOf(await send("POST", `${path}/reports`, report))],
  };
}

beforeAll(async () => {
  service = await startService();
  const body = { name: "other", region: "aws-us-east-1" };
  const created = await service.send("POST", "/build/api/v1/deployments", { body });
  ids = await createContent(1);
  groupId = idOf(await send("POST", "/user-groups", { name: "sellers" }));
  const elsewhere = await createContent(idOf(created));
  const actions = {
    Folder: "FolderEdit",
    Workbook: "WorkbookRead",
    Dashboard: "EmbedDashboardRead",
    Report: "ReportRead",
  };
  for (const [type, action] of Object.entries(actions)) {
    for (const content of [ids, elsewhere]) {
      const [resourceId = 0] = content[type as keyof typeof ids];
      const group = { resourceType: type, resourceId, groupId, action };
      await setUser(type, resourceId, { userId: 1, action });
      await setUser(type, resourceId, { action });
      await send("PUT", "/resource-policies/group", group);
    }
  }
});
afterAll(() => service.close());

interface Listed {
  readonly resourceId: number;
  readonly userPolicies: readonly object[];
  readonly groupPolicies: readonly object[];
}
const path = (type: string) => `/deployments/1/resource-policies?resourceType=${type}`;

async function listed(type: string, key?: string): Promise<readonly Listed[]> {
  const { status, body } = await send("GET", path(type), undefined, key);
  expect(status).toBe(200);
  return (body as { items: readonly Listed[] }).items;
}

const listedIds = async (type: string, key?: string) =>
  (await listed(type, key)).map(({ resourceId }) => resourceId);

it.each(["Folder", "Workbook", "Dashboard", "Report"] as const)(
  "lists each %s of the deployment, newest first, with the policies that are set on it",
  async (type) => {
    const items = await listed(type);
    expect(items.map(({ resourceId }) => resourceId)).toEqual(ids[type].toReversed());
    for (const { resourceId, userPolicies, groupPolicies } of items) {
      const read = `/resource-policies?resourceType=${type}&resourceId=${resourceId}`;
      const own = (await send("GET", read)).body as Listed;
      expect(own).toMatchObject({ userPolicies, groupPolicies });
      const isFirst = resourceId === ids[type][0];
      const counts = [own.userPolicies.length, own.groupPolicies.length];
      expect([userPolicies.length, groupPolicies.length]).toEqual(counts);
      expect(counts).toEqual(isFirst ? [2, 1] : [0, 0]);
    }
  },
);

it("lists pages, refuses other types, and is not there without the deployment", async () => {
  const { body } = await send("GET", `${path("Folder")}&first=1`);
  const { items, pageInfo } = body as {
    items: readonly Listed[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
  };
  expect([items.map(({ resourceId }) => resourceId), pageInfo.hasNextPage]).toEqual([
    [ids.Folder[1]],
    true,
  ]);
  const next = await send("GET", `${path("Folder")}&first=1&after=${pageInfo.endCursor}`);
  expect(next.body).toMatchObject({
    items: [{ resourceId: ids.Folder[0] }],
    pageInfo: { hasNextPage: false },
  });
  expect((await send("GET", path("Deployment"))).status).toBe(400);
  expect((await send("GET", "/deployments/1/resource-policies")).status).toBe(400);
  const missing = "/deployments/999/resource-policies?resourceType=Folder";
  expect((await send("GET", missing)).status).toBe(404);
});

it("lists to a user the objects that it manages, and no others", async () => {
  const { id: userId, key } = await createUser();
  const [sales = 0, orders = 0] = ids.Workbook;
  await setUser("Workbook", sales, { userId, action: "WorkbookEdit" });
  expect((await send("GET", path("Workbook"), undefined, key)).status).toBe(403);
  await setUser("Workbook", sales, { userId, action: "WorkbookManage" });
  expect(await listedIds("Workbook", key)).toEqual([sales]);
  expect(await listedIds("Dashboard", key)).toEqual([ids.Dashboard[0]]);
  expect([await listedIds("Folder", key), await listedIds("Report", key)]).toEqual([[], []]);
  // Rights to manage a folder include its contents.
  await setUser("Folder", ids.Folder[1] ?? 0, { userId, action: "FolderManage" });
  expect(await listedIds("Folder", key)).toEqual([ids.Folder[1]]);
  expect(await listedIds("Workbook", key)).toEqual([orders, sales]);
  expect(await listedIds("Report", key)).toEqual(ids.Report);
});

it("lists to a key what it may read of single objects", async () => {
  const reads = await keyOf({ permissions: ["ReadAll"] });
  expect(await listedIds("Folder", reads)).toEqual(ids.Folder.toReversed());
  const manages = await keyOf({ permissions: ["WorkbookManage"] });
  expect(await listedIds("Workbook", manages)).toEqual(ids.Workbook.toReversed());
  expect(await listedIds("Folder", manages)).toEqual([]);
  const edits = await keyOf({ permissions: ["WorkbookEdit"] });
  expect((await send("GET", path("Workbook"), undefined, edits)).status).toBe(403);
});

it("lists the embed access of each workbook, and to administrators alone", async () => {
  const [sales = 0, orders = 0] = ids.Workbook;
  await send("POST", "/embed-tenants/acme-inc/user", { externalId: "jane" });
  const access = (id: number) => `/deployments/1/workbooks/${id}/embed-access`;
  await send("PUT", access(sales), { embedTenantName: "acme-inc", action: "read" });
  await send("PUT", access(orders), { allEmbedUsers: true, action: "read", allowEmbed: true });
  const { body } = await send("GET", "/deployments/1/embed-access");
  const { items } = body as { items: readonly { readonly workbookId: number }[] };
  expect(items.map(({ workbookId }) => workbookId)).toEqual([orders, sales]);
  for (const { workbookId, ...own } of items)
    expect((await send("GET", access(workbookId))).body).toEqual(own);
  expect(items).toMatchObject([
    { allowEmbed: true, allEmbedUsers: { enabled: true }, tenants: [] },
    {
      allowEmbed: false,
      allEmbedUsers: { enabled: false },
      tenants: [{ embedTenantName: "acme-inc" }],
    },
  ]);
  const { id: userId, key } = await createUser();
  await setUser("Workbook", sales, { userId, action: "WorkbookManage" });
  expect((await send("GET", "/deployments/1/embed-access", undefined, key)).status).toBe(403);
});
