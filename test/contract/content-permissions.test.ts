// Tests who may create, move and list folders, workbooks and reports with permissions on a folder, a deployment or one item.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

const base = "/deployments/1";
const kinds = ["folders", "workbooks", "reports"] as const;
type ContentKind = (typeof kinds)[number];

/** The actions on each kind of content, and the type of policies on it. */
const types = {
  folders: { name: "Folder", item: "FOLDER" },
  workbooks: { name: "Workbook", item: "WORKBOOK" },
  reports: { name: "Report", item: "REPORT" },
} as const;

let service: TestService;
let sales: number;
let finance: number;
let count = 0;

const send = (method: string, path: string, body?: object, key?: string) =>
  service.send(method, `/api/v1${path}`, {
    ...(body && { body }),
    ...(key !== undefined && { key }),
  });
const idOf = ({ body }: { body: unknown }) => (body as { id: number }).id;

/** Creates content as the administrator, and returns its ID. */
async function create(kind: ContentKind, folderId?: number): Promise<number> {
  const answer = await send("POST", `${base}/${kind}`, contentIn(kind, folderId));
  expect(answer.status).toBe(200);
  return idOf(answer);
}

const contentIn = (kind: ContentKind, folderId?: number) => ({
  name: `content ${++count}`,
  ...(folderId !== undefined && { [kind === "folders" ? "parentId" : "folderId"]: folderId }),
});

/** Creates a user who has only the given policies, each a type, an ID and an action, and returns its key. */
async function userWith(...policies: readonly (readonly [string, number, string])[]) {
  const username = `user-${++count}`;
  const email = `${username}@example.com`;
  const userId = idOf(await send("POST", "/users", { username, email, defaultRoles: ["Guest"] }));
  for (const [resourceType, resourceId, action] of policies) {
    const policy = { resourceType, resourceId, action, userId };
    expect((await send("PUT", "/resource-policies/user", policy)).status).toBe(204);
  }
  return keyOf({ ownerUserId: userId });
}

async function keyOf(input: object): Promise<string> {
  const { body } = await send("POST", "/api-keys", { name: `key-${++count}`, ...input });
  return (body as { token: string }).token;
}

const statusOf = async (...args: Parameters<typeof send>) => (await send(...args)).status;

beforeAll(async () => {
  service = await startService();
  sales = await create("folders");
  finance = await create("folders");
});
afterAll(() => service.close());

describe.each(kinds)("%s", (kind) => {
  const { name, item } = types[kind];

  it("are created in a folder with FolderEdit on it or on one that contains it, and nowhere else", async () => {
    const inner = await create("folders", sales);
    const key = await userWith(["Folder", sales, "FolderEdit"]);
    const place = (folderId?: number) =>
      statusOf("POST", `${base}/${kind}`, contentIn(kind, folderId), key);
    expect(await place(sales)).toBe(200);
    expect(await place(inner)).toBe(200);
    expect(await place(finance)).toBe(403);
    expect(await place()).toBe(403);
    const reader = await userWith(["Folder", sales, "FolderRead"]);
    expect(await statusOf("POST", `${base}/${kind}`, contentIn(kind, sales), reader)).toBe(403);
  });

  it("are created at the root with their permission on the deployment", async () => {
    const key = await userWith(["Deployment", 1, `${name}Edit`]);
    expect(await statusOf("POST", `${base}/${kind}`, contentIn(kind), key)).toBe(200);
    const one = await create(kind, sales);
    const other = await userWith([name, one, `${name}Manage`]);
    const refused = await send("POST", `${base}/${kind}`, contentIn(kind), other);
    const lacking = expect.stringContaining(`the permission ${name}Edit for deployment 1`);
    expect([refused.status, refused.text]).toEqual([403, lacking]);
  });

  it("are moved to the root with their permission on the deployment too", async () => {
    const id = await create(kind, sales);
    const move = (key: string) =>
      statusOf("POST", `${base}/workspace/move`, { type: item, id, folderId: null }, key);
    expect(await move(await userWith([name, id, `${name}Manage`]))).toBe(403);
    expect(await move(await userWith(["Folder", sales, "FolderManage"]))).toBe(403);
    const own = [name, id, `${name}Manage`] as const;
    expect(await move(await userWith(own, ["Deployment", 1, `${name}Edit`]))).toBe(200);
  });

  it("are deleted in bulk with their own permission, and listed with it", async () => {
    const id = await create(kind, sales);
    const other = await create(kind, finance);
    const key = await userWith([name, id, `${name}Manage`]);
    const listed = (path: string, credential = key) =>
      send("GET", `${base}/${path}`, undefined, credential);
    for (const list of ["workspace", "shared-workspace"]) {
      expect((await listed(`${list}?folderId=${sales}`)).body).toMatchObject({
        items: [{ type: item, id }],
      });
      expect((await listed(`${list}?folderId=${finance}`)).body).toMatchObject({ items: [] });
    }
    const remove = async (credential: string) => {
      const items = [other, id].map((one) => ({ type: item, id: one }));
      return (await send("POST", `${base}/workspace/bulk-delete`, { items }, credential)).body;
    };
    const editor = await userWith([name, id, `${name}Edit`]);
    expect(await remove(editor)).toMatchObject({ code: "forbidden" });
    expect(await remove(key)).toMatchObject({
      deleted: [{ type: item, id }],
      failed: [{ type: item, id: other, error: { status: 403 } }],
    });
  });

  it("are what a key limited to reading them lists", async () => {
    await create("folders", sales);
    await create("workbooks", sales);
    await create("reports", sales);
    const key = await keyOf({ permissions: [`${name}Read`] });
    const { body } = await send("GET", `${base}/workspace?folderId=${sales}`, undefined, key);
    const found = new Set((body as { items: { type: string }[] }).items.map(({ type }) => type));
    // FolderRead includes the contents of folders.
    const all = Object.values(types).map((one) => one.item);
    expect([...found].toSorted()).toEqual((kind === "folders" ? all : [item]).toSorted());
  });
});

describe("a policy on one workbook or report", () => {
  it("permits to update it by its slug or public ID, and not to create another", async () => {
    const slug = "figures";
    const publicId = "abcdefghijkl";
    await send("PUT", `${base}/workbooks/by-slug/${slug}`, {});
    await send("PUT", `${base}/reports/by-public-id/${publicId}`, {});
    const workbook = idOf(await send("PUT", `${base}/workbooks/by-slug/${slug}`, { name: "W" }));
    const report = idOf(
      await send("PUT", `${base}/reports/by-public-id/${publicId}`, { name: "R" }),
    );
    const policies = [
      ["Workbook", workbook, "WorkbookEdit"],
      ["Report", report, "ReportEdit"],
    ] as const;
    const key = await userWith(...policies);
    const put = (path: string) => statusOf("PUT", `${base}/${path}`, { name: "Changed" }, key);
    expect(await put(`workbooks/by-slug/${slug}`)).toBe(200);
    expect(await put("workbooks/by-slug/other")).toBe(403);
    expect(await put(`reports/by-public-id/${publicId}`)).toBe(200);
    expect(await put("reports/by-public-id/lkjihgfedcba")).toBe(403);
    const other = await userWith(["Folder", sales, "FolderEdit"]);
    const place = (path: string) =>
      statusOf("PUT", `${base}/${path}`, { name: "Placed", folderId: sales }, other);
    expect(await place(`workbooks/by-slug/${slug}`)).toBe(403);
    expect(await place("workbooks/by-slug/placed")).toBe(200);
    expect(await place(`reports/by-public-id/${publicId}`)).toBe(403);
    expect(await place("reports/by-public-id/placedplaced")).toBe(200);
  });

  it("does not permit to copy a workbook to the root", async () => {
    const id = await create("workbooks");
    const copy = (key: string) =>
      statusOf("POST", `${base}/workbooks/${id}/duplicate`, undefined, key);
    const own = ["Workbook", id, "WorkbookManage"] as const;
    expect(await copy(await userWith(own))).toBe(403);
    expect(await copy(await userWith(own, ["Deployment", 1, "WorkbookEdit"]))).toBe(200);
  });
});
