// API keys: shown once, stored as a hash, scoped for good, gone at once.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;

beforeEach(async () => {
  service = await startService();
});
afterEach(async () => service.close());

const path = "/api/v1/api-keys";

interface Key {
  id: number;
  token: string;
  prefix: string;
}

async function make(body: object): Promise<Key> {
  const answer = await service.send("POST", path, { body });
  expect(answer.status).toBe(200);
  return answer.body as Key;
}

describe("API keys", () => {
  it("show their secret once, and their prefix always", async () => {
    const key = await make({ name: "build" });
    expect(key.token).toMatch(/^sk-[\w-]{32,}$/);
    expect(key.token.startsWith(key.prefix)).toBe(true);
    const { token, ...shown } = key;
    expect((await service.send("GET", `${path}/${key.id}`)).body).toEqual(shown);
    expect((await service.send("GET", path)).text).not.toContain(token);
    const stored = await service.db.selectFrom("api_keys").selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(token.slice(10));
  });

  it("reach all deployments or those that exist and are named", async () => {
    expect(await make({ name: "all" })).toMatchObject({ deploymentIds: null });
    expect(await make({ name: "null", deploymentIds: null })).toMatchObject({
      deploymentIds: null,
    });
    expect(await make({ name: "one", deploymentIds: [1, 1] })).toMatchObject({
      deploymentIds: [1],
    });
    for (const deploymentIds of [[], [99], ["1"], [0]]) {
      const answer = await service.send("POST", path, { body: { name: "x", deploymentIds } });
      expect(answer.status).toBe(400);
    }
  });

  it("stay scoped when the last deployment in scope is gone", async () => {
    const { token, id } = await make({ name: "one", deploymentIds: [1] });
    await service.db.deleteFrom("deployments").where("id", "=", 1).execute();
    expect((await service.send("GET", path, { key: token })).status).toBe(403);
    const list = await service.send("GET", "/api/v1/deployments", { key: token });
    expect(list.body).toMatchObject({ items: [] });
    const shown = await service.send("GET", `${path}/${id}`);
    expect(shown.body).toMatchObject({ deploymentIds: [] });
  });

  it("belong to their maker or to the user who is named, with that user's rights", async () => {
    const body = { email: "ann@example.com", username: "ann" };
    const user = (await service.send("POST", "/api/v1/users", { body })).body as { id: number };
    const key = await make({ name: "ann's", ownerUserId: user.id });
    const me = await service.send("GET", "/api/v1/users/me", { key: key.token });
    expect(me.body).toMatchObject({ username: "ann", isAdmin: false });
    expect((await service.send("GET", path, { key: key.token })).status).toBe(403);
    const nobody = await service.send("POST", path, { body: { name: "x", ownerUserId: 999 } });
    expect(nobody.status).toBe(400);
  });

  it("stop working at once when they or their user are deleted", async () => {
    const key = await make({ name: "gone" });
    expect((await service.send("DELETE", `${path}/${key.id}`)).status).toBe(204);
    expect((await service.send("GET", "/api/v1/regions", { key: key.token })).status).toBe(401);
    expect((await service.send("DELETE", `${path}/${key.id}`)).status).toBe(404);
    expect((await service.send("GET", `${path}/${key.id}`)).status).toBe(404);
    const token = await service.key({ admin: false });
    await service.db.deleteFrom("users").where("is_admin", "=", 0).execute();
    expect((await service.send("GET", "/api/v1/regions", { key: token })).status).toBe(401);
  });
});
