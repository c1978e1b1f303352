// Tests that sessions of external users query only members of the dashboards that they may view, unless the account
// opens the data model.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deployment, publish, startDashboardService } from "../contract/dashboard-service.ts";
import type { DashboardService } from "../contract/dashboard-service.ts";

let service: DashboardService;
let publicId: string;
let other: string;
beforeAll(async () => {
  service = await startDashboardService();
  const query = (await report()).id;
  const charts = [
    { id: "own", type: "CHART", config: { query: { measures: ["tenants.revenue"] } } },
    { id: "report", type: "CHART", config: { reportId: query } },
    { id: "filter", type: "FILTER", config: { member: "items.color", title: "items.cost" } },
    { id: "field", type: "FIELD", config: { member: "items.count", options: ["items.weight"] } },
    {
      id: "other",
      type: "FILTER",
      config: { member: "items.color", options: ["items.cost"], note: "items.cost" },
    },
    { id: "parent", type: "PARENT", config: { member: "items.cost" } },
  ];
  publicId = await publishFor({ embedTenantName: "acme-inc" }, charts);
  const hidden = [{ id: "own", type: "CHART", config: { query: { measures: ["items.cost"] } } }];
  other = await publishFor({ embedTenantName: "other-inc" }, hidden);
});
afterAll(() => service.close());
beforeEach(() => scope("dashboards"));

async function report(): Promise<{ id: number }> {
  const jsonQuery = JSON.stringify({ measures: ["items.count"] });
  const { id } = await service.done("POST", `${deployment}/reports`, { name: "Items", jsonQuery });
  return { id: Number(id) };
}

async function publishFor(tenant: object, charts: readonly object[]): Promise<string> {
  // A tenant exists from its first session on.
  await open(tenant);
  const position = { x: 0, y: 0, w: 4, h: 4 };
  const widgets = charts.map((chart) => ({ ...chart, position }));
  const { publicId: id, workbookId } = await publish(service, { title: "Items", widgets });
  await service.done("PUT", `${deployment}/workbooks/${workbookId}/embed-access`, {
    ...tenant,
    action: "read",
    allowEmbed: true,
  });
  return id;
}

const scope = (queryScope: string) =>
  service.done("PUT", "/api/v1/app-config", { embedding: { queryScope } });

async function open(options: object = {}): Promise<string> {
  const session = { deploymentId: 1, externalId: "jane", embedTenantName: "acme-inc", ...options };
  const created = await service.done("POST", "/api/v1/embed/generate-session", {
    ...session,
    securityContext: { region: "north" },
  });
  return String((await service.done("POST", "/api/v1/embed/session/token", created))["token"]);
}

async function ask(token: string, path: string): Promise<readonly [number, string]> {
  const url = `${service.url}/deployments/main/svcjs-api/v1${path}`;
  const answer = await fetch(url, { headers: { authorization: token } });
  if (answer.status !== 429) return [answer.status, await answer.text()];
  // The deployment limits its requests per second.
  await delay(200);
  return ask(token, path);
}

/** Returns which queries a session may send, to run and to check. */
async function allowed(token: string, queries: Readonly<Record<string, object>>) {
  const found: string[] = [];
  for (const [name, query] of Object.entries(queries)) {
    const statuses: number[] = [];
    for (const path of ["load", "dry-run"]) {
      const sent = encodeURIComponent(JSON.stringify(query));
      const [status, text] = await ask(token, `/${path}?query=${sent}`);
      if (status !== 200) expect([name, text]).toEqual([name, expect.stringContaining("hidden")]);
      statuses.push(status);
    }
    expect([name, statuses]).toEqual([name, [statuses[0], statuses[0]]]);
    if (statuses[0] === 200) found.push(name);
  }
  return found;
}

const of = (member: string, operator: string, values: readonly string[]) => ({
  measures: ["items.count"],
  filters: [{ or: [{ and: [{ member, operator, values }] }] }],
});

const inside = {
  chart: { measures: ["tenants.revenue"] },
  report: { measures: ["items.count"] },
  control: of("items.color", "equals", ["red"]),
  choice: { measures: ["items.weight"] },
  "drill member": { dimensions: ["items.name"] },
};

const outside = {
  measure: { measures: ["items.cost"] },
  dimension: { dimensions: ["items.supplier"] },
  filter: of("items.supplier", "equals", ["x"]),
  "measure filter": of("items.cost", "gt", ["1"]),
  order: { measures: ["items.count"], order: { "items.cost": "asc" } },
  segment: { measures: ["items.count"], segments: ["items.cheap"] },
  time: {
    measures: ["items.count"],
    timeDimensions: [{ dimension: "items.sold_at", granularity: "day" }],
  },
  "a view of it": { measures: ["all_items.count"] },
};
const every = { ...inside, ...outside };

/** Returns the members that `/meta` shows. */
async function shown(token: string): Promise<readonly string[]> {
  const [status, text] = await ask(token, "/meta");
  expect(status).toBe(200);
  const { cubes } = JSON.parse(text) as { cubes: Record<string, { name: string }[]>[] };
  const lists = cubes.flatMap((one) =>
    ["measures", "dimensions", "segments"].map((name) => one[name]),
  );
  return lists.flatMap((list) => list?.map(({ name }) => name) ?? []).toSorted();
}

describe("a session of an external user", () => {
  it("queries members of the dashboards that it may view, and their drill members", async () => {
    for (const options of [{}, { publicDashboardId: publicId }]) {
      const token = await open(options);
      expect(await allowed(token, every)).toEqual(Object.keys(inside));
      expect(await shown(token)).toEqual([
        "items.color",
        "items.count",
        "items.name",
        "items.weight",
        "tenants.revenue",
      ]);
    }
  });

  it("queries nothing of dashboards of others, nor of any without the right to view them", async () => {
    const elsewhere = { embedTenantName: "other-inc" };
    expect(await allowed(await open(elsewhere), every)).toEqual(["measure"]);
    expect(await allowed(await open({ roles: ["Guest"] }), every)).toEqual([]);
    expect(await shown(await open({ embedTenantName: "third-inc" }))).toEqual([]);
    const both = { embedTenantName: "other-inc", publicDashboardId: other };
    expect(await allowed(await open(both), every)).toEqual(["measure"]);
  });

  it("loses a member with its dashboard", async () => {
    const chart = { id: "w", type: "CHART", config: { query: { measures: ["items.cost"] } } };
    const tenant = { embedTenantName: "late-inc" };
    const token = await open(tenant);
    expect(await allowed(token, every)).toEqual([]);
    const id = await publishFor(tenant, [chart]);
    expect(await allowed(token, every)).toEqual(["measure"]);
    await service.done("PATCH", `/api/v1/embed/dashboard/${id}`, { allowEmbed: false });
    expect(await allowed(token, every)).toEqual([]);
  });

  it("queries what access policies open if the account says so, in creator mode, and as a user", async () => {
    const creator = await open({ creatorMode: true });
    expect(await allowed(creator, every)).toEqual(Object.keys(every));
    const internal = { deploymentId: 1, internalId: "admin" };
    const created = await service.done("POST", "/api/v1/embed/generate-session", internal);
    const { token } = await service.done("POST", "/api/v1/embed/session/token", created);
    expect(await shown(String(token))).toContain("items.cost");
    await scope("model");
    expect(await allowed(await open(), every)).toEqual(Object.keys(every));
    await service.done("PUT", "/api/v1/app-config", { embedding: null });
    expect(await allowed(await open(), every)).toEqual(Object.keys(inside));
  });

  it("exports no other member by the controls of an export", async () => {
    const switchers = [{ from: "tenants.revenue", to: "items.cost" }];
    const job = await service
      .as(await open({ roles: ["AIBIUser"] }))
      .send("POST", `${deployment}/dashboard-exports`, {
        dashboardPublicId: publicId,
        format: "png",
        memberSwitchers: switchers,
      });
    expect(job.status).toBe(200);
    const { viewer } = await service.db
      .selectFrom("dashboard_exports")
      .select("viewer")
      .where("job_id", "=", String(job.body["jobId"]))
      .executeTakeFirstOrThrow();
    const { callerOf } = await import("../../service/delivery/viewer.ts");
    const caller = await callerOf(service.db, JSON.parse(viewer) as never);
    expect([...(caller.members ?? [])].toSorted()).toEqual([
      "items.color",
      "items.count",
      "items.weight",
      "tenants.revenue",
    ]);
  });
});
