// Folders and the workspace: levels, moves without cycles, deletes, order, pages and permissions.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";

const base = "/api/v1/deployments/1";

let service: TestService;
beforeEach(async () => {
  service = await startService();
});
afterEach(async () => service.close());

interface Item {
  readonly type: string;
  readonly id: number;
  readonly name: string;
}
interface Page {
  readonly items: readonly Item[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string };
}

async function create(kind: "folders" | "workbooks" | "reports", body: object): Promise<number> {
  const answer = await service.send("POST", `${base}/${kind}`, { body });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return (answer.body as Item).id;
}
const folder = (name: string, parentId?: number) => create("folders", { name, parentId });
const read = async (path: string, key?: string) =>
  (await service.send("GET", `${base}${path}`, key === undefined ? {} : { key })).body;
const names = async (path: string, key?: string) =>
  ((await read(path, key)) as Page).items.map(({ name }) => name);
const move = (id: number, folderId: number | null, type = "FOLDER") =>
  service.send("POST", `${base}/workspace/move`, { body: { type, id, folderId } });

describe("folders", () => {
  it("are listed one level at a time, by position, or all", async () => {
    const sales = await folder("Sales");
    await folder("Europe", sales);
    const finance = await folder("Finance");
    expect(await names("/folders")).toEqual(["Sales", "Finance"]);
    expect(await names(`/folders?parentId=${sales}`)).toEqual(["Europe"]);
    expect(await names("/folders?recursive=true")).toEqual(["Finance", "Europe", "Sales"]);
    await service.send("PUT", `${base}/folders/${sales}`, { body: { position: 9 } });
    expect(await names("/folders")).toEqual(["Finance", "Sales"]);
    const page = (await read("/folders?first=1")) as Page;
    expect(await names(`/folders?first=1&after=${page.pageInfo.endCursor}`)).toEqual(["Sales"]);
    expect(await names("/folders?offset=1&limit=5")).toEqual(["Sales"]);
    expect(await read(`/folders/${finance}`)).toMatchObject({ position: 1, folderPath: [] });
    await service.send("PUT", `${base}/folders/${sales}`, { body: { position: 1_000_000 } });
    expect(await read(`/folders/${await folder("Last")}`)).toMatchObject({ position: 1_000_000 });
    expect((await service.send("GET", `${base}/folders?parentId=999`)).status).toBe(404);
  });

  it("know the folders that contain them", async () => {
    const sales = await folder("Sales");
    const europe = await folder("Europe", sales);
    expect(await read(`/folders/${europe}`)).toMatchObject({
      parentId: sales,
      folderPath: [{ id: sales, name: "Sales" }],
      createdBy: 1,
    });
    const ancestors = (await read(`/folders/${europe}/ancestors`)) as Item[];
    expect(ancestors.map(({ id }) => id)).toEqual([sales, europe]);
  });

  it("are at most so deep, created or moved", async () => {
    let deepest = await folder("1");
    for (let level = 2; level <= limits.folderDepth; level++) {
      deepest = await folder(`${level}`, deepest);
    }
    const body = { name: "more", parentId: deepest };
    const refused = await service.send("POST", `${base}/folders`, { body });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("deep")]);
    const outer = await folder("outer");
    await folder("inner", outer);
    expect((await move(outer, deepest)).status).toBe(400);
    const above = (await read(`/folders/${deepest}`)) as { parentId: number };
    expect((await move(outer, above.parentId)).status).toBe(400);
  });

  it("are never moved into themselves", async () => {
    const sales = await folder("Sales");
    const europe = await folder("Europe", sales);
    for (const target of [sales, europe]) {
      const refused = await move(sales, target);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("itself")]);
    }
    expect((await move(europe, null)).body).toMatchObject({ type: "FOLDER", id: europe });
    expect(await names("/folders")).toEqual(["Sales", "Europe"]);
    expect((await move(sales, europe)).body).toMatchObject({ folderId: europe });
    expect((await move(sales, 999)).status).toBe(400);
    expect((await move(999, null)).status).toBe(404);
  });

  it("are deleted without subfolders; the workbooks in them move to the root", async () => {
    const sales = await folder("Sales");
    const europe = await folder("Europe", sales);
    const workbookId = await create("workbooks", { name: "Figures", folderId: sales });
    expect((await service.send("DELETE", `${base}/folders/${sales}`)).status).toBe(400);
    await service.send("DELETE", `${base}/folders/${europe}`);
    expect((await service.send("DELETE", `${base}/folders/${sales}`)).status).toBe(204);
    expect(await read(`/workbooks/${workbookId}`)).not.toHaveProperty("folderId");
    expect((await service.send("DELETE", `${base}/folders/${sales}`)).status).toBe(404);
  });

  it("belong to one deployment", async () => {
    const body = { name: "other", region: "aws-us-east-1" };
    const created = await service.send("POST", "/build/api/v1/deployments", { body });
    const other = `/api/v1/deployments/${(created.body as Item).id}`;
    const sales = await folder("Sales");
    expect((await service.send("GET", `${other}/folders/${sales}`)).status).toBe(404);
    for (const path of ["folders", "workbooks"]) {
      const inOther = { name: "x", parentId: sales };
      const input = path === "folders" ? inOther : { name: "x", folderId: sales };
      expect((await service.send("POST", `${other}/${path}`, { body: input })).status).toBe(400);
    }
  });
});

describe("the workspace", () => {
  it("lists folders first, then workbooks, in every order and in pages of any size", async () => {
    const sales = await folder("sales");
    await folder("Archive");
    await create("workbooks", { name: "beta" });
    await create("workbooks", { name: "Alpha" });
    await create("workbooks", { name: "inside", folderId: sales });
    expect(await names("/workspace")).toEqual(["Archive", "sales", "Alpha", "beta"]);
    const backwards = "orderByField=created_at&orderByDirection=desc";
    expect(await names(`/workspace?${backwards}`)).toEqual(["Archive", "sales", "Alpha", "beta"]);
    expect(await names("/workspace?orderByDirection=desc")).toEqual([
      "sales",
      "Archive",
      "beta",
      "Alpha",
    ]);
    expect(await names(`/workspace?folderId=${sales}`)).toEqual(["inside"]);
    expect(await names("/workspace?types=WORKBOOK")).toEqual(["Alpha", "beta"]);
    expect(await names("/workspace?types[]=WORKBOOK")).toEqual(["Alpha", "beta"]);
    const both = "/workspace?types[]=WORKBOOK&types=REPORT";
    expect(await names(both)).toEqual(await names("/workspace?types=REPORT&types=WORKBOOK"));
    expect(await names("/workspace?search=A")).toEqual(["Archive", "sales", "Alpha", "beta"]);
    expect(await names("/workspace?search=INS")).toEqual(["inside"]);
    for (const order of ["name", "updated_at", "created_at"]) {
      const whole = await names(`/workspace?orderByField=${order}`);
      expect(await inPages(`/workspace?orderByField=${order}`)).toEqual(whole);
    }
  });

  it("refuses cursors that no list returned", async () => {
    await folder("Sales");
    await create("workbooks", { name: "Figures" });
    const { pageInfo } = (await read("/workspace?first=1")) as Page;
    const text = Buffer.from(pageInfo.endCursor ?? "", "base64url").toString();
    const [mark] = text.split(".");
    for (const position of ["", "1", "[]", "[1,2]", '["x",null]', '["[1,1]",null]', "[null]"]) {
      const after = Buffer.from(`${mark}.${position}`).toString("base64url");
      const answer = await service.send("GET", `${base}/workspace?first=1&after=${after}`);
      expect([position, answer.status]).toEqual([position, 400]);
    }
  });

  it("shares what other users created", async () => {
    const [own, other] = [await service.key({ admin: false }), await service.key({ admin: false })];
    await service.send("PUT", "/api/v1/users/2", { body: { defaultRoles: ["Developer"] } });
    await service.send("POST", `${base}/folders`, { key: own, body: { name: "mine" } });
    expect(await names("/shared-workspace", own)).toEqual([]);
    expect(await names("/shared-workspace", other)).toEqual(["mine"]);
  });

  it("moves and deletes what it can, and reports the rest", async () => {
    const [sales, finance] = [await folder("Sales"), await folder("Finance")];
    const europe = await folder("Europe", sales);
    const workbookId = await create("workbooks", { name: "Figures" });
    const bulk = async (verb: string, body: object) =>
      (await service.send("POST", `${base}/workspace/bulk-${verb}`, { body })).body;
    const items = [
      { type: "FOLDER", id: finance },
      { type: "WORKBOOK", id: 999 },
      { type: "FOLDER", id: sales },
      { type: "WORKBOOK", id: workbookId },
    ];
    const error = (status: number) => ({ status, message: expect.any(String) });
    expect(await bulk("move", { items, folderId: europe })).toEqual({
      moved: [items[0], items[3]],
      failed: [
        { ...items[1], error: error(404) },
        { ...items[2], error: error(400) },
      ],
    });
    expect(await names(`/workspace?folderId=${europe}`)).toEqual(["Finance", "Figures"]);
    expect(await bulk("delete", { items: [items[2], items[3], items[3]] })).toEqual({
      deleted: [items[3]],
      failed: [
        { ...items[2], error: error(400) },
        { ...items[3], error: error(404) },
      ],
    });
  });

  it("checks the permission for each item that it changes", async () => {
    const sales = await folder("Sales");
    const workbookId = await create("workbooks", { name: "Figures" });
    const created = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "folders", permissions: ["FolderEdit", "WorkbookManage"] },
    });
    const { token: key } = created.body as { token: string };
    const items = [
      { type: "FOLDER", id: sales },
      { type: "WORKBOOK", id: workbookId },
    ];
    const deleted = await service.send("POST", `${base}/workspace/bulk-delete`, {
      key,
      body: { items },
    });
    expect(deleted.body).toMatchObject({
      deleted: [items[1]],
      failed: [{ ...items[0], error: { status: 403 } }],
    });
  });
});

describe("a policy on a folder", () => {
  it("permits its action on the folder and in it, and nowhere else", async () => {
    const sales = await folder("Sales");
    const europe = await folder("Europe", sales);
    const finance = await folder("Finance");
    const key = await service.key({ admin: false });
    await service.send("PUT", "/api/v1/users/2", { body: { defaultRoles: ["Guest"] } });
    expect((await service.send("GET", `${base}/folders`, { key })).status).toBe(403);
    await permit("folder", sales, "FolderEdit");
    expect(await names("/folders?recursive=true", key)).toEqual(["Europe", "Sales"]);
    expect(await names("/workspace", key)).toEqual(["Sales"]);
    expect((await service.send("GET", `${base}/folders/${europe}`, { key })).status).toBe(200);
    const moveTo = (id: number, folderId: number) =>
      service.send("POST", `${base}/workspace/move`, {
        key,
        body: { type: "FOLDER", id, folderId },
      });
    expect((await moveTo(europe, finance)).status).toBe(403);
    expect((await moveTo(europe, sales)).status).toBe(200);
    const writes = [
      ["workbooks", "workbook", "Workbook"],
      ["reports", "report", "Report"],
    ] as const;
    let own = 0;
    for (const [kind, type, actions] of writes) {
      const id = await create(kind, { name: "Figures", folderId: finance });
      own = id;
      await permit(type, id, `${actions}Edit`);
      const place = async (folderId: number) =>
        (await service.send("PUT", `${base}/${kind}/${id}`, { key, body: { folderId } })).status;
      const other = await folder(`Other ${kind}`);
      expect([await place(finance), await place(other)]).toEqual([200, 403]);
      const item = { type: type.toUpperCase(), id, folderId: sales };
      const moved = await service.send("POST", `${base}/workspace/move`, { key, body: item });
      // Other users have rights in that folder, so putting an object into it shares the object.
      expect([moved.status, await place(sales)]).toEqual([403, 403]);
      await permit(type, id, `${actions}Manage`);
      expect([await place(sales), await place(finance)]).toEqual([200, 403]);
      expect(await read(`/${kind}/${id}`)).toMatchObject({ folderId: sales });
    }
    const foreign = await create("workbooks", { name: "Foreign", folderId: finance });

    const connect = `${base}/reports/${own}/connect-workbook`;
    const body = { workbookId: foreign };
    expect((await service.send("PUT", connect, { key, body })).status).toBe(403);
    await permit("workbook", foreign, "WorkbookEdit");
    expect((await service.send("PUT", connect, { key, body })).status).toBe(200);
    const copy = `${base}/workbooks/${foreign}/duplicate`;
    expect((await service.send("POST", copy, { key, body: {} })).status).toBe(403);
  });

  it("is not evaded by the copy of a workbook whose reports are in it", async () => {
    const key = await service.key({ admin: false });
    await service.send("PUT", "/api/v1/users/2", { body: { defaultRoles: ["Guest"] } });
    const [own, finance] = [await folder("Own"), await folder("Finance")];
    const inFolder = await create("workbooks", { name: "Figures", folderId: own });
    const atRoot = await create("workbooks", { name: "Plans" });
    const report = (name: string, workbookId: number, folderId?: number) =>
      create("reports", { name, workbookId, folderId });
    await report("Orders", inFolder, own);
    const salaries = await report("Salaries", inFolder, finance);
    const notes = await report("Notes", inFolder);
    const forecast = await report("Forecast", atRoot, finance);
    await permit("folder", own, "FolderEdit");
    await permit("deployment", 1, "WorkbookEdit");
    await permit("report", notes, "ReportRead");

    const duplicate = (id: number, credential = key) =>
      service.send("POST", `${base}/workbooks/${id}/duplicate`, { key: credential });
    const [workbooks, reports] = [await names("/workbooks"), await names("/reports")];
    for (const [workbook, unreadable] of [
      [inFolder, salaries],
      [atRoot, forecast],
    ] as const) {
      const refused = await duplicate(workbook);
      expect(refused).toMatchObject({
        status: 403,
        body: { details: { permission: "ReportRead" } },
      });
      expect(refused.text).toContain(`for report ${unreadable}`);
    }
    expect([await names("/workbooks"), await names("/reports")]).toEqual([workbooks, reports]);

    /** Returns the folders of the copies by the names of the reports. */
    const foldersOfCopies = async (id: number, credential = key) => {
      const copy = (await duplicate(id, credential)).body as Item;
      const { items } = (await read(`/reports?workbookId=${copy.id}`)) as {
        items: { name: string; folderId?: number }[];
      };
      return Object.fromEntries(items.map(({ name, folderId }) => [name, folderId ?? "root"]));
    };
    for (const id of [salaries, forecast]) await permit("report", id, "ReportRead");
    const placed = { Orders: own, Salaries: own, Notes: own };
    expect(await foldersOfCopies(inFolder)).toEqual(placed);
    expect(await duplicate(atRoot)).toMatchObject({
      status: 403,
      body: { details: { permission: "ReportEdit" } },
    });
    await permit("folder", finance, "FolderEdit");
    expect(await foldersOfCopies(inFolder)).toEqual({ ...placed, Salaries: finance });
    expect(await foldersOfCopies(atRoot)).toEqual({ Forecast: finance });

    // The limits of a credential also apply.
    const withPermissions = async (...permissions: string[]) => {
      const sent = { body: { name: permissions.join(), permissions } };
      const { body } = await service.send("POST", "/api/v1/api-keys", sent);
      return (body as { token: string }).token;
    };
    expect((await duplicate(atRoot, await withPermissions("WorkbookEdit"))).status).toBe(403);
    const reader = await withPermissions("WorkbookEdit", "ReportRead");
    expect((await duplicate(atRoot, reader)).status).toBe(403);
    const editor = await withPermissions("WorkbookEdit", "ReportEdit");
    expect(await foldersOfCopies(atRoot, editor)).toEqual({ Forecast: "root" });
  });
});

/** Sets a policy on an object for user 2. */
const permit = (resource_type: string, resource_id: number, action: string) =>
  service.db
    .insertInto("resource_policies")
    .values({ resource_type, resource_id, user_id: 2, group_id: null, action })
    .onConflict((on) =>
      on.columns(["resource_type", "resource_id", "user_id"]).doUpdateSet({ action }),
    )
    .execute();

/** Reads a list one item at a time. */
async function inPages(path: string): Promise<string[]> {
  const found: string[] = [];
  let after = "";
  for (let hasNext = true; hasNext;) {
    const page = (await read(`${path}&first=1${after}`)) as Page;
    found.push(...page.items.map(({ name }) => name));
    after = `&after=${page.pageInfo.endCursor}`;
    hasNext = page.pageInfo.hasNextPage;
  }
  return found;
}
