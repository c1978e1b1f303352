// The data API of an environment: what an independent client sends and needs back, and who may see which rows.
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { limits } from "../../core/limits.ts";
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
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - { name: created_at, sql: created_at, type: time }
    measures:
      - { name: count, type: count, drill_members: [status] }
      - { name: total, type: sum, sql: amount, title: Revenue }
    access_policy:
      - group: "*"
        member_level: { excludes: [total] }
        row_level: { filters: [{ member: status, operator: equals, values: ["{userAttributes.status}"] }] }
      - role: admin
  - name: visits
    sql_table: orders
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
    measures: [{ name: count, type: count }]
    access_policy:
      - group: "*"
        conditions: [{ if: "{userAttributes.may_visit}" }]
        row_level:
          filters:
            - { member: status, operator: equals, values: ["{userAttributes.statuses}"] }
            - { member: id, operator: equals, values: ["{userAttributes.ids}"] }
  - name: broken
    sql_table: missing_table
    measures: [{ name: count, type: count }]
  - name: tenants
    sql: "SELECT 1 AS id WHERE {SECURITY_CONTEXT.tenant.filter('id')}"
    measures: [{ name: count, type: count }]
  - name: servers
    sql: "SELECT current_database() AS name, 1.50 AS price WHERE 1 = 1"
    data_source: warehouse
    dimensions: [{ name: name, sql: name, type: string }]
    measures: [{ name: price, type: sum, sql: price }]
  - name: computed
    sql: "SELECT uuid()::VARCHAR AS id"
    dimensions: [{ name: id, sql: id, type: string }]
  - name: locked
    sql_table: svc_locked
    data_source: warehouse
    measures: [{ name: count, type: count }]
  - name: logging
    sql: "SELECT 1 AS id FROM enable_logging(level='debug', storage='file', storage_config=struct_pack(path := '/tmp/svc-log'))"
    measures: [{ name: count, type: count }]
`;
const seeds = `id,status,amount,created_at
1,paid,10.5,2026-01-01 10:00:00
2,open,20,2026-01-02 11:00:00
3,paid,30,2026-02-03 12:00:00
`;

let service: ModelService;
let address: string;
let token: string;
let branchName: string;
/** What the clock of the limits shows while a test stops it, and what it is ahead. */
const clock = { stoppedAt: undefined as number | undefined, aheadMs: 0 };
beforeAll(async () => {
  const monotonicNow = () => clock.stoppedAt ?? performance.now() + clock.aheadMs;
  service = await startModelService({ monotonicNow });
  ({ branchName, address } = await serveDevMode(service, { model, seeds }));
  token = await tokenOf(service.adminKey);
});
afterAll(() => service.close());

const tokenOf = (key: string): Promise<string> => dataToken(service.as(key));

type Json = Record<string, unknown>;

async function ask(path: string, body?: object, credential = token): Promise<[number, Json]> {
  const response = await fetch(`${address}${path}`, {
    headers: { authorization: credential, "content-type": "application/json" },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return [response.status, (await response.json()) as Json];
}

/** The first value of an answer, or its error. */
const valueOf = ({ data, error }: Json): unknown =>
  error ?? Object.values((data as readonly Json[])[0] ?? {})[0];

const get = (query: object, more = "", credential = token) =>
  ask(`/load?query=${encodeURIComponent(JSON.stringify(query))}${more}`, undefined, credential);

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

  it("computes what many ask for at once, and answers 429 above the limit of the deployment", async () => {
    // All of the burst may be used again.
    clock.aheadMs += 60_000;
    clock.stoppedAt = performance.now() + clock.aheadMs;
    const url = `${address}/load?query=${encodeURIComponent('{"dimensions":["computed.id"]}')}`;
    const send = () => fetch(url, { headers: { authorization: token } });
    const answers = await Promise.all(
      Array.from({ length: limits.deploymentBurst + 50 }, () => send()),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(50);
    for (const { headers } of refused) expect(headers.get("retry-after")).toBe("1");
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted).toHaveLength(limits.deploymentBurst);
    const values = new Set<unknown>();
    const read = async (one: Response) => values.add(valueOf((await one.json()) as Json));
    for (const one of admitted) await read(one);
    clock.stoppedAt += 1000;
    const later = await Promise.all(
      Array.from({ length: limits.deploymentRequests + 1 }, () => send()),
    );
    expect(later.filter(({ status }) => status === 429)).toHaveLength(1);
    for (const one of later) if (one.status === 200) await read(one);
    clock.aheadMs += 60_000;
    clock.stoppedAt = undefined;
    // A busy machine may not compute it while the requests are held.
    const isReady = async () => (await get({ dimensions: ["computed.id"] }))[1]["data"];
    await expect.poll(isReady, { timeout: 60_000 }).toBeDefined();
    values.add(valueOf((await get({ dimensions: ["computed.id"] }))[1]));
    const ready = [...values].filter((value) => value !== "Continue wait");
    expect(ready).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it("needs a token of the deployment", async () => {
    expect((await get(query, "", "none"))[0]).toBe(401);
    expect((await get(query, "", service.adminKey))[0]).toBe(401);
  });
});

describe("a data source of the variables", () => {
  const query = { measures: ["servers.price"], dimensions: ["servers.name"] };
  const set = (values: Readonly<Record<string, string>>) =>
    service.done("PUT", "/api/v1/deployments/1/env-vars", {
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
    await set({ TYPE: "oracle" });
    expect(await get(query)).toEqual(
      refused('the variable SVC_DS_WAREHOUSE_DB_TYPE is "oracle"; use postgres'),
    );
    await set({ TYPE: "postgres" });
    expect(await get(query)).toEqual(
      refused("the data source warehouse needs the variable SVC_DS_WAREHOUSE_DB_HOST"),
    );
  });

  if (onPostgres)
    it("is a PostgreSQL database", async () => {
      const { hostname, port, pathname, username, password } = new URL(String(inject("postgres")));
      const database = pathname.slice(1);
      await set({ HOST: hostname, PORT: port, NAME: database, USER: username, PASS: password });
      expect(await get(query)).toMatchObject([
        200,
        {
          data: [{ "servers.name": database, "servers.price": "1.50" }],
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

  if (onPostgres)
    it("errors Continue wait: while a query is prepared; the same request then gets its data", async () => {
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
    });
});

describe("access policies", () => {
  it("open the rows and members of the user of the token", async () => {
    const key = await service.userKey("Developer");
    const { id: userId } = await service.as(key).done("GET", "/api/v1/users/me");
    const [account] = service.accounts;
    const claims = { userId: Number(userId), deploymentId: 1, seconds: 60 };
    const limited = (await account?.requestContext.tokens.issueDataToken(claims)) ?? "";
    const count = async () => (await get({ measures: ["orders.count"] }, "", limited))[1]["data"];
    expect(await count()).toEqual([{ "orders.count": "0" }]);
    const attribute = { name: "status", type: "string" };
    const made = await service.done("POST", "/api/v1/user-attributes", attribute);
    const value = { userId: String(userId), userAttributeId: String(made["id"]), value: "paid" };
    await service.done("POST", "/api/v1/user-attribute-values", value);
    expect(await count()).toEqual([{ "orders.count": "2" }]);
    expect(await get({ measures: ["orders.total"] }, "", limited)).toMatchObject([
      400,
      { error: expect.stringContaining("You requested hidden member: 'orders.total'") },
    ]);
    const tenants = async () =>
      (await get({ measures: ["tenants.count"] }, "", limited))[1]["data"];
    await service.done("PUT", `/api/v1/users/${String(userId)}`, {
      securityContext: { tenant: 1 },
    });
    expect(await tenants()).toEqual([{ "tenants.count": "1" }]);
    await service.done("PUT", `/api/v1/users/${String(userId)}`, {
      securityContext: { tenant: 2 },
    });
    expect(await tenants()).toEqual([{ "tenants.count": "0" }]);
    const [, meta] = await ask("/meta", undefined, limited);
    const [orders] = meta["cubes"] as readonly Json[];
    expect(orders?.["measures"]).toMatchObject([{ name: "orders.count" }]);
  });
});

describe("embed sessions", () => {
  const open = async (more: object): Promise<readonly [session: Json, token: string]> => {
    const session = { deploymentId: 1, externalId: "viewer", branchName, ...more };
    const made = await service.done("POST", "/api/v1/embed/generate-session", session);
    const { token: embedToken } = await service.done("POST", "/api/v1/embed/session/token", made);
    return [made, String(embedToken)];
  };

  it("for a dashboard query while the embed tenant has access to it", async () => {
    const workbooks = "/api/v1/deployments/1/workbooks";
    const { id } = await service.done("POST", workbooks, {});
    const content = { workbookId: id, title: "Sales", allowEmbed: true };
    const publish = await service.done("POST", `${workbooks}/${String(id)}/publish`, content);
    const setAccess = (access: object) =>
      service.done("PUT", `${workbooks}/${String(id)}/embed-access`, {
        allEmbedUsers: true,
        ...access,
      });
    await setAccess({ action: "read" });
    const [, viewer] = await open({ publicDashboardId: publish["publicId"] });
    const [, free] = await open({});
    const query = { measures: ["orders.count"] };
    const statuses = async () => [
      (await get(query, "", viewer))[0],
      (await get(query, "", free))[0],
    ];
    expect(await statuses()).toEqual([200, 200]);
    await setAccess({ action: "none" });
    expect(await statuses()).toEqual([403, 200]);
    await setAccess({ action: "read", allowEmbed: false });
    expect(await statuses()).toEqual([403, 200]);
    await setAccess({ action: "read", allowEmbed: true });
    expect(await statuses()).toEqual([200, 200]);
    await service.send("DELETE", `${workbooks}/${String(id)}`);
    expect(await statuses()).toEqual([403, 200]);
  });

  it("have the defaults of attributes without a value", async () => {
    const [, viewer] = await open({ externalId: "by-default" });
    const count = async () => (await get({ measures: ["visits.count"] }, "", viewer))[1];
    expect(await count()).toMatchObject({ error: expect.stringContaining("hidden member") });
    const define = async (attribute: object) =>
      service.done("POST", "/api/v1/user-attributes", attribute);
    await define({ name: "may_visit", type: "boolean", defaultValue: "true" });
    await define({ name: "statuses", type: "string_array", defaultValue: "paid, open" });
    await define({ name: "ids", type: "number_array", defaultValue: "[1, 2]" });
    expect(await count()).toMatchObject({ data: [{ "visits.count": "2" }] });
  });

  it("of creator mode have the groups and attributes of the embed tenant alone", async () => {
    const creator = { externalId: "maker", embedTenantName: "workshop", creatorMode: true };
    const type = "string";
    const [, plain] = await open({
      ...creator,
      creatorMode: false,
      userAttributes: [{ name: "status", value: "paid" }],
    });
    const [, own] = await open({
      ...creator,
      userAttributeDefinitions: [{ name: "other", type }],
    });
    const count = async (credential: string) => {
      const [, body] = await get({ measures: ["orders.count"] }, "", credential);
      return body["data"];
    };
    expect(await count(plain)).toEqual([{ "orders.count": "2" }]);
    expect(await count(own)).toEqual([{ "orders.count": "0" }]);
    await open({
      ...creator,
      userAttributeDefinitions: [{ name: "status", type }],
      userAttributes: [{ name: "status", value: "open" }],
    });
    expect(await count(own)).toEqual([{ "orders.count": "1" }]);
  });

  it("of creator mode read no generated SQL where the account hides it", async () => {
    const [, creator] = await open({ embedTenantName: "workshop", creatorMode: true });
    const [, plain] = await open({ embedTenantName: "workshop" });
    const query = encodeURIComponent(JSON.stringify({ measures: ["orders.count"] }));
    const statuses = async () => [
      (await ask(`/sql?query=${query}`, undefined, creator))[0],
      (await ask(`/sql?query=${query}`, undefined, plain))[0],
    ];
    expect(await statuses()).toEqual([200, 200]);
    await service.done("PUT", "/api/v1/app-config", { creatorMode: { showGeneratedSql: false } });
    expect(await statuses()).toEqual([400, 200]);
    await service.done("PUT", "/api/v1/app-config", { creatorMode: null });
  });

  it("query their branch with their context, attributes and roles until they are revoked", async () => {
    const userAttributes = [{ name: "status", value: "open" }];
    const [opened, viewer] = await open({ userAttributes, securityContext: { tenant: 1 } });
    const paid = { measures: ["orders.count"] };
    expect((await get(paid, "", viewer))[1]["data"]).toEqual([{ "orders.count": "1" }]);
    expect((await get({ measures: ["tenants.count"] }, "", viewer))[1]["data"]).toEqual([
      { "tenants.count": "1" },
    ]);
    expect((await get({ measures: ["orders.total"] }, "", viewer))[0]).toBe(400);
    const [, other] = await open({ securityContext: { tenant: 2 } });
    expect((await get({ measures: ["tenants.count"] }, "", other))[1]["data"]).toEqual([
      { "tenants.count": "0" },
    ]);
    expect(await get({ measures: ["broken.count"] }, "", viewer)).toEqual([
      400,
      { error: expect.stringContaining("the logs of the deployment") },
    ]);
    const logs = () => service.done("GET", "/api/v1/deployments/1/logs?source=dev");
    await expect.poll(async () => JSON.stringify(await logs())).toContain("missing_table");
    const [, ofProduction] = await open({ branchName: null });
    expect((await get(paid, "", ofProduction))[0]).toBe(403);
    await service.send("POST", "/api/v1/embed/session/revoke", opened);
    expect((await get(paid, "", viewer))[0]).toBe(401);
  });
});

describe("views", () => {
  const deployment = "/api/v1/deployments/1";
  const list = async (path: string): Promise<readonly Json[]> => {
    const { items } = await service.done("GET", `${deployment}/${path}`);
    return items as readonly Json[];
  };

  it("are counted by day and user, and order reports and the workspace", async () => {
    const workbook = await service.done("POST", `${deployment}/workbooks`, { name: "Seen" });
    const { id: workbookId } = workbook;
    const { id: unseen } = await service.done("POST", `${deployment}/workbooks`, {
      name: "Unseen",
    });
    const content = { workbookId, title: "Sales", allowEmbed: true };
    const publish = `${deployment}/workbooks/${String(workbookId)}/publish`;
    const closed = await service.done("POST", `${deployment}/workbooks/${String(unseen)}/publish`, {
      ...content,
      workbookId: unseen,
    });
    const { publicId } = await service.done("POST", publish, content);
    const report = (name: string) => service.done("POST", `${deployment}/reports`, { name });
    const [seen, other] = [await report("Seen"), await report("Other")];
    const access = { embedTenantName: "viewers", action: "read" };
    const query = { measures: ["tenants.count"] };
    const session = { deploymentId: 1, branchName, securityContext: { tenant: 1 } };
    const tokenFor = async (more: object) => {
      const made = await service.done("POST", "/api/v1/embed/generate-session", {
        ...session,
        ...more,
      });
      return String((await service.done("POST", "/api/v1/embed/session/token", made))["token"]);
    };
    const viewer = { externalId: "counted", embedTenantName: "viewers" };
    const free = await tokenFor(viewer);
    // Without access, an external user counts nothing by naming a dashboard.
    await get(query, `&dashboardPublicId=${String(closed["publicId"])}`, free);
    await service.done("PUT", `${deployment}/workbooks/${String(workbookId)}/embed-access`, access);
    const fixed = await tokenFor({ ...viewer, publicDashboardId: publicId });
    expect(
      await service.as(fixed).send("GET", `/api/v1/embed/dashboard/${String(publicId)}`),
    ).toMatchObject({ status: 200 });
    await get(query, "", fixed);
    await get(query, `&reportPublicId=${String(other["publicId"])}`, fixed);
    const post = (publicIdOfReport: unknown) =>
      ask("/load", { query: { measures: ["orders.count"] }, reportPublicId: publicIdOfReport });
    expect((await post("none"))[0]).toBe(400);
    expect((await post(seen["publicId"]))[0]).toBe(200);
    await expect
      .poll(() => list("usage-analytics?first=10"), { timeout: 10_000 })
      .toMatchObject([
        { type: "REPORT", name: "Seen", username: "admin", views: 0, queries: 1 },
        { type: "DASHBOARD", publicId, name: "Seen", username: "counted", views: 1, queries: 2 },
      ]);
    const days = await list("usage-analytics?type=REPORT&end=2000-01-01");
    expect(days).toEqual([]);
    const reports = await list("reports?sortBy=lastViewedAt&sortDirection=DESC&limit=10");
    expect(reports.map(({ name }) => name)).toEqual(["Seen", "Other"]);
    expect(reports[0]).toHaveProperty("lastViewedAt");
    const cursor = `${deployment}/reports?sortBy=lastViewedAt&after=x`;
    expect(await service.send("GET", cursor)).toMatchObject({ status: 400 });
    const order = "orderByField=viewer_last_viewed_at&orderByDirection=desc";
    const items = await list(`workspace?types=REPORT&types=WORKBOOK&first=2&${order}`);
    expect(items[0]).toMatchObject({ name: "Seen", type: "REPORT" });
    expect(items[0]).toHaveProperty("viewerLastViewedAt");
    // An administrator has not viewed what only the viewer did.
    expect(items[1]).not.toHaveProperty("viewerLastViewedAt");
    expect(await service.done("GET", publish.replace("/publish", ""))).toMatchObject({
      lastViewedAt: expect.any(String),
      publishedDashboard: { lastViewedAt: expect.any(String) },
    });
    await service.send("DELETE", `${deployment}/reports/${String(seen["id"])}`);
    expect(await list("usage-analytics")).toHaveLength(1);
  });
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
      { name: "visits" },
      { name: "broken" },
      { name: "tenants" },
      { name: "servers" },
      { name: "computed" },
      { name: "locked" },
      { name: "logging" },
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
