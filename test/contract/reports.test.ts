// Reports: public IDs, versions, connected workbooks, the order of lists; and copies of workbooks.
import { createHash } from "node:crypto";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultSchema } from "../../service/store/stores.ts";
import { createTestDatabase, onPostgres } from "../support/test-database.ts";
import { startService, type TestService } from "../support/test-service.ts";

const base = "/api/v1/deployments/1";
const reports = `${base}/reports`;

let service: TestService;
beforeEach(async () => {
  service = await startService();
});
afterEach(async () => service.close());

interface Report {
  readonly id: number;
  readonly publicId: string;
  readonly name: string;
  readonly version: number;
}

const send = (method: string, path: string, body?: object) => service.send(method, path, { body });
async function create(body: object): Promise<Report> {
  const answer = await send("POST", reports, body);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body as Report;
}
const put = (id: number, body: object) => send("PUT", `${reports}/${id}`, body);
const read = async (id: number) => (await send("GET", `${reports}/${id}`)).body;
const names = async (query: string) =>
  ((await send("GET", `${reports}?${query}`)).body as { items: Report[] }).items.map(
    ({ name }) => name,
  );
const workbook = async (body: object) =>
  ((await send("POST", `${base}/workbooks`, body)).body as Report).id;

describe("a report", () => {
  it("has a definition, equal for reports that show the same", async () => {
    const shown = { jsonQuery: '{"measures":["orders.count"]}', meta: { b: 1, a: 2 } };
    const one = await create({ name: "Orders", ...shown, resultChecksum: "x" });
    const folder = (await send("POST", `${base}/folders`, { name: "Sales" })).body as Report;
    const other = await create({ name: "Orders", ...shown, folderId: folder.id });
    const definitionOf = async (id: number) =>
      (await send("GET", `${reports}/${id}/definition`)).body as Record<string, unknown>;
    const definition =
      '{"jsonQuery":"{\\"measures\\":[\\"orders.count\\"]}","meta":{"a":2,"b":1},"name":"Orders"}';
    const sha256 = createHash("sha256").update(definition).digest("hex");
    expect(await definitionOf(one.id)).toEqual({ definition, sha256, version: 1 });
    expect(await definitionOf(other.id)).toEqual({ definition, sha256, version: 1 });
    await put(other.id, { title: "All" });
    const changed = await definitionOf(other.id);
    expect(changed).toMatchObject({ version: 2 });
    expect(changed["sha256"]).not.toBe(sha256);
  });

  it("has a query that cannot be checked before the first build, which no client retries", async () => {
    const jsonQuery = '{"measures":["orders.count"]}';
    const deployment = (
      await send("POST", "/build/api/v1/deployments", {
        name: "new",
        region: "aws-us-east-1",
        creationMethod: "github",
      })
    ).body as Report;
    const path = `/api/v1/deployments/${deployment.id}/reports/check-query`;
    const { status, body } = await send("POST", path, { jsonQuery });
    expect([status, body]).toEqual([200, { unknown: "the environment serves no build yet" }]);
  });

  it("changes only in the given fields; an empty value clears a field", async () => {
    const { id } = await create({
      name: "Orders",
      title: "All orders",
      sqlQuery: "SELECT 1",
      pivotItems: { x: ["a"] },
      meta: { team: "sales" },
      host: "excel",
    });
    const changed = await put(id, { name: "Sales", title: "", pivotItems: {}, meta: {} });
    expect(changed.body).toMatchObject({
      name: "Sales",
      meta: {},
      sqlQuery: "SELECT 1",
      version: 2,
    });
    for (const name of ["title", "pivotItems"]) expect(changed.body).not.toHaveProperty(name);
    expect(await read(id)).toMatchObject({
      host: "excel",
      user: { id: 1 },
      refreshedByUser: { id: 1 },
    });
    const spreadsheet = {
      host: "sheets",
      externalWorkbookId: "book",
      resultLocation: "A1",
      endResultCell: "C9",
      sheetId: "first",
      workbookName: "Numbers",
      resultChecksum: "x",
    };
    expect((await put(id, spreadsheet)).body).toMatchObject(spreadsheet);
    const texts = Object.keys(spreadsheet);
    const emptied = await put(id, Object.fromEntries(texts.map((name) => [name, ""])));
    expect([emptied.status, emptied.text]).toEqual([200, emptied.text]);
    for (const name of texts) expect(emptied.body).not.toHaveProperty(name);
    expect((await put(id, { publicId: "abcdefghijkl" })).status).toBe(400);
    expect((await put(id, { source: "EXCEL" })).status).toBe(400);
    expect((await put(id, { folderId: 99 })).status).toBe(400);
  });

  it("is not changed by a client that read another version", async () => {
    const { id } = await create({ name: "Orders" });
    expect((await put(id, { name: "first", expectedVersion: 1 })).status).toBe(200);
    const late = await put(id, { name: "second", expectedVersion: 1 });
    expect([late.status, late.body]).toEqual([
      409,
      expect.objectContaining({ code: "conflict", message: expect.stringContaining("version 2") }),
    ]);
    expect(await read(id)).toMatchObject({ name: "first" });
    const { body } = await send("POST", `${base}/folders`, { name: "Sales" });
    const folderId = (body as Report).id;
    expect((await put(id, { folderId })).body).toMatchObject({ folderId, version: 3 });
    await send("DELETE", `${base}/folders/${folderId}`);
    expect((await put(id, { name: "third", expectedVersion: 3 })).status).toBe(409);
  });

  it("is created or updated by its public ID, which belongs to one deployment", async () => {
    const path = `${reports}/by-public-id/orders000001`;
    const upsert = (body: object) => send("PUT", path, body);
    expect((await upsert({ name: "Orders", expectedVersion: 1 })).status).toBe(409);
    const created = (await upsert({ name: "Orders", source: "EXCEL" })).body as Report;
    expect((await upsert({ title: "All" })).body).toMatchObject({
      id: created.id,
      name: "Orders",
      title: "All",
      version: 2,
    });
    expect((await upsert({ source: "EXCEL" })).status).toBe(200);
    expect((await upsert({ source: "D3" })).status).toBe(400);
    expect((await send("POST", reports, { publicId: "orders000001" })).status).toBe(409);
    const other = await send("POST", "/build/api/v1/deployments", {
      name: "other",
      region: "aws-us-east-1",
    });
    const otherReports = `/api/v1/deployments/${(other.body as Report).id}/reports`;
    expect((await send("PUT", `${otherReports}/by-public-id/orders000001`, {})).status).toBe(409);
    expect((await send("GET", `${otherReports}/${created.id}`)).status).toBe(404);
    expect((await send("PUT", `${reports}/by-public-id/short`, {})).status).toBe(400);
  });

  it("remembers who refreshed it, without a new version", async () => {
    const { id } = await create({ name: "Orders" });
    const key = await service.key({ admin: false });
    await send("PUT", "/api/v1/users/2", { defaultRoles: ["AIBIUser"] });
    const path = `${reports}/${id}/refresh`;
    const refreshed = await service.send("PUT", path, { key, body: { resultChecksum: "c1" } });
    expect(refreshed.body).toMatchObject({
      resultChecksum: "c1",
      version: 1,
      refreshedByUser: { id: 2 },
      user: { id: 1 },
    });
  });

  it("is connected to a workbook of its deployment, and outlives it", async () => {
    const { id } = await create({ name: "Orders" });
    const workbookId = await workbook({ name: "Figures" });
    const path = `${reports}/${id}/connect-workbook`;
    expect((await send("PUT", path, { workbookId })).body).toMatchObject({ workbookId });
    expect((await send("PUT", path, { workbookId: 99 })).status).toBe(400);
    expect(await names(`workbookId=${workbookId}`)).toEqual(["Orders"]);
    await send("DELETE", path);
    expect(await read(id)).not.toHaveProperty("workbookId");
    await send("PUT", path, { workbookId });
    await send("DELETE", `${base}/workbooks/${workbookId}`);
    expect(await read(id)).not.toHaveProperty("workbookId");
  });

  it("shows its folder to whoever can read it", async () => {
    const folder = async (name: string) =>
      ((await send("POST", `${base}/folders`, { name })).body as Report).id;
    const [first, second] = [await folder("First"), await folder("Second")];
    await folder("Empty");
    const { id } = await create({ name: "Orders", folderId: first });
    await create({ name: "Sales", folderId: second });
    await create({ name: "At the root" });
    const folders = async (key = service.adminKey) => {
      const { body } = await service.send("GET", `${base}/report-folders`, { key });
      return (body as { items: Report[] }).items.map(({ name }) => name);
    };
    expect(await folders()).toEqual(["Second", "First"]);
    const guest = { username: "guest", email: "guest@example.com", defaultRoles: ["Guest"] };
    const { id: userId } = (await send("POST", "/api/v1/users", guest)).body as Report;
    await send("PUT", "/api/v1/resource-policies/user", {
      resourceType: "Report",
      resourceId: id,
      userId,
      action: "ReportRead",
    });
    const created = await send("POST", "/api/v1/api-keys", { name: "guest", ownerUserId: userId });
    expect(await folders((created.body as { token: string }).token)).toEqual(["First"]);
  });

  it("is listed by name or time, found by part of its name, and moved in the workspace", async () => {
    const folder = (await send("POST", `${base}/folders`, { name: "Sales" })).body as Report;
    const { id } = await create({ name: "beta" });
    await create({ name: "Alpha", folderId: folder.id, externalWorkbookId: "sheet" });
    await create({ name: "gamma" });
    expect(await names("")).toEqual(["gamma", "Alpha", "beta"]);
    expect(await names("sortBy=name")).toEqual(["Alpha", "beta", "gamma"]);
    expect(await names("sortBy=name&sortDirection=DESC&first=1")).toEqual(["gamma"]);
    expect(await names("sortBy=createdAt&limit=1&offset=1")).toEqual(["Alpha"]);
    expect(await names("search=A&sortBy=name")).toEqual(["Alpha", "beta", "gamma"]);
    const { publicId } = (await read(id)) as Report;
    expect(await names(`search=${publicId}`)).toEqual(["beta"]);
    expect(await names("externalWorkbookId=sheet")).toEqual(["Alpha"]);
    const move = { type: "REPORT", id, folderId: folder.id };
    await send("POST", `${base}/workspace/move`, move);
    expect(await names(`folderId=${folder.id}&sortBy=name`)).toEqual(["Alpha", "beta"]);
    const inFolder = (await send("GET", `${base}/workspace?folderId=${folder.id}`)).body;
    expect(inFolder).toMatchObject({ items: [{ type: "REPORT" }, { name: "beta" }] });
    await send("DELETE", `${base}/folders/${folder.id}`);
    expect(await read(id)).not.toHaveProperty("folderId");
  });
});

describe("the copy of a workbook", () => {
  it("has copies of the dashboards and reports, and shares nothing", async () => {
    const folder = (await send("POST", `${base}/folders`, { name: "Sales" })).body as Report;
    const workbookId = await workbook({ name: "Figures", folderId: folder.id, meta: { a: 1 } });
    await send("PUT", `${base}/workbooks/${workbookId}`, { slug: "figures" });
    const report = await create({ name: "Orders", workbookId, publicId: "orders000001" });
    const widget = {
      id: "chart",
      type: "CHART",
      position: { x: 0, y: 0, w: 1, h: 1 },
      config: { reportId: report.id, report: report.publicId, rows: report.id },
    };
    await send("POST", `${base}/workbooks/${workbookId}/publish`, {
      workbookId,
      config: { title: "Figures", widgets: [widget] },
      allowEmbed: true,
    });
    const answer = await send("POST", `${base}/workbooks/${workbookId}/duplicate`);
    const copy = answer.body as Report & {
      publishedDashboard: {
        publicId: string;
        allowEmbed: boolean;
        config: { widgets: [{ config: object }] };
      };
    };
    expect(copy).toMatchObject({ name: "Figures copy", folderId: folder.id, meta: { a: 1 } });
    expect(copy).not.toHaveProperty("slug");
    const found = await send("GET", `${reports}?workbookId=${copy.id}`);
    const [own] = (found.body as { items: Report[] }).items;
    expect(own).toMatchObject({ name: "Orders", version: 1 });
    expect([own?.id, own?.publicId]).not.toContain(report.publicId);
    expect(copy.publishedDashboard.allowEmbed).toBe(false);
    expect(copy.publishedDashboard.config.widgets[0].config).toEqual({
      reportId: own?.id,
      report: own?.publicId,
      rows: report.id,
    });
  });
});

describe.runIf(onPostgres)("an upsert beside another server", () => {
  const publicId = "AbCdEfGh1234";
  const changed = { status: 409, body: { code: "upsert_branch_changed" } };
  const columns = "deployment_id, name, name_key, meta, created_at, updated_at";
  const values =
    "1, 'Other', 'other', '{}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'";

  it("says that it must be sent again if the other one created or deleted the object", async () => {
    const place = await createTestDatabase();
    const shared = await startService(place);
    const other = new Client({ connectionString: place.data });
    await other.connect();
    try {
      /** Sends a request while the other server writes, and returns its answer. */
      const beside = async (statement: string, path: string) => {
        await other.query(`begin; set local search_path to ${defaultSchema}; ${statement}`);
        const sent = shared.send("PUT", `${base}${path}`, { body: { name: "Sales" } });
        await new Promise((resolve) => setTimeout(resolve, 500));
        await other.query("commit");
        return sent;
      };
      const slug = `insert into workbooks (slug, ${columns}) values ('sales', ${values})`;
      expect(await beside(slug, "/workbooks/by-slug/sales")).toMatchObject(changed);
      const report = `insert into reports (public_id, version, ${columns}) values ('${publicId}', 1, ${values})`;
      const path = `/reports/by-public-id/${publicId}`;
      expect(await beside(report, path)).toMatchObject(changed);
      const drop = `delete from reports where public_id = '${publicId}'`;
      expect(await beside(drop, path)).toMatchObject(changed);
      expect(await beside("select 1", path)).toMatchObject({ status: 200 });
    } finally {
      await other.end();
      await shared.close();
      await place.drop();
    }
  });
});
