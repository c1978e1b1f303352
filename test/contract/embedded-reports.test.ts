// Charts of an embedded dashboard that show reports: the page gets their queries, which its session could not read.
import { afterAll, beforeAll, expect, it } from "vitest";
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

it("have the query, the title and the chart of the report", async () => {
  const query = { measures: ["orders.count"] };
  const report = await done("POST", "/reports", {
    name: "orders",
    title: "Orders",
    jsonQuery: JSON.stringify(query),
    meta: { chart: "number" },
  });
  const position = { x: 0, y: 0, w: 6, h: 4 };
  const own = { title: "Own", query: { measures: ["orders.total"] } };
  const charts = [
    { reportId: report.id },
    { report: report.publicId, title: "This week", chart: "table" },
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
    { reportId: report.id, query, title: "Orders", chart: "number" },
    { report: report.publicId, query, title: "This week", chart: "table" },
    { reportId: 999_999 },
    own,
  ]);
  expect((await service.send("GET", `${deployment}/reports/${report.id}`, { key })).status).toBe(
    403,
  );
});
