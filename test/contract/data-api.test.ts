// Tests the data API of an environment with the requests that an independent client sends and the responses that it needs.
import { Client } from "pg";
import { describe, expect, inject, it } from "vitest";
import { onPostgres } from "../support/test-database.ts";
import { type Json, useDataApi } from "./data-api-service.ts";

/** The time of the stopped clock of the limits, and its offset. */
const clock = { stoppedAt: undefined as number | undefined, aheadMs: 0 };
/** Requests that the quota of the deployment admits at once. */
const admitted = 200;
const { service, address, token, ask, get, tokenOf } = useDataApi({
  rates: { perUser: 0, perDeployment: 10 * admitted },
  monotonicNow: () => clock.stoppedAt ?? performance.now() + clock.aheadMs,
});

/** Returns the first value of an answer, or its error. */
const valueOf = ({ data, error }: Json): unknown =>
  error ?? Object.values((data as readonly Json[])[0] ?? {})[0];

describe("load", () => {
  const query = {
    measures: ["orders.count", "orders.total"],
    timeDimensions: [
      {
        dimension: "orders.created_at",
        granularity: "month",
        dateRange: ["2026-01-01", "2026-02-28"],
      },
    ],
  };
  const rows = [
    {
      "orders.created_at.month": "2026-01-01T00:00:00.000",
      "orders.created_at": "2026-01-01T00:00:00.000",
      "orders.count": "2",
      "orders.total": "30.5",
    },
    {
      "orders.created_at.month": "2026-02-01T00:00:00.000",
      "orders.created_at": "2026-02-01T00:00:00.000",
      "orders.count": "1",
      "orders.total": "30",
    },
  ];

  it("endpoint row GET load: answers one query with data at the top", async () => {
    const [status, body] = await get(query);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: rows,
      query: {
        measures: query.measures,
        dimensions: [],
        filters: [],
        timezone: "UTC",
        limit: 10_000,
        order: [{ id: "orders.created_at", desc: false }],
        timeDimensions: [{ dateRange: ["2026-01-01T00:00:00.000", "2026-02-28T23:59:59.999"] }],
      },
      annotation: {
        measures: {
          "orders.total": { title: "Orders Revenue", shortTitle: "Revenue", type: "number" },
          "orders.count": { drillMembersGrouped: { measures: [], dimensions: ["orders.status"] } },
        },
        dimensions: {},
        segments: {},
        timeDimensions: {
          "orders.created_at": { type: "time" },
          "orders.created_at.month": { granularity: { name: "month", interval: "1 month" } },
        },
      },
      dbType: "duckdb",
      slowQuery: false,
    });
  });

  it("accepts how a query is kept and joined", async () => {
    const more = { cache: "no-cache", renewQuery: true, joinHints: [["orders", "broken"]] };
    const [status, body] = await ask("/load", { query: { ...query, ...more, joinHints: [] } });
    expect([status, body["data"]]).toEqual([200, rows]);
    expect(body["query"]).toMatchObject({ renewQuery: true, joinHints: [] });
    expect((await ask("/load", { query: { ...query, ...more } }))[0]).toBe(400);
  });

  it("answers multi with results and a pivot query, by GET and POST", async () => {
    const expected = {
      queryType: "regularQuery",
      results: [{ data: rows }],
      pivotQuery: { measures: query.measures, dimensions: [], queryType: "regularQuery" },
      slowQuery: false,
    };
    expect((await get(query, "&queryType=multi"))[1]).toMatchObject(expected);
    expect((await ask("/load", { query, queryType: "multi" }))[1]).toMatchObject(expected);
  });

  it("compares date ranges", async () => {
    const [time] = query.timeDimensions;
    const compareDateRange = [
      ["2026-01-01", "2026-01-31"],
      ["2026-02-01", "2026-02-28"],
    ];
    const compared = {
      measures: ["orders.count"],
      timeDimensions: [{ dimension: time?.dimension, compareDateRange }],
    };
    const [, body] = await get(compared, "&queryType=multi");
    expect(body).toMatchObject({
      queryType: "compareDateRangeQuery",
      results: [
        {
          data: [
            {
              "orders.count": "2",
              compareDateRange: "2026-01-01T00:00:00.000 - 2026-01-31T23:59:59.999",
            },
          ],
        },
        { data: [{ "orders.count": "1" }] },
      ],
      pivotQuery: { dimensions: ["compareDateRange"] },
    });
    const range = "2026-02-01T00:00:00.000 - 2026-02-28T23:59:59.999";
    const members = ["orders.count", "compareDateRange"];
    const second = async (responseFormat: string) =>
      (await get({ ...compared, responseFormat }, "&queryType=multi"))[1]["results"];
    expect(await second("compact")).toMatchObject([
      {},
      { data: { members, dataset: [["1", range]] } },
    ]);
    expect(await second("columnar")).toMatchObject([
      {},
      { data: { members, columns: [["1"], [range]] } },
    ]);
    expect(await get(compared)).toMatchObject([
      400,
      { error: expect.stringContaining("is not supported by the client") },
    ]);
  });

  it("blends queries by their time", async () => {
    const by = (...measures: string[]) => ({ measures, timeDimensions: query.timeDimensions });
    const blended = [by("orders.count"), { ...by("orders.total"), responseFormat: "compact" }];
    const [, body] = await get(blended, "&queryType=multi");
    const month = "2026-01-01T00:00:00.000";
    const time = { "orders.created_at.month": month, "orders.created_at": month };
    expect(body).toMatchObject({
      queryType: "blendingQuery",
      results: [
        { data: [{ ...time, "time.month": month, "orders.count": "2" }, {}] },
        { data: [{ ...time, "time.month": month, "orders.total": "30.5" }, {}] },
      ],
    });
    expect(body["pivotQuery"]).toEqual({
      measures: ["orders.count", "orders.total"],
      dimensions: [],
      timeDimensions: [{ dimension: "time", granularity: "month" }],
      queryType: "blendingQuery",
    });
    expect((await ask("/load", { query: blended, queryType: "multi" }))[1]).toMatchObject({
      queryType: "blendingQuery",
    });
    // The JavaScript client sends these without a type.
    const [own] = query.timeDimensions;
    const ranges = [
      ["2026-01-01", "2026-01-31"],
      ["2026-02-01", "2026-02-28"],
    ];
    const compared = {
      measures: ["orders.count"],
      timeDimensions: [{ dimension: own?.dimension, compareDateRange: ranges }],
    };
    for (const sent of [blended, compared]) {
      const [status, statements] = await ask("/sql", { query: sent });
      expect([status, statements]).toEqual([
        200,
        [
          expect.objectContaining({ sql: expect.anything() }),
          expect.objectContaining({ sql: expect.anything() }),
        ],
      ]);
      expect((await ask("/dry-run", { query: sent }))[1]).toMatchObject({
        queryType: sent === blended ? "blendingQuery" : "compareDateRangeQuery",
        normalizedQueries: [{}, {}],
      });
    }
    const refused = async (queries: readonly object[]) =>
      (await get(queries, "&queryType=multi"))[1]["error"];
    expect(await refused([by("orders.count"), { measures: ["orders.total"] }])).toBe(
      "Data blending query without granularity is not supported",
    );
    const [range] = query.timeDimensions;
    const daily = { timeDimensions: [{ ...range, granularity: "day" }] };
    expect(await refused([by("orders.count"), daily])).toBe(
      "Data blending query granularities must match",
    );
    expect(await refused([])).toMatch(/^a request has 1 to \d+ queries$/);
    expect((await get(blended))[1]["error"]).toContain("is not supported by the client");
  });

  it("answers in the compact and columnar formats, with a total", async () => {
    const by = { dimensions: ["orders.status"], order: [["orders.status", "asc"]], limit: 1 };
    const format = async (responseFormat: string) =>
      (await get({ ...by, responseFormat, total: true }))[1];
    expect(await format("compact")).toMatchObject({
      data: { members: ["orders.status"], dataset: [["open"]] },
      total: 2,
    });
    expect(await format("columnar")).toMatchObject({
      data: { members: ["orders.status"], columns: [["open"]] },
      total: 2,
    });
  });

  it("reports errors of queries and of databases", async () => {
    expect(await get({ measures: ["orders.none"] })).toEqual([
      400,
      { error: "'none' not found for path 'orders.none'", type: "UserError" },
    ]);
    expect(await ask("/load")).toEqual([
      400,
      { error: "Query param is required", type: "UserError" },
    ]);
    expect((await ask("/load?query={"))[1]).toMatchObject({
      error: expect.stringMatching(/^Unable to decode query param as JSON, error: /),
    });
    expect(await get({ measures: ["broken.count"] })).toEqual([
      400,
      { error: expect.stringMatching(/^Error: Catalog Error: .*missing_table/) },
    ]);
    const deep = `${"[".repeat(1000)}${"]".repeat(1000)}`;
    for (const text of [`{"filters":${deep}}`, '{"__proto__":1}', String.raw`{"a":"\u0000"}`]) {
      expect(await ask("/load", { query: text })).toEqual([
        400,
        {
          error: expect.stringMatching(/^Unable to decode query param as JSON, error: it /),
          type: "UserError",
        },
      ]);
    }
    expect(await get({ measures: ["logging.count"] })).toEqual([
      400,
      { error: expect.stringContaining("calls the table function enable_logging") },
    ]);
    expect(await get({ measures: ["tenants.count"] })).toEqual([
      400,
      { error: expect.stringContaining("carries no security context"), type: "UserError" },
    ]);
    expect(await get({ measures: ["orders.count"], limit: 50_001 })).toEqual([
      500,
      { error: "Error: The query limit has been exceeded." },
    ]);
  });

  it("computes once what many ask for concurrently, and answers 429 above the quota of the deployment", async () => {
    // The whole quota is available again.
    clock.aheadMs += 60_000;
    clock.stoppedAt = performance.now() + clock.aheadMs;
    const url = `${address()}/load?query=${encodeURIComponent('{"dimensions":["computed.id"]}')}`;
    const send = () => fetch(url, { headers: { authorization: token() } });
    const answers = await Promise.all(Array.from({ length: admitted + 50 }, () => send()));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(50);
    for (const { headers } of refused) {
      expect(headers.get("retry-after")).toBe("1");
      expect(headers.get("ratelimit-policy")).toBe(`"deployment";q=${10 * admitted};w=10`);
      expect(headers.get("access-control-expose-headers")).toContain("retry-after");
    }
    const answered = answers.filter(({ status }) => status === 200);
    expect(answered).toHaveLength(admitted);
    const values = new Set<unknown>();
    const read = async (one: Response) => values.add(valueOf((await one.json()) as Json));
    for (const one of answered) await read(one);
    clock.stoppedAt += 1000;
    const later = await Promise.all(Array.from({ length: admitted / 10 + 1 }, () => send()));
    expect(later.filter(({ status }) => status === 429)).toHaveLength(1);
    for (const one of later) if (one.status === 200) await read(one);
    clock.aheadMs += 60_000;
    clock.stoppedAt = undefined;
    // A busy machine may not finish the query while the requests are held.
    const isReady = async () => (await get({ dimensions: ["computed.id"] }))[1]["data"];
    await expect.poll(isReady, { timeout: 60_000 }).toBeDefined();
    values.add(valueOf((await get({ dimensions: ["computed.id"] }))[1]));
    const ready = [...values].filter((value) => value !== "Continue wait");
    expect(ready).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it("counts the queries of one request once", async () => {
    clock.aheadMs += 60_000;
    clock.stoppedAt = performance.now() + clock.aheadMs;
    const queries = Array.from({ length: 20 }, () => ({ measures: ["orders.count"] }));
    const answers = await Promise.all(
      Array.from({ length: admitted + 1 }, () =>
        ask("/load", { query: queries, queryType: "multi" }),
      ),
    );
    clock.stoppedAt = undefined;
    clock.aheadMs += 60_000;
    expect(answers.filter(([status]) => status === 429)).toHaveLength(1);
  });

  it("needs a token of the deployment", async () => {
    expect((await get(query, "", "none"))[0]).toBe(401);
    expect((await get(query, "", service().adminKey))[0]).toBe(401);
  });
});

describe("a data source of the variables", () => {
  const query = { measures: ["servers.price"], dimensions: ["servers.name"] };
  const set = (values: Readonly<Record<string, string>>) =>
    service().done("PUT", "/api/v1/deployments/1/env-vars", {
      env_variables: Object.entries(values).map(([name, value]) => ({
        name: `SVC_DS_WAREHOUSE_DB_${name}`,
        value,
      })),
    });

  it("is refused until its variables are complete", async () => {
    const refused = (error: string) => [400, { error, type: "UserError" }];
    expect(await get(query)).toEqual(
      refused(
        "the data source warehouse is not configured; set the variable SVC_DS_WAREHOUSE_DB_TYPE",
      ),
    );
    await set({ TYPE: "snowflake" });
    expect(await get(query)).toEqual(
      refused(
        'the variable SVC_DS_WAREHOUSE_DB_TYPE is "snowflake"; use postgres, clickhouse, or mysql for MariaDB and MySQL',
      ),
    );
    await set({ TYPE: "postgres" });
    expect(await get(query)).toEqual(
      refused("the data source warehouse needs the variable SVC_DS_WAREHOUSE_DB_HOST"),
    );
  });

  it("that cannot be reached says so to everyone, and where and why to developers", async () => {
    await set({ HOST: "127.0.0.1", PORT: "1", NAME: "data", USER: "svc", PASS: "secret" });
    const error =
      "Error: the database 127.0.0.1:1 cannot be reached: the connection was refused; check the variables of its host, port and TLS";
    expect(await get(query)).toEqual([503, { error }]);
    expect(await get(query, "", (await tokenOf("AIBIViewer")).token)).toEqual([
      503,
      {
        error:
          "Error: the data source cannot be reached now; developers find the reason in the logs of the deployment",
      },
    ]);
    await expect
      .poll(
        async () =>
          JSON.stringify(await service().done("GET", "/api/v1/deployments/1/logs?source=dev")),
        { timeout: 10_000 },
      )
      .toContain(error);
  });

  it.runIf(onPostgres)("is a PostgreSQL database", async () => {
    const { hostname, port, pathname, username, password } = new URL(String(inject("postgres")));
    const database = pathname.slice(1);
    await set({ HOST: hostname, PORT: port, NAME: database, USER: username, PASS: password });
    expect(await get(query)).toMatchObject([
      200,
      {
        data: [{ "servers.name": database, "servers.price": "1.5" }],
        dataSource: "warehouse",
        dbType: "postgres",
      },
    ]);
    await set({ USER: "unknown" });
    expect(await get(query)).toEqual([
      400,
      { error: expect.stringMatching(/^Error: password authentication failed/) },
    ]);
    await set({ USER: username });
  });

  it.runIf(onPostgres)(
    "errors Continue wait: while a query is prepared; the same request then gets its data",
    async () => {
      const database = new Client({ connectionString: String(inject("postgres")) });
      await database.connect();
      try {
        await database.query("CREATE TABLE svc_locked AS SELECT 1 AS id");
        await database.query("BEGIN; LOCK TABLE svc_locked IN ACCESS EXCLUSIVE MODE");
        const locked = { measures: ["locked.count"] };
        expect(await get(locked)).toEqual([200, { error: "Continue wait" }]);
        await database.query("COMMIT");
        expect(await get(locked)).toMatchObject([200, { data: [{ "locked.count": "1" }] }]);
      } finally {
        await database.query("ROLLBACK; DROP TABLE IF EXISTS svc_locked");
        await database.end();
      }
    },
  );
});

describe("meta, sql and dry-run", () => {
  it("describe what the caller may query", async () => {
    const [status, body] = await ask("/meta");
    expect(status).toBe(200);
    expect(body["cubes"]).toMatchObject([
      {
        name: "orders",
        type: "cube",
        measures: [
          { name: "orders.count", aggType: "count", type: "number" },
          { name: "orders.total", title: "Orders Revenue", shortTitle: "Revenue" },
        ],
        dimensions: [{ name: "orders.status" }, { name: "orders.created_at", type: "time" }],
        segments: [],
      },
      { name: "broken" },
      { name: "tenants" },
      { name: "servers" },
      { name: "computed" },
      { name: "many" },
      { name: "locked" },
      { name: "logging" },
      { name: "all_visits", viewGroups: ["events"] },
    ]);
    const views = ["all_visits"];
    expect(body["viewGroups"]).toEqual([
      { name: "events", title: "Events", views, includes: views },
    ]);
  });

  it("return the SQL with bound values", async () => {
    const filters = [{ member: "orders.status", operator: "equals", values: ["paid"] }];
    const query = { measures: ["orders.count"], filters };
    const [, body] = await ask("/sql", { query });
    const { sql } = body as { sql: { sql: [string, unknown[]]; aliasNameToMember: Json } };
    expect(sql.sql[0]).toContain("count(");
    expect(sql.sql[1]).toEqual(["paid"]);
    expect(sql.aliasNameToMember).toEqual({ orders__count: "orders.count" });
    expect((await ask("/dry-run", { query }))[1]).toMatchObject({
      queryType: "regularQuery",
      normalizedQueries: [{ measures: ["orders.count"] }],
      queryOrder: [{ "orders.count": "desc" }],
      pivotQuery: { queryType: "regularQuery" },
    });
  });
});
