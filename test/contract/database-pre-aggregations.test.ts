// Pre-aggregations of a PostgreSQL, MariaDB or ClickHouse database: its rows are stored, and refresh keys decide when they are stored again.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { runSvc } from "../golden/run-cli.ts";
import type { Database } from "../../service/engine/databases.ts";
import { openClickhouse, openMysql, sourceOf } from "../support/query-database.ts";
import {
  createTestDatabase,
  onClickhouse,
  onMysql,
  queryServer,
} from "../support/test-database.ts";
import {
  dataToken,
  type ModelService,
  serveDevMode,
  startModelService,
} from "./data-model-service.ts";

const cube = (name: string, more: string) => `
  - name: ${name}
    sql_table: orders
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - { name: created_at, sql: created_at, type: time }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: amount }
      - { name: mean, type: number, sql: "{total} / {count}" }
    pre_aggregations:
      - { name: main, measures: [mean], dimensions: [status], time_dimension: created_at, granularity: day, ${more} }
`;
const model = `cubes:${cube("by_sql", "refresh_key: { every: 1 second, sql: SELECT max(id) FROM orders }")}${cube("hourly", "scheduled_refresh: false")}${cube("parts", "partition_granularity: month, refresh_key: { every: 1 hour, incremental: true, update_window: 1 month }")}
  - name: broken
    sql_table: orders
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: span, sql: now_less, type: string }
    measures: [{ name: count, type: count }]
    pre_aggregations: [{ name: main, measures: [count], dimensions: [span] }]
  - name: doubled
    sql_table: orders
    joins: [{ name: labels, relationship: many_to_one, sql: "{CUBE}.id = {labels}.code AND {CUBE}.status = {labels}.status" }]
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]
    measures: [{ name: count, type: count }]
    pre_aggregations: [{ name: main, measures: [count], dimensions: [labels.label] }]
  - name: labels
    sql: "SELECT 1 AS code, status, 'x' AS label FROM orders"
    dimensions: [{ name: label, sql: label, type: string }]
  - name: ratios
    sql_table: ratios
    joins: [{ name: hourly, relationship: one_to_one, sql: "{CUBE}.id = {hourly.id}" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: ratio, sql: ratio, type: number }
    measures: [{ name: count, type: count }]
    access_policy:
      - group: "*"
        row_level: { filters: [{ member: hourly.status, operator: equals, values: [new] }] }
`;

/** Milliseconds between the clock of the service and that of this process. */
let offset = Date.parse("2026-03-01T10:00:30Z") - Date.now();
/** The types of columns, and a division that fails by zero. */
const [statusType, timeType, spanType, ratio] = onClickhouse
  ? ["Enum8('new' = 1, 'Paid' = 2)", "DateTime64(6, 'UTC')", "String", "intDiv(1, 4 - id)"]
  : onMysql
    ? ["ENUM ('new', 'Paid')", "timestamp(6) NULL", "time", "1 / (4 - id)"]
    : ["order_status", "timestamptz", "interval", "1 / (4 - id)"];
let source: Database;
let place: { readonly run: (text: string) => Promise<unknown>; readonly drop: () => Promise<void> };
let service: ModelService;
let branchName: string;
let address: string;
let token: string;
beforeAll(async () => {
  if (onMysql || onClickhouse) {
    const database = await (onMysql ? openMysql() : openClickhouse());
    if (database.source === undefined) throw new Error("it has an address");
    source = database.source;
    // They read times without a zone as UTC.
    const run = (text: string) =>
      database.execute(text.replaceAll(/(\d\d-\d\d)(?: (\d\d:\d\d)(:[\d.]+)?)?Z'/g, timeOf));
    place = { run, drop: () => database.close() };
  } else {
    const database = await createTestDatabase();
    source = { type: "postgres", at: sourceOf(database.data) };
    place = { run: (text) => queryServer(text, database), drop: () => database.drop() };
  }
  await place.run(
    `${statusType === "order_status" ? "CREATE TYPE order_status AS ENUM ('new', 'Paid');" : ""}
    CREATE TABLE orders (id bigint, status ${statusType}, amount numeric(10, 2), created_at ${timeType}, now_less ${spanType});
    INSERT INTO orders VALUES (1, 'new', 1.50, '2026-01-01 10:00Z', NULL), (2, 'new', 2.25, '2026-01-31 23:59:59.5Z', NULL), (3, 'Paid', 10, '2026-02-01Z', NULL), (4, NULL, NULL, NULL, NULL);
    CREATE VIEW ratios AS SELECT id, ${ratio} AS ratio FROM orders`,
  );
  service = await startModelService({ now: () => Date.now() + offset });
  const { host, port, database, user, password } = source.at;
  const variables = {
    TYPE: source.type,
    HOST: host,
    PORT: port,
    NAME: database,
    USER: user,
    PASS: password,
  };
  await service.done("PUT", "/api/v1/deployments/1/env-vars", {
    env_variables: Object.entries(variables).map(([name, value]) => ({
      name: `SVC_DB_${name}`,
      value: String(value),
    })),
  });
  ({ address, branchName } = await serveDevMode(service, { model, seeds: "id\n1\n" }));
  token = await dataToken(service);
});
afterAll(async () => {
  await service.close();
  await place.drop();
});

/** Returns a time without a zone, with its seconds. */
function timeOf(_: string, day: string, minutes = "00:00", seconds = ":00"): string {
  return `${day} ${minutes}${seconds}'`;
}

/** Loads a query, however long it takes. */
async function load(query: JsonObject): Promise<JsonObject> {
  const response = await fetch(`${address}/load`, {
    method: "POST",
    headers: { authorization: token, "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  const answer = (await response.json()) as JsonObject;
  expect({ status: response.status, answer }).toMatchObject({ status: 200 });
  return answer["error"] === "Continue wait" ? load(query) : answer;
}

const monthly = (name: string) => ({
  measures: [`${name}.count`, `${name}.total`],
  dimensions: [`${name}.status`],
  timeDimensions: [{ dimension: `${name}.created_at`, granularity: "month" }],
});

async function answered(query: JsonObject): Promise<JsonObject> {
  await expect.poll(() => load(query), { timeout: 60_000 }).toHaveProperty("usedPreAggregations");
  return load(query);
}

test("rows that a join repeats are not stored", async () => {
  await load({ measures: ["doubled.count"] });
  const logs = () => service.done("GET", "/api/v1/deployments/1/logs");
  await expect
    .poll(async () => JSON.stringify(await logs()), { timeout: 30_000 })
    .toContain("doubled.main was not built: rows of labels have the same key, by which doubled");
});

test("a column of a view that fails for a hidden row fails no query", async () => {
  const filters = [{ member: "ratios.ratio", operator: "gte", values: ["0"] }];
  const { data } = await load({ measures: ["ratios.count"], filters });
  expect(data).toEqual([{ "ratios.count": "2" }]);
});

test(
  "a query over the stored rows has the answer of the database",
  { timeout: 120_000 },
  async () => {
    const exact = {
      measures: ["hourly.mean"],
      dimensions: ["hourly.status"],
      timeDimensions: [{ dimension: "hourly.created_at", granularity: "day" }],
    };
    for (const query of [monthly("hourly"), exact]) {
      const first = await load(query);
      const later = await answered(query);
      expect(later["data"]).toEqual(first["data"]);
      expect(later["dbType"]).toBe(source.type);
    }
    for (const other of [
      { order: { "hourly.status": "asc" } },
      { filters: [{ member: "hourly.status", operator: "contains", values: ["n"] }] },
      { measures: ["hourly.mean"] },
    ]) {
      expect(await load({ ...monthly("hourly"), ...other })).not.toHaveProperty(
        "usedPreAggregations",
      );
    }
  },
);

test(
  "a refresh key with sql has rows stored again when its result changes",
  { timeout: 120_000 },
  async () => {
    const query = { measures: ["by_sql.count"] };
    expect((await answered(query))["data"]).toEqual([{ "by_sql.count": "4" }]);
    await place.run(
      "INSERT INTO orders (id, status, amount, created_at) VALUES (5, 'new', 1, '2026-02-01Z')",
    );
    offset += 13_000;
    // Rows from before the last interval are not used.
    expect((await load(query))["data"]).toEqual([{ "by_sql.count": "5" }]);
    expect((await answered(query))["data"]).toEqual([{ "by_sql.count": "5" }]);
  },
);

test(
  "rows of the interval before are used while they are stored again, and older ones are not",
  { timeout: 120_000 },
  async () => {
    const query = { measures: ["hourly.count"] };
    const { data } = await answered(query);
    await place.run(
      "INSERT INTO orders (id, status, amount, created_at) VALUES (6, 'new', 1, '2026-02-01Z')",
    );
    expect((await load(query))["data"]).toEqual(data);
    offset += 3_600_000;
    expect(await load(query)).toMatchObject({ data, usedPreAggregations: expect.anything() });
    await expect
      .poll(() => load(query), { timeout: 60_000 })
      .toMatchObject({ data: [{ "hourly.count": "6" }], usedPreAggregations: expect.anything() });
    offset += 3 * 3_600_000;
    expect(await load(query)).not.toHaveProperty("usedPreAggregations");
  },
);

test("an incremental refresh stores the newest parts again", { timeout: 120_000 }, async () => {
  const query = {
    measures: ["parts.count"],
    timeDimensions: [{ dimension: "parts.created_at", granularity: "year" }],
    timezone: "UTC",
  };
  const counts = async () =>
    ((await answered(query))["data"] as readonly JsonObject[]).map((row) => row["parts.count"]);
  const [before, without] = (await counts()).map(Number);
  expect(without).toBe(1);
  await place.run(
    "INSERT INTO orders (id, status, amount, created_at) VALUES (7, 'new', 1, '2026-01-31 23:59Z'), (8, 'new', 1, '2026-02-01Z')",
  );
  offset += 3_600_000;
  await answered(query);
  await expect.poll(counts, { timeout: 60_000 }).toEqual([String((before ?? 0) + 1), "1"]);
});

test.skipIf(onMysql || onClickhouse)(
  "validation says why the last build failed",
  { timeout: 120_000 },
  async () => {
    const reason =
      "the values of broken.span, a string, have the type interval, which is not stored";
    const validation = async () => {
      expect(await load({ measures: ["broken.count"] })).toMatchObject({
        data: [{ "broken.count": "8" }],
      });
      return service.done(
        "GET",
        `/build/api/v1/deployments/1/data-model/validate?branchName=${branchName}`,
      );
    };
    await expect.poll(validation, { timeout: 60_000 }).toMatchObject({
      preAggregations: expect.arrayContaining([
        { name: "broken.main", usable: true, lastFailure: reason },
      ]),
    });
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    const { out } = await runSvc(["validate", "main", "--branch", branchName, "--verbose"], {
      env,
    });
    expect(out).toContain(`broken.main: queries can use it; its last build failed: ${reason}\n`);
  },
);
