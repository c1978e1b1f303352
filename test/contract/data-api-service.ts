// Starts a deployment whose data API tests can query, with a model, rows and the requests of a client.
import { afterAll, beforeAll } from "vitest";
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
    refresh_key: { every: 1 day }
    dimensions: [{ name: id, sql: id, type: string }]
  - name: many
    sql: "SELECT range AS id FROM range(2500)"
    dimensions: [{ name: name, sql: "CAST(id AS VARCHAR)", type: string }]
  - name: locked
    sql_table: svc_locked
    data_source: warehouse
    measures: [{ name: count, type: count }]
  - name: logging
    sql: "SELECT 1 AS id FROM enable_logging(level='debug', storage='file', storage_config=struct_pack(path := '/tmp/svc-log'))"
    measures: [{ name: count, type: count }]
views:
  - name: all_visits
    cubes: [{ join_path: visits, includes: "*" }]
    access_policy: [{ role: admin }]
view_groups: [{ name: events, includes: [all_visits] }]
`;
const seeds = `id,status,amount,created_at
1,paid,10.5,2026-01-01 10:00:00
2,open,20,2026-01-02 11:00:00
3,paid,30,2026-02-03 12:00:00
`;

/** The body of a response. */
export type Json = Record<string, unknown>;

/** A deployment in dev mode, and requests to its data API. Requests without a credential use an administrator's. */
export interface DataApi {
  readonly service: () => ModelService;
  /** Returns the address of the data API. */
  readonly address: () => string;
  readonly branchName: () => string;
  /** Returns the token of an administrator. */
  readonly token: () => string;
  readonly ask: (path: string, body?: object, credential?: string) => Promise<[number, Json]>;
  /** Loads a query with GET; `more` is added to the address. */
  readonly get: (query: object, more?: string, credential?: string) => Promise<[number, Json]>;
  /** Returns a data token of a new user with a role, and the ID of the user. */
  readonly tokenOf: (role: string) => Promise<{ readonly token: string; readonly userId: number }>;
}

/** Starts a deployment for the tests of a file, and closes its service after them. */
export function useDataApi(options: Parameters<typeof startModelService>[0] = {}): DataApi {
  let started: (Awaited<ReturnType<typeof serveDevMode>> & { token: string }) | undefined;
  let service: ModelService | undefined;
  beforeAll(async () => {
    service = await startModelService(options);
    // The tests are about policies.
    const embedding = { queryScope: "model" };
    await service.done("PUT", "/api/v1/app-config", { embedding });
    const served = await serveDevMode(service, { model, seeds });
    started = { ...served, token: await dataToken(service.as(service.adminKey)) };
  });
  afterAll(() => service?.close());
  const inTests = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("the service runs in tests only");
    return value;
  };
  const token = (): string => inTests(started).token;
  const address = (): string => inTests(started).address;
  const ask: DataApi["ask"] = async (path, body, credential = token()) => {
    const response = await fetch(`${address()}${path}`, {
      headers: { authorization: credential, "content-type": "application/json" },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return [response.status, (await response.json()) as Json];
  };
  const tokenOf: DataApi["tokenOf"] = async (role) => {
    const on = inTests(service);
    const key = await on.userKey(role);
    const { id } = await on.as(key).done("GET", "/api/v1/users/me");
    const keys = await on.done("GET", "/api/v1/api-keys");
    const userId = Number(id);
    const own = (keys["items"] as readonly Json[]).find((one) => one["ownerUserId"] === userId);
    const keyId = own?.["id"];
    const creator = { userId, createdBy: `key:${String(keyId)}`, deactivations: 0 };
    const claims = { ...creator, deploymentId: 1, seconds: 60 };
    const issued = await on.accounts[0]?.requestContext.tokens.issueDataToken(claims);
    return { token: issued ?? "", userId };
  };
  return {
    tokenOf,
    service: () => inTests(service),
    address,
    branchName: () => inTests(started).branchName,
    token,
    ask,
    get: (query, more = "", credential = token()) =>
      ask(`/load?query=${encodeURIComponent(JSON.stringify(query))}${more}`, undefined, credential),
  };
}
