// Tests charts of an embedded dashboard that show reports: the page gets their queries, which its session cannot read
// itself.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embedSessions } from "../support/embed-sessions.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => service.close());

const { setAccess, tokenOf } = embedSessions(() => service);
const deployment = "/api/v1/deployments/1";

async function done(method: string, path: string, body?: object) {
  const answer = await service.send(method, `${deployment}${path}`, { body });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body as { readonly id: number; readonly publicId: string };
}

it("have the query, the title, the chart and the pivot of the report", async () => {
  const query = { measures: ["orders.count"] };
  const pivotItems = { x: ["orders.status"], y: ["orders.region"] };
  const report = await done("POST", "/reports", {
    name: "orders",
    title: "Orders",
    jsonQuery: JSON.stringify(query),
    meta: { chart: "number" },
    pivotItems,
  });
  const position = { x: 0, y: 0, w: 6, h: 4 };
  const own = { title: "Own", query: { measures: ["orders.total"] } };
  const charts = [
    { reportId: report.id },
    { report: report.publicId, title: "This week", chart: "table" },
    { reportId: report.id, chart: "pivot", pivotItems: { x: ["orders.region"] } },
    { reportId: 999_999 },
    own,
  ];
  const widgets = charts.map((config, at) => ({ id: `w${at}`, type: "CHART", position, config }));
  const { id } = await done("POST", "/workbooks", { name: "Sales" });
  const content = { workbookId: id, config: { widgets }, allowEmbed: true };
  const { publicId } = await done("POST", `/workbooks/${id}/publish`, content);
  await setAccess(id, { allEmbedUsers: true, action: "read" });
  const key = await tokenOf({ embedTenantName: "acme-stores" });
  const { body } = await service.send("GET", `/api/v1/embed/dashboard/${publicId}`, { key });
  const { config } = body as { config: { widgets: readonly { config: object }[] } };
  expect(config.widgets.map((widget) => widget.config)).toEqual([
    { reportId: report.id, query, title: "Orders", chart: "number", pivotItems },
    { report: report.publicId, query, title: "This week", chart: "table", pivotItems },
    {
      reportId: report.id,
      query,
      title: "Orders",
      chart: "pivot",
      pivotItems: { x: ["orders.region"] },
    },
    { reportId: 999_999 },
    own,
  ]);
  expect((await service.send("GET", `${deployment}/reports/${report.id}`, { key })).status).toBe(
    403,
  );
});

const position = { x: 0, y: 0, w: 6, h: 4 };
const widgetsOf = (charts: readonly object[]) =>
  charts.map((config, at) => ({ id: `w${at}`, type: "CHART", position, config }));

describe("a report that whoever writes the widget may not read", () => {
  const query = { measures: ["orders.count"] };
  const text = { query: { measures: ["orders.total"] } };
  let users = 0;

  const report = (publicId: string) =>
    done("PUT", `/reports/by-public-id/${publicId}`, { jsonQuery: JSON.stringify(query) });

  /** Creates a user with one policy on an object, and returns its ID and a key. */
  async function userWith(resourceType: string, resourceId: number, action: string) {
    const username = `writer-${++users}`;
    const body = { username, email: `${username}@example.com`, defaultRoles: ["Guest"] };
    const user = await service.send("POST", "/api/v1/users", { body });
    const { id: userId } = user.body as { id: number };
    const created = await service.send("POST", "/api/v1/api-keys", {
      body: { name: username, ownerUserId: userId },
    });
    await allow(userId, resourceType, resourceId, action);
    return { userId, key: (created.body as { token: string }).token };
  }

  async function allow(userId: number, resourceType: string, resourceId: number, action: string) {
    const body = { resourceType, resourceId, userId, action };
    const answer = await service.send("PUT", "/api/v1/resource-policies/user", { body });
    expect(answer.status).toBe(204);
  }

  async function publish(id: number, charts: readonly object[], key?: string) {
    return service.send("POST", `${deployment}/workbooks/${id}/publish`, {
      body: { workbookId: id, config: { widgets: widgetsOf(charts) } },
      ...(key !== undefined && { key }),
    });
  }

  /** Returns the queries that an embedding page gets. */
  async function shownQueries(id: number) {
    await setAccess(id, { allEmbedUsers: true, action: "read", allowEmbed: true });
    const { body: found } = await service.send("GET", `${deployment}/workbooks/${id}`);
    const { publicId } = (found as { publishedDashboard: { publicId: string } }).publishedDashboard;
    const key = await tokenOf({ embedTenantName: "acme-stores" });
    const { body } = await service.send("GET", `/api/v1/embed/dashboard/${publicId}`, { key });
    const { widgets } = (body as { config: { widgets: { config: { query?: object } }[] } }).config;
    return widgets.map(({ config }) => config.query);
  }

  it("is refused in a draft and when it is published, by ID and by public ID", async () => {
    const { id: reportId } = await report("secret000001");
    const { id } = await done("POST", "/workbooks", {});
    const { key } = await userWith("Workbook", id, "WorkbookManage");
    for (const config of [{ reportId }, { report: "secret000001" }]) {
      const refused = await publish(id, [text, config], key);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("w1")]);
      const draft = await service.send("PUT", `${deployment}/workbooks/${id}/dashboard`, {
        body: { config: { widgets: widgetsOf([config]) } },
        key,
      });
      expect(draft.status).toBe(403);
    }
    expect((await publish(id, [text], key)).status).toBe(200);
  });

  it("stays if the dashboard showed it before, and its end breaks no other widget", async () => {
    const { id: reportId } = await report("secret000002");
    const { id } = await done("POST", "/workbooks", {});
    const { key } = await userWith("Workbook", id, "WorkbookManage");
    expect((await publish(id, [{ reportId }])).status).toBe(200);
    expect((await publish(id, [{ report: "secret000002" }, text], key)).status).toBe(200);
    expect(await shownQueries(id)).toEqual([query, text.query]);
    await service.send("DELETE", `${deployment}/reports/${reportId}`);
    expect((await publish(id, [{ reportId }, text], key)).status).toBe(200);
    expect(await shownQueries(id)).toEqual([undefined, text.query]);
    expect((await publish(id, [text], key)).status).toBe(200);
  });

  it("is not shown if it is created later, until the writer may read it", async () => {
    const { id } = await done("POST", "/workbooks", {});
    const { userId, key } = await userWith("Workbook", id, "WorkbookManage");
    expect((await publish(id, [{ report: "secret000003" }, text], key)).status).toBe(200);
    const { id: reportId } = await report("secret000003");
    expect(await shownQueries(id)).toEqual([undefined, text.query]);
    await allow(userId, "Report", reportId, "ReportRead");
    expect(await shownQueries(id)).toEqual([query, text.query]);
  });

  it("is shown if an administrator named it before it was created", async () => {
    const { id } = await done("POST", "/workbooks", {});
    expect((await publish(id, [{ report: "secret000004" }])).status).toBe(200);
    await report("secret000004");
    expect(await shownQueries(id)).toEqual([query]);
  });

  it("does not get into a duplicate", async () => {
    const { id: reportId } = await report("secret000005");
    const folder = await done("POST", "/folders", { name: "Own" });
    const { id } = await done("POST", "/workbooks", { folderId: folder.id });
    const { userId, key } = await userWith("Folder", folder.id, "FolderManage");
    expect((await publish(id, [{ reportId }])).status).toBe(200);
    const duplicate = () =>
      service.send("POST", `${deployment}/workbooks/${id}/duplicate`, { key });
    const refused = await duplicate();
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("w0")]);
    await allow(userId, "Report", reportId, "ReportRead");
    const copy = await duplicate();
    expect([copy.status, copy.text]).toEqual([200, expect.any(String)]);
    expect(await shownQueries((copy.body as { id: number }).id)).toEqual([query]);
  });

  it("is not shown because another user publishes, changes or duplicates what names it", async () => {
    const folder = await done("POST", "/folders", { name: "Team" });
    const { id } = await done("POST", "/workbooks", { folderId: folder.id });
    const { key } = await userWith("Folder", folder.id, "FolderManage");
    const draft = (charts: readonly object[], by?: string) =>
      service.send("PUT", `${deployment}/workbooks/${id}/dashboard`, {
        body: { config: { widgets: widgetsOf(charts) } },
        ...(by !== undefined && { key: by }),
      });
    const publishDraft = () =>
      service.send("POST", `${deployment}/workbooks/${id}/publish`, { body: { workbookId: id } });
    const named = [{ report: "secret000006" }];
    expect((await draft(named, key)).status).toBe(200);
    // The name does not refer to a report yet, and an administrator who keeps it does not thereby permit showing it.
    expect((await draft([...named, text])).status).toBe(200);
    expect((await publishDraft()).status).toBe(200);
    await report("secret000006");
    expect(await shownQueries(id)).toEqual([undefined, text.query]);
    const kept = () => draft(named);
    const duplicate = () => service.send("POST", `${deployment}/workbooks/${id}/duplicate`, {});
    for (const act of [publishDraft, kept, duplicate]) {
      const { status, text: answer } = await act();
      expect([status, answer]).toEqual([403, expect.stringMatching(/w0.*whoever wrote/u)]);
    }
    expect(await shownQueries(id)).toEqual([undefined, text.query]);
    // The author of the widget shows the report with their own rights.
    expect((await publish(id, [{ report: "secret000006", title: "Secret" }])).status).toBe(200);
    expect(await shownQueries(id)).toEqual([query]);
  });

  it("is shown with the rights of whoever named it, although another user changed the title", async () => {
    const { id } = await done("POST", "/workbooks", {});
    const { key } = await userWith("Workbook", id, "WorkbookManage");
    const named = { report: "secret000007" };
    expect((await publish(id, [named])).status).toBe(200);
    expect((await publish(id, [{ ...named, title: "Better" }, text], key)).status).toBe(200);
    await report("secret000007");
    expect(await shownQueries(id)).toEqual([query, text.query]);
  });
});
