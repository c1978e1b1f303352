// Tests tokens of environments: where they are accepted, what they contain, and who can list them.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { sweepAll } from "../../service/jobs/sweep.ts";
import { type ModelService, startModelService } from "./data-model-service.ts";

const model = `
cubes:
  - name: orders
    sql: "SELECT * FROM (SELECT 1 AS id, 'acme' AS tenant UNION ALL SELECT 2, 'other') AS t WHERE {SECURITY_CONTEXT.tenant.filter('tenant')}"
    dimensions: [{ name: tenant, sql: tenant, type: string }]
    measures: [{ name: count, type: count }]
`;

let service: ModelService;
let dev: string;
let time: number;
beforeEach(async () => {
  time = Date.parse("2026-01-31T10:00:00.500Z");
  service = await startModelService({ now: () => time });
  dev = await service.enter();
  await service.put(model, "model/orders.yml");
  expect(await service.buildEnded(dev)).toMatchObject({ status: "built" });
});
afterEach(() => service.close());

const environments = "/api/v1/deployments/1/environments";
type Json = Readonly<Record<string, unknown>>;

/** Returns the path of the tokens of an environment, and adds to it. */
async function tokensOf(type: string, more = ""): Promise<string> {
  const { items } = await service.done("GET", `${environments}?type=${type}`);
  return `${environments}/${(items as { id: string }[])[0]?.id}/tokens${more}`;
}

async function create(type: string, body: object = {}, key = service.adminKey): Promise<Json> {
  const path = await tokensOf(type);
  const created = await service.as(key).done("POST", path, { security_context: {}, ...body });
  return created["data"] as Json;
}

async function ask(token: unknown, path: string, at = `/dev-mode/${dev}`): Promise<[number, Json]> {
  const response = await fetch(`${service.url}/deployments/main${at}${path}`, {
    headers: { authorization: String(token) },
  });
  return [response.status, (await response.json()) as Json];
}
const query = encodeURIComponent(JSON.stringify({ measures: ["orders.count"] }));
const load = `/svcjs-api/v1/load?query=${query}`;

describe("the token of an environment", () => {
  it("is accepted at that environment's data API and nowhere else", async () => {
    const { token, ...rest } = await create("development");
    expect(rest).toEqual({
      security_context: {},
      created_at: "2026-01-31T10:00:00.000Z",
      expires_at: "2026-01-31T11:00:00.000Z",
    });
    expect((await ask(token, "/api/v1/spec"))[0]).toBe(200);
    expect(await ask(token, "/api/v1/spec", "")).toMatchObject([
      403,
      { message: expect.stringContaining("another environment") },
    ]);
    const { token: production } = await create("production");
    expect((await ask(production, "/api/v1/spec", ""))[0]).toBe(200);
    expect((await ask(production, "/api/v1/spec"))[0]).toBe(403);
    for (const path of ["/api/v1/users/me", environments]) {
      expect((await service.send("GET", path)).status).toBe(200);
      expect((await service.as(String(token)).send("GET", path)).status).toBe(401);
    }
  });

  it("expires after expires_in seconds", async () => {
    const { token } = await create("development", { expires_in: 60 });
    time += 59_000;
    expect((await ask(token, "/api/v1/spec"))[0]).toBe(200);
    time += 2000;
    expect((await ask(token, "/api/v1/spec"))[0]).toBe(401);
    for (const expires_in of [0, limits.environmentTokenSeconds + 1]) {
      const body = { security_context: {}, expires_in };
      expect((await service.send("POST", await tokensOf("development"), body)).status).toBe(400);
    }
  });

  it("carries the security context that the data model filters by", async () => {
    const counts = async (security_context: object, key?: string) => {
      const { token } = await create("development", { security_context }, key);
      const [, { data, error }] = await ask(token, load);
      return data ?? error;
    };
    expect(await counts({ tenant: "acme" })).toEqual([{ "orders.count": "1" }]);
    expect(await counts({})).toEqual([{ "orders.count": "2" }]);
    // Without SchemaUpdate, a caller has no context, which differs from an empty one.
    const viewer = await service.userKey("AIBIUser");
    expect(await counts({ tenant: "acme" }, viewer)).toContain("carries no security context");
    const { security_context } = await create(
      "development",
      { security_context: { a: 1 } },
      viewer,
    );
    expect(security_context).toEqual({});
    const large = { security_context: { text: "a".repeat(limits.securityContextBytes) } };
    expect((await service.send("POST", await tokensOf("development"), large)).status).toBe(400);
  });

  it("has no role of its creator beside a security context", async () => {
    const policies = `    access_policy:
      - { role: admin }
      - group: "*"
        member_level: { includes: [count] }
        row_level: { filters: [{ member: tenant, operator: equals, values: ["{securityContext.tenant}"] }] }
`;
    await service.put(
      model
        .replace(/ WHERE .*"/u, '"')
        .replace("type: string }]", "type: string, public: true }]") + policies,
      "model/orders.yml",
    );
    expect(await service.buildEnded(dev)).toMatchObject({ status: "built" });
    const count = async (security_context: object) => {
      const { token } = await create("development", { security_context });
      return (await ask(token, load))[1]["data"];
    };
    expect(await count({ tenant: "acme" })).toEqual([{ "orders.count": "1" }]);
    expect(await count({ other: "acme" })).toEqual([{ "orders.count": "0" }]);
    expect(await count({})).toEqual([{ "orders.count": "0" }]);
    const described = async (kind: string, body: object) => {
      const { data } = await service.done("POST", await tokensOf("development", kind), body);
      return JSON.stringify((await ask((data as Json)["token"], "/svcjs-api/v1/meta"))[1]);
    };
    expect(await described("", { security_context: {} })).not.toContain("orders.tenant");
    // What syncs metadata acts as its creator without a context.
    expect(await described("-for-meta-sync", { security_context: {} })).toContain("orders.tenant");
    const context = { security_context: { tenant: "acme" } };
    expect(await described("-for-meta-sync", context)).not.toContain("orders.tenant");
  });

  it("is limited to its scopes, of which unknown ones are dropped", async () => {
    const { token, scopes } = await create("development", { scopes: ["meta", "other"] });
    expect(scopes).toEqual(["meta"]);
    expect((await ask(token, "/svcjs-api/v1/meta"))[0]).toBe(200);
    expect(await ask(token, load)).toMatchObject([403, { error: "API scope is missing: data" }]);
    expect(await ask(token, load.replace("/load", "/sql"))).toMatchObject([
      403,
      { error: "API scope is missing: sql" },
    ]);
    const none = await create("development", { scopes: ["other"] });
    expect(none["scopes"]).toEqual([]);
    expect((await ask(none["token"], "/svcjs-api/v1/meta"))[0]).toBe(403);
  });

  it("for meta sync only reads metadata", async () => {
    const path = await tokensOf("development", "-for-meta-sync");
    const { data } = await service.done("POST", path, { security_context: {}, scopes: ["x"] });
    const { token, scopes } = data as Json;
    expect(scopes).toEqual(["meta"]);
    expect((await ask(token, "/svcjs-api/v1/meta"))[0]).toBe(200);
    expect((await ask(token, load))[0]).toBe(403);
  });

  it("ends with its environment", async () => {
    const { token } = await create("development");
    await service.done("DELETE", `/build/api/v1/deployments/1/branches?branchName=${dev}`);
    expect((await ask(token, "/api/v1/spec"))[0]).toBe(404);
    const path = `${environments}/999/tokens`;
    expect((await service.send("POST", path, { security_context: {} })).status).toBe(404);
  });

  it("is not for embed sessions", async () => {
    const session = { deploymentId: 1, internalId: "admin" };
    const { sessionId } = await service.done("POST", "/api/v1/embed/generate-session", session);
    const { token } = await service.done("POST", "/api/v1/embed/session/token", { sessionId });
    const path = await tokensOf("production");
    const answer = await service.as(String(token)).send("POST", path, { security_context: {} });
    expect(answer.status).toBe(403);
  });
});

describe("the list of an environment's tokens", () => {
  it("has the valid ones of the credential, with tokens that work", async () => {
    const short = await create("development", { expires_in: 10 });
    const created = await create("development", {
      security_context: { tenant: "acme" },
      scopes: ["meta"],
    });
    await create("production");
    await create("development", {}, await service.userKey("Developer"));
    const path = await tokensOf("development");
    expect((await service.done("GET", path))["items"]).toEqual([created, short]);
    time += 11_000;
    expect((await service.done("GET", path))["items"]).toEqual([created]);
    expect((await ask(created["token"], "/svcjs-api/v1/meta"))[0]).toBe(200);
    await sweepAll(service.db, new Date(time));
    expect(await service.db.selectFrom("environment_tokens").select("id").execute()).toHaveLength(
      3,
    );
  });

  it("keeps a bounded number", async () => {
    await create("development");
    const [row] = await service.db.selectFrom("environment_tokens").selectAll().execute();
    const { id: _, ...copy } = row ?? { id: 0 };
    const rows = Array.from({ length: limits.environmentTokensKept }, () => copy as never);
    for (let from = 0; from < rows.length; from += 100) {
      await service.db
        .insertInto("environment_tokens")
        .values(rows.slice(from, from + 100))
        .execute();
    }
    await create("development");
    const { count } = await service.db
      .selectFrom("environment_tokens")
      .select((eb) => eb.fn.countAll().as("count"))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(limits.environmentTokensKept);
  });
});
