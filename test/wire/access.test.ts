// Tests users and API keys with literal requests and responses, as documented publicly and in our additions.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Server, startServer } from "./server-process.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const get = (path: string, key?: string) =>
  server.call("GET", path, key === undefined ? {} : { authorization: `Api-Key ${key}` });
const send = (method: string, path: string, body?: unknown) => server.call(method, path, { body });

describe("users", () => {
  it("client area Other, users: are created with POST, listed and read, changed with PUT, and deleted", async () => {
    const created = await send("POST", "/api/v1/users", {
      email: "Ann@Example.com",
      username: "ann",
      firstName: "Ann",
      isAdmin: false,
      picture: "https://example.com/ann.png",
    });
    expect(created.status).toBe(200);
    const ann = {
      id: created.body.id,
      email: "Ann@Example.com",
      username: "ann",
      isAdmin: false,
      isDeactivated: false,
      defaultRoles: ["AIBIViewer"],
      firstName: "Ann",
      picture: "https://example.com/ann.png",
      groups: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    };
    expect(created.json).toEqual(ann);
    expect((await get(`/api/v1/users/${created.body.id}`)).json).toEqual(ann);
    expect((await get("/api/v1/users?first=1")).json).toMatchObject({
      items: [ann],
      pageInfo: { hasNextPage: true },
    });
    const changed = await send("PUT", `/api/v1/users/${created.body.id}`, {
      title: "Analyst",
      isAdmin: true,
    });
    expect(changed.status).toBe(200);
    expect(changed.json).toMatchObject({ title: "Analyst", isAdmin: true, firstName: "Ann" });
    expect((await send("DELETE", `/api/v1/users/${created.body.id}`)).status).toBe(204);
    expect((await get(`/api/v1/users/${created.body.id}`)).status).toBe(404);
  });

  it("cannot deactivate themselves (403), delete themselves (400), or leave no administrator (403)", async () => {
    const me = await get("/api/v1/users/me");
    expect(me.json).toMatchObject({ username: "admin", isAdmin: true });
    const path = `/api/v1/users/${me.body.id}`;
    expect((await send("PUT", path, { isDeactivated: true })).status).toBe(403);
    expect((await send("DELETE", path)).status).toBe(400);
    expect((await send("PUT", path, { isAdmin: false })).status).toBe(403);
  });

  it("are changed in bulk, with failures and successes in one response", async () => {
    const { body } = await send("POST", "/api/v1/users", { email: "b@b.example", username: "bo" });
    const answer = await send("POST", "/api/v1/users/bulk", {
      action: "DEACTIVATE",
      userIds: [body.id, 4711],
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      action: "DEACTIVATE",
      succeeded: [body.id],
      failed: [{ userId: 4711, error: { status: 404, message: expect.any(String) } }],
    });
  });
});

describe("API keys", () => {
  it("client area Other, api-keys: show `token` once, belong to their owner, and are scoped with PATCH", async () => {
    const created = await send("POST", "/api/v1/api-keys", { name: "ci", deploymentIds: [1] });
    expect(created.status).toBe(200);
    const { id, token } = created.body;
    const key = {
      id,
      name: "ci",
      prefix: token.slice(0, 7),
      ownerUserId: 1,
      deploymentIds: [1],
      permissions: null,
      states: null,
      isDisabled: false,
      createdAt: expect.any(String),
    };
    expect(created.json).toEqual({ ...key, token: expect.stringMatching(/^sk-[\w-]{43}$/) });
    expect((await get(`/api/v1/api-keys/${id}`)).json).toEqual(key);
    expect((await get("/api/v1/api-keys", token)).status).toBe(403);
    const wider = await send("PATCH", `/api/v1/api-keys/${id}`, { deploymentIds: null });
    expect(wider.json).toEqual({ ...key, deploymentIds: null });
    expect((await get("/api/v1/api-keys", token)).status).toBe(200);
    expect((await send("DELETE", `/api/v1/api-keys/${id}`)).status).toBe(204);
    expect((await get("/api/v1/api-keys", token)).status).toBe(401);
  });

  it("of users who are no administrators answer 403 where the operator says so", async () => {
    const closed = await startServer(["--no-personal-keys"]);
    try {
      const user = { email: "ann@example.com", username: "ann" };
      const { body } = await closed.call("POST", "/api/v1/users", { body: user });
      const desired = { name: "ann's", ownerUserId: body.id };
      const refused = await closed.call("POST", "/api/v1/api-keys", { body: desired });
      expect(refused.status).toBe(403);
      expect(refused.body.error).toContain("does not allow personal keys");
    } finally {
      await closed.stop();
    }
  });
});
