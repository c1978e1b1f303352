// Tests that slow queries of one viewer leave the deployment to others, and end when their client goes away.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { onPostgres } from "../support/test-database.ts";
import { type ModelService, serveDevMode, startModelService } from "./data-model-service.ts";

const slow = {
  seeds: "SELECT a.range * b.range AS id FROM range(10000000) a, range(10000000) b",
  warehouse: "SELECT 1 AS id FROM pg_sleep(3600)",
};
const model = `
cubes:
  - name: orders
    sql_table: orders
    dimensions: [{ name: id, sql: id, type: number, public: true, primary_key: true }]
    measures: [{ name: count, type: count }]
  - name: seeds
    sql: "${slow.seeds}"
    measures: [{ name: sum, type: sum, sql: id }]
    dimensions: [{ name: id, sql: id, type: number }]
  - name: warehouse
    sql: "${slow.warehouse}"
    data_source: warehouse
    measures: [{ name: sum, type: sum, sql: id }]
    dimensions: [{ name: id, sql: id, type: number }]
`;

let service: ModelService;
let address: string;
let branchName: string;
beforeAll(async () => {
  service = await startModelService();
  await service.done("PUT", "/api/v1/app-config", { embedding: { queryScope: "model" } });
  ({ address, branchName } = await serveDevMode(service, { model, seeds: "id\n1\n2\n" }));
  if (!onPostgres) return;
  const { hostname, port, pathname, username, password } = new URL(String(inject("postgres")));
  const values = { TYPE: "postgres", HOST: hostname, PORT: port, NAME: pathname.slice(1) };
  const all = Object.entries({ ...values, USER: username, PASS: password });
  await service.done("PUT", "/api/v1/deployments/1/env-vars", {
    env_variables: all.map(([name, value]) => ({ name: `SVC_DS_WAREHOUSE_DB_${name}`, value })),
  });
});
afterAll(() => service.close());

async function open(embedTenantName: string, externalId: string): Promise<string> {
  const session = { deploymentId: 1, embedTenantName, externalId, branchName };
  const created = await service.done("POST", "/api/v1/embed/generate-session", session);
  return String((await service.done("POST", "/api/v1/embed/session/token", created))["token"]);
}

async function load(token: string, query: object, signal?: AbortSignal): Promise<unknown> {
  const answer = await fetch(`${address}/load`, {
    method: "POST",
    headers: { authorization: token, "content-type": "application/json" },
    body: JSON.stringify({ query }),
    ...(signal && { signal }),
  });
  return answer.json();
}

const rows = { data: [{ "orders.count": "2" }] };

/** A query of the seeds that no other test sends. */
let queries = 0;
const quick = () => {
  const values = [String(++queries + 100)];
  const filters = [{ member: "orders.id", operator: "notEquals", values }];
  return { measures: ["orders.count"], filters };
};

/** Polls a quick query, for less time than the slow ones take. */
function isAnswered(token: string) {
  const query = quick();
  return expect.poll(() => load(token, query), { timeout: 60_000 }).toMatchObject(rows);
}

describe.each(["seeds", ...(onPostgres ? ["warehouse"] : [])])("slow queries of %s", (cube) => {
  it("of one viewer delay no other viewer, and end with the connections of their client", async () => {
    const [looping, neighbor, other] = [
      await open("acme-inc", "looping"),
      await open("acme-inc", "neighbor"),
      await open("other-inc", "looping"),
    ];
    const client = new AbortController();
    const abandoned = Array.from({ length: 20 }, (_, at) => {
      const filters = [{ member: `${cube}.id`, operator: "notEquals", values: [String(at)] }];
      return load(looping, { measures: [`${cube}.sum`], filters }, client.signal);
    });
    const ends = Promise.allSettled(abandoned);
    await isAnswered(other);
    await isAnswered(neighbor);
    client.abort();
    await ends;
    await isAnswered(looping);
  });
});
