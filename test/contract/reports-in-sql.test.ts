// Tests charts of reports in SQL: pages, exports and mails query what the statement asks for, with the rights of whoever
// views them.
import { request } from "undici";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { readPdf } from "../support/read-pdf.ts";
import { partsOf, startSmtpServer, type TestSmtpServer } from "../support/smtp-server.ts";
import {
  type DashboardService,
  deployment,
  publish,
  startDashboardService,
} from "./dashboard-service.ts";

let smtp: TestSmtpServer;
let service: DashboardService;
let time = Date.parse("2026-03-02T05:00:00.000Z");
let board: Awaited<ReturnType<typeof publish>>;
beforeAll(async () => {
  smtp = await startSmtpServer();
  const from = "Reports <reports@example.com>";
  const options = { url: smtp.url, from, password: undefined };
  service = await startDashboardService({ now: () => time, smtp: options });
  await service.done("POST", "/api/v1/user-groups", { name: "north" });
  const reports: unknown[] = [];
  for (const [name, sqlQuery] of Object.entries(statements)) {
    const { id } = await service.done("POST", `${deployment}/reports`, { name, sqlQuery });
    reports.push(id);
  }
  const widgets = reports.map((reportId, at) => ({
    id: `w${at}`,
    type: "CHART",
    position: { x: 0, y: 4 * at, w: 12, h: 4 },
    config: { reportId, chart: "table" },
  }));
  board = await publish(service, { title: "In SQL", widgets });
  await service.done("PUT", `${deployment}/workbooks/${board.workbookId}/embed-access`, {
    allEmbedUsers: true,
    action: "read",
    allowEmbed: true,
  });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

const statements = {
  Regions:
    "SELECT region, MEASURE(total) AS revenue FROM orders WHERE status = 'paid' GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
  Months:
    "SELECT date_trunc('month', created_at), MEASURE(count) FROM orders WHERE created_at >= '2026-01-06' AND created_at < '2026-02-01' GROUP BY 1",
  Unknown: "SELECT color, MEASURE(profit) FROM items GROUP BY 1",
};

async function sessionToken(): Promise<string> {
  const created = await service.done("POST", "/api/v1/embed/generate-session", {
    deploymentId: 1,
    externalId: "jane",
    embedTenantName: "acme-inc",
    groups: ["north"],
    roles: ["AIBIUser"],
  });
  return String((await service.done("POST", "/api/v1/embed/session/token", created))["token"]);
}

interface Shown {
  readonly config: { readonly widgets: readonly { readonly config: Record<string, unknown> }[] };
}

it("a page gets their queries, and the reason where there is none", async () => {
  const key = await sessionToken();
  const { body } = await service.as(key).send("GET", `/api/v1/embed/dashboard/${board.publicId}`);
  const [regions, months, unknown] = (body as unknown as Shown).config.widgets.map(
    ({ config }) => config,
  );
  expect(regions?.["query"]).toEqual({
    measures: ["orders.total"],
    dimensions: ["orders.region"],
    segments: [],
    timeDimensions: [],
    filters: [{ member: "orders.status", operator: "equals", values: ["paid"] }],
    order: [["orders.total", "desc"]],
    limit: 5,
  });
  expect(months?.["query"]).toEqual({
    measures: ["orders.count"],
    dimensions: [],
    segments: [],
    timeDimensions: [
      {
        dimension: "orders.created_at",
        granularity: "month",
        dateRange: ["2026-01-06T00:00:00.000", "2026-01-31T23:59:59.999"],
      },
    ],
    filters: [],
  });
  expect([unknown?.["query"], unknown?.["queryRefusal"]]).toEqual([
    undefined,
    { isForbidden: false, message: expect.stringContaining("'profit' not found") },
  ]);
});

it("a session of another branch has their queries by the data model of that branch", async () => {
  const branchName = await service.enter();
  const { id } = await service.done("POST", `${deployment}/reports`, {
    name: "Areas",
    sqlQuery: "SELECT area, MEASURE(total) FROM areas GROUP BY 1",
  });
  const file =
    "cubes: [{ name: areas, sql_table: orders, dimensions: [{ name: area, sql: region, type: string }], measures: [{ name: total, type: sum, sql: amount }] }]";
  await service.put(file, "model/areas.yml");
  expect(await service.buildEnded(branchName)).toMatchObject({ status: "built" });
  const chart = { id: "areas", type: "CHART", position: { x: 0, y: 0, w: 12, h: 4 } };
  const { publicId, workbookId } = await publish(service, {
    title: "Areas",
    widgets: [{ ...chart, config: { reportId: id, chart: "table" } }],
  });
  await service.done("PUT", `${deployment}/workbooks/${workbookId}/embed-access`, {
    allEmbedUsers: true,
    action: "read",
    allowEmbed: true,
  });
  const queryOf = async (more: object) => {
    const session = await service.done("POST", "/api/v1/embed/generate-session", {
      deploymentId: 1,
      externalId: "jane",
      roles: ["AIBIUser"],
      ...more,
    });
    const { body } = await service.as("").send("POST", "/api/v1/embed/session/token", {
      ...session,
      dashboardPublicId: publicId,
    });
    const { dashboard } = body as { dashboard: { config: { widgets: { config: object }[] } } };
    return dashboard.config.widgets[0]?.config;
  };
  expect(await queryOf({ branchName })).toMatchObject({ query: { dimensions: ["areas.area"] } });
  expect(await queryOf({})).toHaveProperty("queryRefusal");
});

it("a session runs what they ask for with its rows, and nothing else of the model", async () => {
  const token = await sessionToken();
  const load = async (query: object) => {
    const answer = await fetch(`${service.url}/deployments/main/svcjs-api/v1/load`, {
      method: "POST",
      headers: { authorization: token, "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    return (await answer.json()) as { readonly data?: unknown; readonly error?: string };
  };
  const query = { measures: ["orders.total"], dimensions: ["orders.region"] };
  expect(await load(query)).toMatchObject({
    data: [{ "orders.region": "north", "orders.total": "31" }],
  });
  expect((await load({ measures: ["items.cost"] })).error).toContain("hidden member");
});

it("an export draws them with the rows of its caller, and says what is wrong", async () => {
  const pages = `${deployment}/dashboard-exports`;
  const texts = async (key: string) => {
    const as = service.as(key);
    const body = { dashboardPublicId: board.publicId, format: "pdf" };
    const started = await as.send("POST", pages, body);
    const { jobId } = started.body as { jobId: string };
    await vi.waitFor(
      async () => {
        const { body: job } = await as.send("GET", `${pages}/${jobId}`);
        expect(job).toMatchObject({ status: "completed" });
      },
      { timeout: 60_000, interval: 50 },
    );
    const file = await request(`${service.url}${pages}/${jobId}/download`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const pdf = readPdf(Buffer.from(await file.body.arrayBuffer()));
    return pdf.pages.flatMap((page) => page.texts).join(" ");
  };
  const everything = await texts(service.adminKey);
  expect(everything).toMatch(/south 300 north 11/u);
  expect(everything).toContain("'profit' not found");
  const own = await texts(await sessionToken());
  expect(own).toMatch(/north 11/u);
  expect(own).not.toContain("south");
});

it("a mail has the rows of its recipient", async () => {
  const path = `${deployment}/notifications`;
  const body = { dashboardId: board.dashboardId, scheduleType: "DAILY", hour: 9 };
  const { id } = await service.done("POST", path, body);
  const recipient = {
    type: "EMBED_USER",
    embedTenantName: "acme-inc",
    externalId: "a@example.com",
    groups: ["north"],
  };
  await service.done("POST", `${path}/${String(id)}/recipients`, { recipients: [recipient] });
  time = Date.parse("2026-03-02T09:00:05.000Z");
  await service.accounts[0]?.runDeliveries();
  const text = partsOf(smtp.mails[0]?.raw ?? "", "text/plain")[0]?.toString() ?? "";
  expect(text).toMatch(/north\D+11/u);
  expect(text).not.toContain("south");
});

it("a check says whether production can answer one", async () => {
  const check = (sqlQuery: string) =>
    service.done("POST", `${deployment}/reports/check-query`, { sqlQuery });
  expect(await check(statements.Regions)).toEqual({});
  expect(await check(statements.Unknown)).toEqual({
    error: expect.stringContaining("'profit' not found"),
  });
});
