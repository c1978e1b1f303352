// Measures queries through the data API: processor time against the bare engine, identical queries, and health checks under
// load.
import { setTimeout as sleep } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { duckDbSettings } from "../service/engine/duckdb.ts";
import { cpuMs, interleavedRounds, median } from "./interleaved-rounds.ts";
import { processCpuMs } from "./process-cpu.ts";
import { formatFactor, formatMs, printTable } from "./report.ts";
import { serve, type Served } from "./server.ts";

const rounds = 9;
const deployments = 5;
const healthChecks = 200;

/** A million orders of a thousand customers, without files. */
const model = `
cubes:
  - name: orders
    sql: >
      SELECT range AS id, range % 1000 AS customer_id, range * 7919 % 500 AS amount, range % 7 AS status,
      TIMESTAMP '2025-01-01' + to_seconds(range * 30) AS created_at FROM range(1000000)
    joins: [{ name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers.id}" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: number }
      - { name: created_at, sql: created_at, type: time }
    measures:
      - { name: count, type: count }
      - { name: revenue, type: sum, sql: amount }
      - { name: buyers, type: count_distinct, sql: customer_id }
  - name: customers
    sql: "SELECT range AS id, range % 10 AS city FROM range(1000)"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: city, sql: city, type: number }
`;
const created = { dimension: "orders.created_at", granularity: "day" };
const queries = {
  "group by": { measures: ["orders.count", "orders.revenue"], dimensions: ["orders.status"] },
  "join with a distinct count": { measures: ["orders.buyers"], dimensions: ["customers.city"] },
  "time series": { measures: ["orders.revenue"], timeDimensions: [created] },
} as const;

/** The URL at which a deployment answers queries, and the token for it. */
interface DataApi {
  readonly url: string;
  readonly token: string;
}

/** Runs them on a separate server. */
export async function queriesBench(): Promise<void> {
  const server = await serve();
  try {
    const apis: DataApi[] = [];
    for (let count = 0; count < deployments; count++) apis.push(await deploy(server, count));
    const [first] = apis;
    if (first === undefined) throw new Error("no deployment");
    await measureRatios(server, first);
    await measureIdentical(first);
    await measureHealth(server, apis);
  } finally {
    await server.stop();
  }
}

/** Sends a GET request, or a request with a body by another method. */
async function call(
  server: Served,
  path: string,
  body?: { PUT: object } | { POST: object },
): Promise<Json> {
  const [[method, sent] = ["GET", undefined]] = Object.entries(body ?? {});
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as Json;
}

type Json = Readonly<Record<string, unknown>>;

/** Creates a deployment with a data model of a million rows, and waits for its build. */
async function deploy(server: Served, number: number): Promise<DataApi> {
  const name = `queries-${number}`;
  const { items } = await call(server, "/api/v1/regions");
  const [region] = items as readonly { readonly name: string }[];
  const deploymentAnswer = await call(server, "/build/api/v1/deployments", {
    POST: { name, region: region?.name },
  });
  const build = `/build/api/v1/deployments/${String(deploymentAnswer["id"])}`;
  const { branchName } = await call(server, `${build}/dev-mode`, { POST: { branchName: "main" } });
  const files = [{ path: "model/orders.yml", content: model }];
  await call(server, `${build}/data-model/files`, { PUT: { files } });
  const deployment = `/api/v1/deployments/${String(deploymentAnswer["id"])}`;
  for (let attempt = 0; ; attempt++) {
    const path = `${deployment}/build-status?branchName=${String(branchName)}`;
    const { status } = await call(server, path);
    if (status === "built") break;
    if (attempt > 600) throw new Error(`the build is ${JSON.stringify(status)}`);
    await sleep(50);
  }
  const { svcApiToken } = await call(server, `${deployment}/token`, { POST: {} });
  const url = `${server.url}/deployments/${name}/dev-mode/${String(branchName)}/svcjs-api/v1`;
  return { url, token: String(svcApiToken) };
}

async function ask({ url, token }: DataApi, path: string, body: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: token, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Computes a query, however long it takes. */
async function load(api: DataApi, query: object, cache: string): Promise<Json> {
  for (;;) {
    const answer = (await (await ask(api, "/load", { query, cache })).json()) as Json;
    if (answer["error"] === undefined) return answer;
    if (answer["error"] !== "Continue wait") throw new Error(JSON.stringify(answer["error"]));
  }
}

/** Compares the CPU time of the server and its engine with the CPU time of the same SQL in this process. */
async function measureRatios(server: Served, api: DataApi): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  const connection = await instance.connect();
  for (const text of duckDbSettings) await connection.run(text);
  const rows: (readonly string[])[] = [["", "bare", "load", "load less 5 ms, to bare", "aim"]];
  for (const [name, query] of Object.entries(queries)) {
    const { sql } = (await (await ask(api, "/sql", { query })).json()) as {
      readonly sql: { readonly sql: readonly [string, (string | number)[]] };
    };
    const [text, values] = sql.sql;
    const used = await interleavedRounds(rounds, {
      bare: () => cpuMs(async () => (await connection.runAndReadAll(text, values)).getRowsJson()),
      load: async () => {
        const before = processCpuMs(server.pid);
        await load(api, query, "no-cache");
        return processCpuMs(server.pid) - before;
      },
    });
    const ratio = median(used.load.map((one, at) => (one - 5) / (used.bare[at] ?? NaN)));
    const [bare, loaded] = [median(used.bare), median(used.load)];
    rows.push([name, formatMs(bare), formatMs(loaded), formatFactor(ratio), "1.2 x"]);
  }
  connection.closeSync();
  instance.closeSync();
  printTable(`CPU time of queries on 1,000,000 rows, median of ${rounds} rounds`, rows);
}

/** Sends one query many times concurrently. A slow machine refuses some. */
async function measureIdentical(api: DataApi): Promise<void> {
  await sleep(3000);
  const query = { measures: ["orders.revenue"], dimensions: ["customers.city"] };
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const response = await ask(api, "/load", { query });
      const { lastRefreshTime } = (await response.json()) as Json;
      return { status: response.status, at: lastRefreshTime };
    }),
  );
  const accepted = answers.filter(({ at }) => at !== undefined);
  const computed = new Set(accepted.map(({ at }) => at)).size;
  if (computed !== 1) throw new Error(`the query was computed ${computed} times`);
  printTable("Identical concurrent queries", [
    ["", "sent", "answered", "computed"],
    ["requests", String(answers.length), String(accepted.length), String(computed)],
  ]);
}

/** Measures health checks while all deployments query. */
async function measureHealth(server: Served, apis: readonly DataApi[]): Promise<void> {
  const over = new AbortController();
  let answered = 0;
  const querying = apis.map(async (api) => {
    while (!over.signal.aborted) {
      await load(api, queries["join with a distinct count"], "no-cache");
      answered++;
    }
  });
  const times: number[] = [];
  for (let count = 0; count < healthChecks; count++) {
    const from = performance.now();
    await (await fetch(`${server.url}/livez`)).text();
    times.push(performance.now() - from);
    await sleep(20);
  }
  over.abort();
  await Promise.all(querying);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => formatMs(sorted[Math.floor(sorted.length * share)] ?? NaN);
  printTable(`/livez while ${deployments} deployments query`, [
    ["", "median", "p99", "aim of p99", "queries meanwhile"],
    ["health check", at(0.5), at(0.99), "50 ms", String(answered)],
  ]);
}
