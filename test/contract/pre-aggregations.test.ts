// Queries over pre-aggregations: built in the background, found again after a restart, and replaced when the tables change.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { runSvc } from "../golden/run-cli.ts";
import { onPostgres } from "../support/test-database.ts";
import {
  dataToken,
  type ModelService,
  serveDevMode,
  startModelService,
} from "./data-model-service.ts";

const model = `
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: status, sql: status, type: string }
      - { name: created_at, sql: created_at, type: time }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: amount }
      - { name: wrong, type: sum, sql: "CAST(status AS INTEGER)" }
    pre_aggregations:
      - name: by_day
        measures: [count, total]
        dimensions: [status]
        time_dimension: created_at
        granularity: day
      - { name: broken, measures: [wrong], dimensions: [status] }
  - name: visits
    sql: "SELECT 1 AS id, 'a' AS shop UNION ALL SELECT 2, 'b'"
    joins: [{ name: shops, relationship: many_to_one, sql: "{CUBE}.shop = {shops.id}" }]
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]
    measures: [{ name: count, type: count }]
    access_policy:
      - { group: "*", row_level: { filters: [{ member: shops.region, operator: equals, values: [north] }] } }
    pre_aggregations:
      - { name: by_region, measures: [count], dimensions: [shops.region] }
  - name: shops
    sql: "SELECT 'a' AS id, 'north' AS region UNION ALL SELECT 'a', 'north' UNION ALL SELECT 'b', 'north'"
    dimensions:
      - { name: id, sql: id, type: string, primary_key: true }
      - { name: region, sql: region, type: string }
`;
const seeds = `id,status,amount,created_at
1,new,1.50,2026-01-01T10:00:00
2,new,2.25,2026-01-31T23:59:59
3,paid,10.00,2026-02-01T00:00:00
`;

const data = mkdtempSync(join(tmpdir(), "svc-rollup-test-"));
const folder = join(data, "rollup_files");
let service: ModelService;
let address: string;
let branchName: string;
let token: string;

async function start(): Promise<void> {
  service = await startModelService(onPostgres ? {} : { data });
}

beforeAll(async () => {
  await start();
  ({ address, branchName } = await serveDevMode(service, { model, seeds }));
  token = await dataToken(service);
});
afterAll(async () => {
  await service.close();
  rmSync(data, { recursive: true });
});

/** Loads a query, however long it takes. */
async function load(query: JsonObject): Promise<JsonObject> {
  const response = await fetch(`${address}/load`, {
    method: "POST",
    headers: { authorization: token, "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as JsonObject;
  return answer["error"] === "Continue wait" ? load(query) : answer;
}

const monthly = {
  measures: ["orders.count", "orders.total"],
  timeDimensions: [{ dimension: "orders.created_at", granularity: "month" }],
};
const used = {
  "pre_aggregations.orders_by_day": {
    preAggregationId: "orders.by_day",
    lastUpdatedAt: expect.any(Number),
    type: "rollup",
  },
};

/** Polls a query until a pre-aggregation answers it. */
async function answered(query: JsonObject): Promise<JsonObject> {
  await expect
    .poll(() => load(query), { timeout: 30_000 })
    .toMatchObject({ usedPreAggregations: used });
  return load(query);
}

test("the first query reads the tables, and later ones the rows of the pre-aggregation", async () => {
  const first = await load(monthly);
  expect(first).not.toHaveProperty("usedPreAggregations");
  const later = await answered(monthly);
  expect(later["data"]).toEqual(first["data"]);
  expect(later["annotation"]).toEqual(first["annotation"]);
  expect(later["data"]).toMatchObject([
    { "orders.count": "2", "orders.total": "3.75" },
    { "orders.count": "1", "orders.total": "10" },
  ]);
  const { lastUpdatedAt } = Object.values(later["usedPreAggregations"] as JsonObject)[0] as {
    lastUpdatedAt: number;
  };
  expect(later["lastRefreshTime"]).toBe(new Date(lastUpdatedAt).toISOString());
  const response = await fetch(`${address}/cubesql`, {
    method: "POST",
    headers: { authorization: token, "content-type": "application/json" },
    body: JSON.stringify({
      query: "SELECT SUM(total), status FROM orders GROUP BY 2 ORDER BY 2",
    }),
  });
  const [schema = "", rows = ""] = (await response.text()).split("\n");
  expect(JSON.parse(schema)).toMatchObject({ usedPreAggregations: used });
  expect(JSON.parse(rows)).toEqual({
    data: [
      ["3.75", "new"],
      ["10", "paid"],
    ],
  });
  const parameters = new URLSearchParams({ query: JSON.stringify(monthly) });
  const statement = await fetch(`${address}/sql?${parameters.toString()}`, {
    headers: { authorization: token },
  });
  const [table] = Object.keys(used);
  expect(await statement.json()).toMatchObject({
    sql: { preAggregations: [{ tableName: table, type: "rollup" }] },
    usedPreAggregations: used,
  });
  const total = await load({ ...monthly, total: true, limit: 1 });
  expect(total).toMatchObject({ total: 2, usedPreAggregations: used });
  expect(total["data"]).toHaveLength(1);
  for (const other of [
    { timezone: "Europe/Berlin" },
    { filters: [{ member: "orders.id", operator: "gt", values: ["1"] }] },
    { timeDimensions: [{ dimension: "orders.created_at", granularity: "hour" }] },
  ]) {
    expect(await load({ ...monthly, ...other })).not.toHaveProperty("usedPreAggregations");
  }
});

test.each<[JsonObject, string, string]>([
  [
    { measures: ["orders.count"], dimensions: ["orders.id"] },
    "it has no orders.id",
    "it has no orders.id",
  ],
  [
    { ...monthly, timezone: "Europe/Berlin" },
    "its rows do not answer the query: of orders.created_at, only whole intervals of the granularity day in UTC are known",
    "it has no orders.created_at",
  ],
  [
    { measures: ["orders.count"], dimensions: ["orders.id"], ungrouped: true },
    "an ungrouped query reads single rows",
    "an ungrouped query reads single rows",
  ],
  [{ measures: ["orders.wrong"], dimensions: ["orders.status"] }, "it has no orders.wrong", ""],
])("the SQL of %j says why no pre-aggregation answers it", async (query, byDay, broken) => {
  const parameters = new URLSearchParams({ query: JSON.stringify(query) });
  const response = await fetch(`${address}/sql?${parameters.toString()}`, {
    headers: { authorization: token },
  });
  const answer = (await response.json()) as JsonObject;
  expect(answer).not.toHaveProperty("usedPreAggregations");
  expect(answer["unusedPreAggregations"]).toEqual([
    { preAggregationId: "orders.by_day", reason: expect.stringContaining(byDay) as string },
    { preAggregationId: "orders.broken", reason: expect.stringContaining(broken) as string },
  ]);
});

test("validation says which pre-aggregations queries can use, and the build warns of the others", async () => {
  const lambda = model.replace(
    "    pre_aggregations:",
    "    pre_aggregations:\n      - { name: both, type: rollup_lambda, rollups: [by_day] }",
  );
  const sent = { files: [{ path: "model/orders.yml", content: lambda }] };
  const reason = "the service does not build the type rollup_lambda";
  expect(await service.done("POST", "/build/api/v1/data-model/validate", sent)).toMatchObject({
    valid: true,
    preAggregations: [
      { name: "orders.both", usable: false, reason },
      { name: "orders.by_day", usable: true },
      { name: "orders.broken", usable: true },
      { name: "visits.by_region", usable: true },
    ],
    warnings: [
      {
        code: "unused-pre-aggregation",
        message: `no query can use the pre-aggregation orders.both: ${reason}`,
        line: 14,
      },
    ],
  });
});

test("svc validate --verbose lists the pre-aggregations", async () => {
  const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  const args = ["validate", "main", "--branch", branchName];
  expect((await runSvc(args, { env })).out).not.toContain("by_day");
  expect((await runSvc([...args, "--verbose"], { env })).out).toContain(
    "orders.by_day: queries can use it\n",
  );
});

test("a build that fails is in the logs, and its queries read the tables", async () => {
  const query = { measures: ["orders.wrong"], dimensions: ["orders.status"] };
  const filters = [{ member: "orders.status", operator: "equals", values: ["none"] }];
  expect(await load({ ...query, filters })).toMatchObject({ data: [] });
  const logs = () => service.done("GET", "/api/v1/deployments/1/logs");
  await expect
    .poll(async () => JSON.stringify(await logs()), { timeout: 30_000 })
    .toContain("the pre-aggregation orders.broken was not built: Conversion Error");
  expect(await load({ ...query, filters })).not.toHaveProperty("usedPreAggregations");
});

test("rows that a join repeats are not stored, because queries without it would count them again", async () => {
  const answer = { data: [{ "visits.count": "2" }] };
  expect(await load({ measures: ["visits.count"] })).toMatchObject(answer);
  const logs = () => service.done("GET", "/api/v1/deployments/1/logs");
  await expect
    .poll(async () => JSON.stringify(await logs()), { timeout: 30_000 })
    .toContain("by_region was not built: rows of shops have the same key, by which visits joins");
  const later = await load({ measures: ["visits.count"] });
  expect(later).toMatchObject(answer);
  expect(later).not.toHaveProperty("usedPreAggregations");
});

test.skipIf(onPostgres)(
  "files are private, survive a restart, and are built again if they are damaged",
  async () => {
    const files = () => readdirSync(folder);
    const [file = ""] = files();
    expect(files()).toHaveLength(1);
    expect(statSync(folder).mode & 0o77).toBe(0);
    expect(statSync(join(folder, file)).mode & 0o77).toBe(0);
    await service.close();
    writeFileSync(join(folder, `${file}-1.tmp`), "half");
    await start();
    address = address.replace(/^http:\/\/[^/]+/u, service.url);
    expect(await load(monthly)).toMatchObject({ usedPreAggregations: used });
    expect(files()).toEqual([file]);
    await service.close();
    writeFileSync(join(folder, file), "no database");
    await start();
    address = address.replace(/^http:\/\/[^/]+/u, service.url);
    const fromTables = await load(monthly);
    expect(fromTables).not.toHaveProperty("usedPreAggregations");
    expect(fromTables["data"]).toHaveLength(2);
    const logs = await service.done("GET", "/api/v1/deployments/1/logs");
    expect(JSON.stringify(logs)).toContain(
      "the rows of the pre-aggregation orders.by_day were removed",
    );
    await answered(monthly);
  },
);

test("a new build with other seeds reads its own tables", async () => {
  await answered(monthly);
  await service.put(`${seeds}4,new,100,2026-02-02T00:00:00\n`, "seeds/orders.csv");
  expect(await service.buildEnded(branchName)).toMatchObject({ status: "built" });
  const query = { measures: ["orders.count"] };
  await expect
    .poll(async () => (await load(query))["data"], { timeout: 30_000 })
    .toEqual([{ "orders.count": "4" }]);
  expect((await answered(query))["data"]).toEqual([{ "orders.count": "4" }]);
});

test.skipIf(onPostgres)("without room for files, queries read the tables", async () => {
  await service.close();
  rmSync(folder, { recursive: true });
  service = await startModelService({ data, rollupMegabytes: 0 });
  address = address.replace(/^http:\/\/[^/]+/u, service.url);
  await load(monthly);
  expect(await load(monthly)).not.toHaveProperty("usedPreAggregations");
  expect(existsSync(folder)).toBe(false);
});
