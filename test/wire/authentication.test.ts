// Tests literal requests of authentication: schemes, scopes and permissions.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDeployment, startWireFixture, type WireFixture } from "./fixture.ts";

let fixture: WireFixture;
let other: number;
/** Keys: of an admin for one deployment, and of a user who is not an admin. */
let scoped: string;
let plain: string;
const session = "/api/v1/embed/generate-session";

beforeAll(async () => {
  fixture = await startWireFixture();
  other = await createDeployment(fixture, "other");
  const ownerUserId = await fixture.create("/api/v1/users", {
    email: "plain@example.com",
    username: "plain",
  });
  scoped = await key({ name: "one", deploymentIds: [fixture.deploymentId] });
  plain = await key({ name: "plain", ownerUserId });
  await fixture.createSessionId({ externalId: "viewer", embedTenantName: "guarded" });
});
afterAll(() => fixture.stop());

async function key(body: object): Promise<string> {
  return (await fixture.call("POST", "/api/v1/api-keys", { body })).body.token;
}

const tenantEndpoints: [string, string][] = [
  ["GET", "/api/v1/embed-tenants/guarded/groups"],
  ["DELETE", "/api/v1/embed-tenants/guarded/groups/1"],
  ["GET", "/api/v1/embed-tenants/guarded/user-attributes"],
  ["DELETE", "/api/v1/embed-tenants/guarded/user-attributes/1"],
];

describe("schemes", () => {
  it("authentication 1: Bearer on the management and build APIs", async () => {
    const authorization = `Bearer ${fixture.apiKey}`;
    expect((await fixture.call("GET", "/api/v1/deployments", { authorization })).status).toBe(200);
    const [region] = await fixture.items("/api/v1/regions");
    const built = await fixture.call("POST", "/build/api/v1/deployments", {
      authorization,
      body: { name: "built", region: region?.name },
    });
    expect(built.status).toBe(200);
  });

  it("authentication 2: an API key is sent as a bearer token", async () => {
    for (const token of [fixture.apiKey, plain, scoped]) {
      const me = await fixture.call("GET", "/api/v1/users/me", {
        authorization: `Bearer ${token}`,
      });
      expect(me.status).toBe(200);
    }
  });

  it("authentication 4: Api-Key on sessions and embed tenants", async () => {
    const authorization = `Api-Key ${fixture.apiKey}`;
    const body = { deploymentId: fixture.deploymentId, externalId: "viewer" };
    expect((await fixture.call("POST", session, { authorization, body })).status).toBe(200);
    const groups = await fixture.call("GET", "/api/v1/embed-tenants/guarded/groups", {
      authorization,
    });
    expect(groups.status).toBe(200);
  });

  it("endpoint row POST generate-session: JSON with the Api-Key scheme", async () => {
    const answer = await fetch(`${fixture.url}${session}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Api-Key ${fixture.apiKey}` },
      body: `{"deploymentId":${fixture.deploymentId},"externalId":"viewer"}`,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ sessionId: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  it("service base address: bodies are JSON", async () => {
    const text = JSON.stringify({ deploymentId: fixture.deploymentId, externalId: "viewer" });
    const plainText = { body: text, headers: { "Content-Type": "text/plain" } };
    expect((await fixture.call("POST", session, plainText)).status).toBe(415);
    expect((await fixture.call("POST", session, { body: "{" })).status).toBe(400);
    const answer = await fixture.call("GET", "/api/v1/deployments");
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  });
});

describe("missing, malformed and unknown credentials", () => {
  it.each([
    ["none", null],
    ["an empty one", ""],
    ["a scheme alone", "Bearer"],
    ["an unknown scheme", "Basic c3ZjOnN2Yw=="],
    ["an unknown key", "Api-Key sk-0000000000000000000000000000000000000000"],
    ["an unknown bearer", "Bearer sk-0000000000000000000000000000000000000000"],
    ["a torn token", "Bearer eyJhbGciOiJIUzI1NiJ9.e30."],
  ])("errors 401: %s", async (_, authorization) => {
    for (const [method, path] of [["POST", session], ["GET", "/api/v1/spec"], ...tenantEndpoints]) {
      const body = method === "POST" ? { deploymentId: 1, externalId: "viewer" } : undefined;
      const answer = await fixture.call(String(method), String(path), { authorization, body });
      expect(answer.status).toBe(401);
      expect(answer.body["statusCode"]).toBe(401);
    }
  });

  it("errors 401: a key that was deleted, and a session that was used", async () => {
    const created = await fixture.call("POST", "/api/v1/api-keys", { body: { name: "short" } });
    const authorization = `Api-Key ${created.body.token}`;
    expect((await fixture.call("GET", "/api/v1/users/me", { authorization })).status).toBe(200);
    await fixture.call("DELETE", `/api/v1/api-keys/${created.body.id}`);
    expect((await fixture.call("GET", "/api/v1/users/me", { authorization })).status).toBe(401);
    const sessionId = await fixture.createSessionId({ externalId: "viewer" });
    const exchange = () =>
      fixture.call("POST", "/api/v1/embed/session/token", {
        authorization: null,
        body: { sessionId },
      });
    expect((await exchange()).status).toBe(200);
    expect((await exchange()).status).toBe(401);
  });
});

describe("scopes and roles", () => {
  it("authentication 5: a scoped key authorises its deployments only", async () => {
    const authorization = `Api-Key ${scoped}`;
    const one = (id: number) => fixture.call("GET", `/api/v1/deployments/${id}`, { authorization });
    expect((await one(fixture.deploymentId)).status).toBe(200);
    expect((await one(other)).status).toBe(403);
    const listed = await fixture.call("GET", "/api/v1/deployments", { authorization });
    expect(listed.body.items.map(({ id }) => id)).toEqual([fixture.deploymentId]);
  });

  it("authentication 5: an unscoped key authorises every deployment", async () => {
    for (const id of [fixture.deploymentId, other]) {
      expect((await fixture.call("GET", `/api/v1/deployments/${id}`)).status).toBe(200);
    }
  });

  it("generate-session rule 2: a deployment outside the key's scope is 403", async () => {
    const authorization = `Api-Key ${scoped}`;
    const generate = (deploymentId: number) =>
      fixture.call("POST", session, {
        authorization,
        body: { deploymentId, externalId: "viewer" },
      });
    expect((await generate(fixture.deploymentId)).status).toBe(200);
    expect((await generate(other)).status).toBe(403);
    expect((await generate(999_999)).status).toBe(403);
  });

  it("errors 403: the key is scoped to other deployments", async () => {
    const authorization = `Api-Key ${scoped}`;
    const answer = await fixture.call("GET", `/api/v1/deployments/${other}`, { authorization });
    expect(answer.status).toBe(403);
    expect(answer.body["statusCode"]).toBe(403);
  });

  it("errors 403: a scoped key has no right to the account's embed tenants", async () => {
    for (const [method, path] of tenantEndpoints) {
      const answer = await fixture.call(method, path, { authorization: `Api-Key ${scoped}` });
      expect(answer.status).toBe(403);
    }
  });

  it("endpoint row embed-tenants need an admin: any other user is refused", async () => {
    for (const [method, path] of tenantEndpoints) {
      const answer = await fixture.call(method, path, { authorization: `Api-Key ${plain}` });
      expect(answer.status).toBe(403);
    }
  });

  it("authentication 6: the user behind key or embed token has to be an admin", async () => {
    const body = { deploymentId: fixture.deploymentId, externalId: "viewer" };
    const generate = async (authorization: string) =>
      (await fixture.call("POST", session, { authorization, body })).status;
    expect(await generate(`Bearer ${plain}`)).toBe(403);
    const sessionId = await fixture.createSessionId({ externalId: "viewer" });
    const { body: exchanged } = await fixture.call("POST", "/api/v1/embed/session/token", {
      authorization: null,
      body: { sessionId },
    });
    expect(await generate(`Bearer ${exchanged.token}`)).toBe(403);
    const { body: me } = await fixture.call("GET", "/api/v1/users/me");
    const internal = await fixture.createSessionId({ internalId: me["username"] });
    const { body: admin } = await fixture.call("POST", "/api/v1/embed/session/token", {
      authorization: null,
      body: { sessionId: internal },
    });
    const authorization = `Bearer ${admin.token}`;
    const { body: who } = await fixture.call("GET", "/api/v1/users/me", { authorization });
    expect(who["isAdmin"]).toBe(true);
    // Otherwise one token would be enough to keep access to the account forever.
    expect(await generate(authorization)).toBe(403);
  });

  it("authentication 9: no list and no failure repeats a secret", async () => {
    const keys = await fixture.call("GET", "/api/v1/api-keys");
    const wrong = "sk-this-is-not-a-key-but-secret-all-the-same";
    const refused = await fixture.call("GET", "/api/v1/users/me", {
      authorization: `Api-Key ${wrong}`,
    });
    expect(JSON.stringify(keys.body)).not.toContain(fixture.apiKey);
    expect(JSON.stringify(keys.body)).not.toContain(scoped);
    expect(JSON.stringify(refused.body)).not.toContain(wrong);
  });
});
