// Data models that read COMPILE_CONTEXT: each caller of the data API has the model of its security context.
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readPdf } from "../support/read-pdf.ts";
import { partsOf, startSmtpServer, type TestSmtpServer } from "../support/smtp-server.ts";
import { deployment, publish } from "./dashboard-service.ts";
import { type ModelService, startModelService, uploadModelFile } from "./data-model-service.ts";

type Json = Readonly<Record<string, unknown>>;

const template = `{% set tenant = COMPILE_CONTEXT.securityContext.tenant %}
cubes:
  - name: orders
    sql: SELECT * FROM orders WHERE tenant = {% if tenant == "acme" %}'acme'{% elif tenant == "other" %}'other'{% else %}'none'{% endif %}

    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
{%- for name in COMPILE_CONTEXT.securityContext.columns | default([]) %}
      - { name: {{ name }}, sql: {{ name }}, type: string }
{%- endfor %}
    measures: [{ name: count, type: count }]
    pre_aggregations: [{ name: main, measures: [count] }]
`;
const script = `const { tenant } = COMPILE_CONTEXT.securityContext;
const tenants = ["acme", "other"];
cube("invoices", {
  sql: \`SELECT * FROM orders WHERE tenant = '\${tenants.includes(tenant) ? tenant : "none"}'\`,
  measures: {
    count: { type: "count" },
    ...(tenant === "acme" && { total: { type: "sum", sql: "amount" } }),
  },
  title: tenant === "broken" ? 1 : "Invoices",
});
`;
const seeds = "id,tenant,amount,city\n1,acme,1,Rome\n2,acme,2,Oslo\n3,other,4,Bern\n";

const statement = "SELECT MEASURE(total) AS revenue FROM invoices";

let smtp: TestSmtpServer;
let service: ModelService;
let time = Date.parse("2026-03-02T05:00:00.000Z");
let board: Awaited<ReturnType<typeof publish>>;

async function upload(files: Readonly<Record<string, string>>): Promise<void> {
  const id = await service.start();
  for (const [path, content] of Object.entries(files))
    await uploadModelFile({ url: service.url, key: service.adminKey }, { id, path, content });
  await service.finish(id, files);
  expect(await service.buildEnded()).toMatchObject({ status: "built" });
}

const project = {
  "model/orders.yml": template,
  "model/invoices.js": script,
  "seeds/orders.csv": seeds,
};

beforeAll(async () => {
  smtp = await startSmtpServer();
  const mail = { url: smtp.url, from: "Reports <reports@example.com>", password: undefined };
  service = await startModelService({ now: () => time, smtp: mail });
  await upload(project);
  await service.done("PUT", "/api/v1/app-config", { embedding: { queryScope: "model" } });
  const report = { name: "Revenue", sqlQuery: statement };
  const { id } = await service.done("POST", `${deployment}/reports`, report);
  const chart = (at: number, config: object) => ({
    id: `w${at}`,
    type: "CHART",
    position: { x: 0, y: 4 * at, w: 12, h: 4 },
    config: { chart: "table", ...config },
  });
  const widgets = [chart(0, { query: orders }), chart(1, { reportId: id })];
  board = await publish(service, { title: "Own", widgets });
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

async function tokenOf(security_context: object): Promise<string> {
  const environments = `${deployment}/environments`;
  const { items } = await service.done("GET", `${environments}?type=production`);
  const [{ id } = { id: "" }] = items as { id: string }[];
  const path = `${environments}/${id}/tokens`;
  const created = await service.done("POST", path, { security_context });
  return String((created["data"] as Json)["token"]);
}

async function sessionOf(more: object): Promise<string> {
  const session = { deploymentId: 1, externalId: "viewer", roles: ["AIBIUser"], ...more };
  const opened = await service.done("POST", "/api/v1/embed/generate-session", session);
  return String((await service.done("POST", "/api/v1/embed/session/token", opened))["token"]);
}

async function ask(path: string, token: string, query?: object): Promise<[number, Json]> {
  const more = query ? `?query=${encodeURIComponent(JSON.stringify(query))}` : "";
  const response = await fetch(`${service.url}/deployments/main/svcjs-api/v1${path}${more}`, {
    headers: { authorization: token },
  });
  return [response.status, (await response.json()) as Json];
}

async function rowsOf(token: string, query: object): Promise<unknown> {
  for (;;) {
    const [, { data, error }] = await ask("/load", token, query);
    if (error !== "Continue wait") return data ?? error;
  }
}

async function membersOf(token: string): Promise<unknown> {
  const [, { cubes }] = await ask("/meta", token);
  return (cubes as Json[]).flatMap(({ measures, dimensions }) =>
    [...(measures as Json[]), ...(dimensions as Json[])].map(({ name }) => name),
  );
}

const orders = { measures: ["orders.count"] };
const invoices = { measures: ["invoices.count"] };
const total = { measures: ["invoices.total"] };

describe("each security context has its own model", () => {
  test("with its rows and members, in both languages, also for requests at once", async () => {
    const acme = await tokenOf({ tenant: "acme", columns: ["city"] });
    const other = await tokenOf({ tenant: "other" });
    const none = await tokenOf({});
    const counts = (token: string) => Promise.all([rowsOf(token, orders), rowsOf(token, invoices)]);
    const all = await Promise.all([acme, other, none, acme, none, other].map(counts));
    const of = (count: string) => [[{ "orders.count": count }], [{ "invoices.count": count }]];
    expect(all).toEqual(["2", "1", "0", "2", "0", "1"].map(of));
    expect(await rowsOf(acme, total)).toEqual([{ "invoices.total": "3" }]);
    expect(await rowsOf(other, total)).toContain("'total' not found for path 'invoices.total'");
    expect(await membersOf(acme)).toEqual([
      "orders.count",
      "orders.city",
      "invoices.count",
      "invoices.total",
    ]);
    expect(await membersOf(other)).toEqual(["orders.count", "invoices.count"]);
  });

  test("also in SQL and in the interpretation of queries", async () => {
    const acme = await tokenOf({ tenant: "acme" });
    const other = await tokenOf({ tenant: "other" });
    const statuses = async (token: string) => [
      (await ask("/dry-run", token, total))[0],
      (await (await sqlText(token, "SELECT MEASURE(total) FROM invoices")).text()).includes("3"),
    ];
    expect(await statuses(acme)).toEqual([200, true]);
    expect(await statuses(other)).toEqual([400, false]);
  });

  const sqlText = (authorization: string, query: string) =>
    fetch(`${service.url}/deployments/main/svcjs-api/v1/cubesql`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });

  test("and uses no pre-aggregation", async () => {
    const path = "/build/api/v1/deployments/1/data-model/validate";
    const report = await service.done("GET", path);
    const reason = expect.stringContaining("all callers share stored rows");
    expect(report).toMatchObject({
      preAggregations: [{ name: "orders.main", usable: false, reason }],
    });
    expect((report["warnings"] as Json[]).map(({ code }) => code)).toContain("compile-context");
  });
});

describe("charts of dashboards", () => {
  const queriesOf = async (key: string) => {
    const path = `/api/v1/embed/dashboard/${board.publicId}`;
    const { config } = await service.as(key).done("GET", path);
    const { widgets } = config as { widgets: { config: Json }[] };
    return widgets.map((one) => JSON.stringify(one.config["query"] ?? one.config["queryRefusal"]));
  };

  test("on pages have the queries of the viewer's model", async () => {
    const own = await queriesOf(await sessionOf({ securityContext: { tenant: "acme" } }));
    expect(own[1]).toContain("invoices.total");
    const other = await queriesOf(await sessionOf({ securityContext: { tenant: "other" } }));
    expect(other[1]).toContain("'total' not found");
    const broken = await queriesOf(await sessionOf({ securityContext: { tenant: "broken" } }));
    expect(broken[1]).toContain("does not compile for the security context");
  });

  test("in exports have the rows of the viewer", async () => {
    const pages = `${deployment}/dashboard-exports`;
    const textOf = async (tenant: string) => {
      const key = await sessionOf({ securityContext: { tenant } });
      const as = service.as(key);
      const { jobId } = await as.done("POST", pages, {
        dashboardPublicId: board.publicId,
        format: "pdf",
      });
      const ended = async () =>
        expect((await as.send("GET", `${pages}/${String(jobId)}`)).body).toMatchObject({
          status: "completed",
        });
      await vi.waitFor(ended, { timeout: 60_000, interval: 50 });
      const file = await request(`${service.url}${pages}/${String(jobId)}/download`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const pdf = readPdf(Buffer.from(await file.body.arrayBuffer()));
      return pdf.pages.flatMap((page) => page.texts).join(" ");
    };
    expect(await textOf("acme")).toMatch(/2 .*3/u);
    const other = await textOf("other");
    expect(other).toMatch(/1 /u);
    expect(other).toContain("'total' not found");
  });

  test("in mails have the rows of each recipient", async () => {
    const path = `${deployment}/notifications`;
    const body = { dashboardId: board.dashboardId, scheduleType: "DAILY", hour: 9 };
    const { id } = await service.done("POST", path, body);
    // The session creates the tenant of the recipients.
    await sessionOf({ externalId: "first", embedTenantName: "acme-inc" });
    const recipients = ["acme", "other"].map((tenant) => ({
      type: "EMBED_USER",
      embedTenantName: "acme-inc",
      externalId: `${tenant}@example.com`,
      securityContext: { tenant },
    }));
    await service.done("POST", `${path}/${String(id)}/recipients`, { recipients });
    time = Date.parse("2026-03-02T09:00:05.000Z");
    await service.accounts[0]?.runDeliveries();
    const textTo = (name: string) => {
      const found = smtp.mails.find(({ raw }) => raw.includes(`${name}@example.com`));
      return partsOf(found?.raw ?? "", "text/plain")[0]?.toString() ?? "";
    };
    expect(textTo("acme")).toMatch(/\b2\b[^]*\b3\b/u);
    expect(textTo("other")).toMatch(/\b1\b/u);
  });
});

test("a check of a report has the model of whoever edits it", async () => {
  const check = () =>
    service.done("POST", `${deployment}/reports/check-query`, { sqlQuery: statement });
  const { id } = await service.done("GET", "/api/v1/users/me");
  const setContext = (securityContext: object | null) =>
    service.done("PUT", `/api/v1/users/${String(id)}`, { securityContext });
  expect(await check()).toEqual({ error: expect.stringContaining("'total' not found") });
  await setContext({ tenant: "acme" });
  expect(await check()).toEqual({});
  await setContext({ tenant: "broken" });
  expect(await check()).toEqual({ unknown: expect.stringContaining("does not compile") });
  await setContext(null);
});

test("a context with errors answers with their place, and the logs have the reason", async () => {
  const token = await tokenOf({ tenant: "broken" });
  for (const [path, query] of [["/load", orders], ["/meta"]] as const) {
    const [status, { error }] = await ask(path, token, query);
    expect([status, error]).toEqual([
      400,
      expect.stringMatching(/error in model\/invoices\.js:9:10; developers/u),
    ]);
  }
  expect(await rowsOf(await tokenOf({ tenant: "acme" }), orders)).toEqual([
    { "orders.count": "2" },
  ]);
  const { items } = await service.done("GET", `${deployment}/logs`);
  const messages = (items as Json[]).map(({ message }) => message);
  expect(messages).toContainEqual(expect.stringMatching(/invoices\.js:9:10: title must be /u));
});

test("a user of the account without a context has the model of an empty one, an external user none", async () => {
  const created = await service.done("POST", "/api/v1/deployments/1/token", {});
  expect(await rowsOf(String(created["svcApiToken"]), orders)).toEqual([{ "orders.count": "0" }]);
  expect(await rowsOf(await sessionOf({}), orders)).toContain(
    "the external user has no security context",
  );
  const securityContext = { tenant: "other" };
  expect(await rowsOf(await sessionOf({ securityContext }), orders)).toEqual([
    { "orders.count": "1" },
  ]);
});

test("a new build replaces the models of all contexts", async () => {
  const token = await tokenOf({ tenant: "acme" });
  expect(await rowsOf(token, orders)).toEqual([{ "orders.count": "2" }]);
  await upload({ ...project, "model/orders.yml": template.replace("'acme'", "'other'") });
  expect(await rowsOf(token, orders)).toEqual([{ "orders.count": "1" }]);
});
