// Tests API keys: shown once, stored as a hash, limited to their scope until they expire, and invalid immediately after a
// delete.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

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
    const unknown = await service.send("POST", path, { body: { name: "x", ownerUserId: 999 } });
    expect(unknown.status).toBe(400);
  });

  it("stop working immediately when they or their user are deleted", async () => {
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

describe("what an API key may do", () => {
  // A store in files answers reads from a separate connection, and caches the results until the next write.
  it("changes with the next request after each change, although it was just used", async () => {
    const data = mkdtempSync(join(tmpdir(), "svc-keys-"));
    const files = await startService({ data });
    try {
      const change = async (method: string, at: string, body: object) => {
        const { status: code, text, body: answer } = await files.send(method, at, { body });
        expect(code, text).toBeLessThan(300);
        return (answer ?? {}) as { id: number; token: string };
      };
      await change("PUT", "/api/v1/tenant/settings", { personalKeysEnabled: true });
      const names = { username: "ann", email: "ann@example.com", defaultRoles: ["Guest"] };
      const { id: user } = await change("POST", "/api/v1/users", names);
      const key = await change("POST", path, { name: "ann's", ownerUserId: user });
      const statusOf = async () =>
        (await files.send("GET", "/api/v1/user-groups", { key: key.token })).status;
      const twice = async () => [await statusOf(), await statusOf()];
      expect(await twice()).toEqual([403, 403]);
      const policies = [{ resourceType: "Global", actions: ["DirectoryRead"], resources: "All" }];
      const role = await change("POST", "/api/v1/roles", { name: "Directory", policies });
      await change("PUT", `/api/v1/roles/${role.id}/users/${user}`, {});
      expect(await twice()).toEqual([200, 200]);
      await change("PUT", "/api/v1/tenant/settings", { personalKeysEnabled: false });
      expect(await twice()).toEqual([403, 403]);
      await change("PUT", "/api/v1/tenant/settings", { personalKeysEnabled: true });
      expect(await twice()).toEqual([200, 200]);
      await change("PATCH", `${path}/${key.id}`, { deploymentIds: [1] });
      expect(await twice()).toEqual([403, 403]);
      await change("PATCH", `${path}/${key.id}`, { deploymentIds: null });
      await change("PUT", `/api/v1/users/${user}`, { isDeactivated: true });
      expect(await twice()).toEqual([403, 403]);
      await change("PUT", `/api/v1/users/${user}`, { isDeactivated: false });
      expect(await twice()).toEqual([403, 403]);
      await change("PATCH", `${path}/${key.id}`, { isDisabled: false });
      expect(await twice()).toEqual([200, 200]);
      expect((await files.send("DELETE", `${path}/${key.id}`)).status).toBe(204);
      expect(await twice()).toEqual([401, 401]);
    } finally {
      await files.close();
      rmSync(data, { recursive: true, force: true });
    }
  });
});

describe("an API key's name and scope", () => {
  const patch = (id: number, body: object) => service.send("PATCH", `${path}/${id}`, { body });

  it("change in place, and the secret stays what it is", async () => {
    const { id, token } = await make({ name: "build" });
    const deployments = async () =>
      (await service.send("GET", "/api/v1/deployments/1", { key: token })).status;
    const other = await service.send("POST", "/build/api/v1/deployments", {
      body: { name: "other", region: "aws-us-east-1" },
    });
    const { id: elsewhere } = other.body as { id: number };
    expect((await patch(id, { name: "deploy" })).body).toMatchObject({
      name: "deploy",
      deploymentIds: null,
    });
    expect((await patch(id, { deploymentIds: [elsewhere] })).body).toMatchObject({
      name: "deploy",
      deploymentIds: [elsewhere],
    });
    expect(await deployments()).toBe(403);
    expect((await patch(id, { deploymentIds: [1, elsewhere] })).status).toBe(200);
    expect(await deployments()).toBe(200);
    expect((await patch(id, { deploymentIds: null })).body).toMatchObject({ deploymentIds: null });
    expect((await service.send("GET", path, { key: token })).status).toBe(200);
    for (const body of [{ deploymentIds: [] }, { deploymentIds: [99] }, { name: "" }]) {
      expect((await patch(id, body)).status).toBe(400);
    }
    expect((await patch(999, { name: "x" })).status).toBe(404);
  });

  it("stay unscoped for the operator's key", async () => {
    expect((await patch(1, { deploymentIds: [1] })).status).toBe(403);
    expect((await patch(1, { name: "root", deploymentIds: null })).status).toBe(200);
  });
});

describe("an API key's permissions and states", () => {
  const states = [{ name: "shop", access: "read" }];

  it("are set, replaced and removed", async () => {
    const { id } = await make({ name: "plan", permissions: ["ReadAll"], states });
    const shown = async () => (await service.send("GET", `${path}/${id}`)).body;
    const patch = (body: object) => service.send("PATCH", `${path}/${id}`, { body });
    expect(await shown()).toMatchObject({ permissions: ["ReadAll"], states, deploymentIds: null });
    expect((await patch({ name: "read" })).body).toMatchObject({
      permissions: ["ReadAll"],
      states,
    });
    expect((await patch({ permissions: ["UsersRead"], deploymentIds: [1] })).body).toMatchObject({
      permissions: ["UsersRead"],
      states,
      deploymentIds: [1],
    });
    expect((await patch({ permissions: null, states: null })).body).toMatchObject({
      permissions: null,
      states: null,
      deploymentIds: [1],
    });
    for (const body of [
      { permissions: [] },
      { permissions: ["Fly"] },
      { states: [{ name: "*" }] },
    ]) {
      expect((await patch(body)).status).toBe(400);
    }
  });

  it("list only states of the key", async () => {
    for (const name of ["shop", "shop-2", "other"]) {
      await service.send("POST", `/api/v1/state/${name}`, { body: { serial: 1 } });
    }
    const listed = async (name: string) => {
      const { token: key } = await make({ name, states: [{ name, access: "read" }] });
      const { body } = await service.send("GET", "/api/v1/state", { key });
      return (body as { items: { name: string }[] }).items.map((one) => one.name);
    };
    expect(await listed("shop")).toEqual(["shop"]);
    expect(await listed("shop*")).toEqual(["shop-2", "shop"]);
  });

  it("cannot be exceeded by what the key creates", async () => {
    const permissions = ["ApiKeysManage", "UsersManage", "EmbedSessionsManage", "ReadAll"];
    const { token: key } = await make({ name: "manager", permissions, states });
    const status = async (method: string, to: string, body: object) =>
      (await service.send(method, to, { key, body })).status;
    const created = (body: object) => status("POST", path, { name: "made", ...body });
    expect(await created({ permissions: ["UsersRead"], states })).toBe(200);
    expect(await created({})).toBe(403);
    expect(await created({ permissions: ["All"], states })).toBe(403);
    expect(await created({ permissions: ["UsersRead"] })).toBe(403);
    expect(
      await created({ permissions: ["UsersRead"], states: [{ name: "shop", access: "write" }] }),
    ).toBe(403);
    const { id } = await make({ name: "target", permissions: ["UsersRead"], states });
    expect(await status("PATCH", `${path}/${id}`, { permissions: null })).toBe(403);
    expect(await status("PATCH", `${path}/${id}`, { name: "renamed" })).toBe(200);
    const ann = { username: "ann", email: "ann@example.com" };
    expect(await status("POST", "/api/v1/users", { ...ann, isAdmin: true })).toBe(403);
    expect(await status("POST", "/api/v1/users", { ...ann, defaultRoles: ["Developer"] })).toBe(
      403,
    );
    expect(await status("POST", "/api/v1/users", ann)).toBe(200);
    const session = "/api/v1/embed/generate-session";
    expect(await status("POST", session, { deploymentId: 1, internalId: "admin" })).toBe(403);
    const visitor = { deploymentId: 1, externalId: "visitor" };
    expect(await status("POST", session, { ...visitor, roles: ["Developer"] })).toBe(403);
    expect(await status("POST", session, visitor)).toBe(200);
  });

  it("of the operator's key stay unlimited", async () => {
    for (const body of [{ permissions: ["ReadAll"] }, { states }]) {
      expect((await service.send("PATCH", `${path}/1`, { body })).status).toBe(403);
    }
  });
});

describe("a personal key", () => {
  const me = async (key: string) => (await service.send("GET", "/api/v1/users/me", { key })).status;
  const allow = (yes: boolean) =>
    service.db
      .updateTable("account")
      .set({ personal_keys: yes ? 1 : 0 })
      .execute();

  it("has just its owner's rights, which change with the owner's role", async () => {
    const body = { email: "ann@example.com", username: "ann" };
    const { id } = (await service.send("POST", "/api/v1/users", { body })).body as { id: number };
    const { token } = await make({ name: "ann's", ownerUserId: id });
    const session = { deploymentId: 1, externalId: "v" };
    const generate = async () =>
      (await service.send("POST", "/api/v1/embed/generate-session", { key: token, body: session }))
        .status;
    expect([await me(token), await generate()]).toEqual([200, 403]);
    await service.send("PUT", `/api/v1/users/${id}`, { body: { isAdmin: true } });
    expect([await me(token), await generate()]).toEqual([200, 200]);
  });

  it("is created by its owner, within what the owner may do", async () => {
    const { body: ann } = await service.send("POST", "/api/v1/users", {
      body: { email: "ann@example.com", username: "ann", defaultRoles: ["Guest"] },
    });
    const { id } = ann as { id: number };
    const { token: key, id: first } = await make({ name: "first", ownerUserId: id });
    const send = async (method: string, to: string, body?: object) =>
      service.send(method, to, { key, body });
    const created = (await send("POST", path, { name: "own" })).body as Key;
    expect(created).toMatchObject({ ownerUserId: id, deploymentIds: null });
    const { items } = (await send("GET", path)).body as { items: { id: number }[] };
    expect(items.map((one) => one.id)).toEqual([created.id, first]);
    expect((await send("GET", `${path}/1`)).status).toBe(404);
    expect((await send("PATCH", `${path}/1`, { name: "x" })).status).toBe(404);
    expect((await send("DELETE", `${path}/1`)).status).toBe(404);
    expect((await send("POST", path, { name: "x", ownerUserId: 1 })).status).toBe(403);
    // The role does not permit reading deployments until a policy permits one.
    const scoped = { name: "scoped", deploymentIds: [1] };
    expect((await send("POST", path, scoped)).status).toBe(403);
    const policy = { resourceType: "Deployment", resourceId: 1, userId: id };
    await service.send("PUT", "/api/v1/resource-policies/user", {
      body: { ...policy, action: "DeploymentRead" },
    });
    const narrow = (await send("POST", path, scoped)).body as Key;
    const as = async (to: string) => (await service.send("GET", to, { key: narrow.token })).status;
    expect([await as("/api/v1/deployments/1"), await as(path)]).toEqual([200, 403]);
    expect((await send("PATCH", `${path}/${created.id}`, { deploymentIds: [1] })).status).toBe(200);
    expect((await send("DELETE", `${path}/${created.id}`)).status).toBe(204);
    await allow(false);
    expect((await send("POST", path, { name: "late" })).status).toBe(403);
    await allow(true);
  });

  it("is kept if it is the last unscoped key of an administrator", async () => {
    const { body } = await service.send("GET", path);
    const keys = (body as { items: { id: number; deploymentIds: unknown }[] }).items;
    const unscoped = keys.filter(({ deploymentIds }) => deploymentIds === null);
    const key = await service.key({});
    for (const { id } of unscoped) {
      expect((await service.send("DELETE", `${path}/${id}`, { key })).status).toBe(204);
    }
    const [last] = ((await service.send("GET", path, { key })).body as { items: { id: number }[] })
      .items;
    const own = `${path}/${last?.id}`;
    expect((await service.send("DELETE", own, { key })).body).toMatchObject({ statusCode: 403 });
    const scoped = { key, body: { deploymentIds: [1] } };
    expect((await service.send("PATCH", own, scoped)).body).toMatchObject({ statusCode: 403 });
    expect((await service.send("GET", path, { key })).status).toBe(200);
  });

  it("is refused while the account does not allow such keys, and not forgotten", async () => {
    const token = await service.key({ admin: false });
    await allow(false);
    expect(await me(token)).toBe(403);
    expect(await me(service.adminKey)).toBe(200);
    const body = { email: "ann@example.com", username: "ann" };
    const user = (await service.send("POST", "/api/v1/users", { body })).body as { id: number };
    const input = { name: "ann's", ownerUserId: user.id };
    expect((await service.send("POST", path, { body: input })).status).toBe(403);
    await allow(true);
    expect(await me(token)).toBe(200);
  });
});
