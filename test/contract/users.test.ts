// Users: unique names and emails, case-insensitive lookup, and the guards of the last administrator.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { signInByPassword } from "../../service/identity/passwords.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;

beforeEach(async () => {
  service = await startService();
});
afterEach(async () => service.close());

const path = "/api/v1/users";
const make = (body: object) => service.send("POST", path, { body });
const ann = { email: "Ann@Example.com", username: "ann", firstName: "Änn" };

describe("users", () => {
  it("are created, listed and found in any case, without external users", async () => {
    expect((await make(ann)).body).toMatchObject({ ...ann, isAdmin: false });
    const session = { deploymentId: 1, externalId: "visitor" };
    await service.send("POST", "/api/v1/embed/generate-session", { body: session });
    const emails = async (query: string) =>
      (
        (await service.send("GET", `${path}${query}`)).body as { items: { email: string }[] }
      ).items.map(({ email }) => email);
    expect(await emails("")).toEqual([ann.email, "admin@svc.localhost"]);
    for (const part of ["ANN", "example.COM", "äNN"]) {
      expect(await emails(`?search=${encodeURIComponent(part)}`)).toEqual([ann.email]);
    }
    expect(await emails("?search=%25")).toEqual([]);
  });

  it("have unique names and emails, whatever the case of the email", async () => {
    await make(ann);
    expect((await make({ ...ann, email: "other@example.com" })).status).toBe(409);
    expect((await make({ ...ann, username: "other", email: "ann@example.COM" })).status).toBe(409);
    expect((await make({ ...ann, username: "other", email: "not an email" })).status).toBe(400);
  });

  it("read their own account without permissions of an administrator", async () => {
    const key = await service.key({ admin: false });
    const me = await service.send("GET", `${path}/me`, { key });
    expect(me.body).toMatchObject({ isAdmin: false, username: expect.stringContaining("user-") });
  });
});

interface User {
  readonly id: number;
}

async function createdId(body: object): Promise<number> {
  const answer = await make(body);
  expect(answer.status).toBe(200);
  return (answer.body as User).id;
}
const put = (id: number, body: object, key?: string) =>
  service.send("PUT", `${path}/${id}`, { body, ...(key !== undefined && { key }) });
const get = async (id: number) => (await service.send("GET", `${path}/${id}`)).body;

async function keyOf(ownerUserId: number): Promise<string> {
  const body = { name: "of a user", ownerUserId };
  return ((await service.send("POST", "/api/v1/api-keys", { body })).body as { token: string })
    .token;
}

describe("a user", () => {
  it("changes only in the fields that an update has", async () => {
    const id = await createdId(ann);
    const picture = "https://example.com/ann.png";
    await put(id, { title: "Analyst", picture, isAdmin: true });
    expect(await get(id)).toMatchObject({ ...ann, title: "Analyst", picture, isAdmin: true });
    expect((await put(id, { firstName: "", title: null, picture: null })).body).toEqual({
      id,
      email: ann.email,
      username: "ann",
      isAdmin: true,
      isDeactivated: false,
      defaultRoles: ["AIBIViewer"],
      groups: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    for (const body of [{ email: "b@example.com" }, { username: "b" }, { picture: "x" }]) {
      expect((await put(id, body)).status).toBe(400);
    }
    expect((await put(999, { title: "x" })).status).toBe(404);
  });

  it("signs in with the password that an administrator sets", async () => {
    const password = "correct horse battery";
    const id = await createdId({ ...ann, password });
    const signIn = (entered: string) =>
      signInByPassword(service.db, { name: "ann", password: entered }, new Date());
    expect(await signIn(password)).toEqual({ id, username: "ann" });
    expect((await put(id, { password: "another long one" })).text).not.toContain(
      "another long one",
    );
    expect(await signIn(password)).toBeUndefined();
    expect(await signIn("another long one")).toMatchObject({ id });
    for (const weak of ["short", "ann is a name of mine"]) {
      expect((await put(id, { password: weak })).status).toBe(400);
      expect((await make({ email: "b@example.com", username: "ann", password: weak })).status).toBe(
        400,
      );
    }
    const permissions = ["UsersManage"];
    const created = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "limited", permissions },
    });
    const { token } = created.body as { token: string };
    expect((await put(id, { password: "a third long one" }, token)).status).toBe(403);
    const stored = await service.db.selectFrom("audit_logs").selectAll().execute();
    expect(JSON.stringify(stored)).not.toMatch(/horse|another long/);
  });

  it("has an ID at its identity provider, which no other user has", async () => {
    const id = await createdId({ ...ann, externalId: "00u1" });
    expect(await get(id)).toMatchObject({ externalId: "00u1" });
    const other = { email: "bo@example.com", username: "bo", externalId: "00u1" };
    expect((await make(other)).status).toBe(409);
  });

  it("merges settings of its own, and shows no security context to itself", async () => {
    const id = await createdId({ ...ann, settings: { locale: "de", list: { size: 10 } } });
    const key = await keyOf(id);
    await put(id, { securityContext: { region: "eu" } });
    const patch = (body: object) => service.send("PATCH", `${path}/me/settings`, { key, body });
    const merged = await patch({ locale: null, list: { wide: true } });
    expect(merged.body).toMatchObject({ id, settings: { list: { size: 10, wide: true } } });
    expect(merged.body).not.toHaveProperty("securityContext");
    expect(await get(id)).toMatchObject({ securityContext: { region: "eu" } });
    expect((await put(id, { settings: null, securityContext: null })).body).not.toHaveProperty(
      "settings",
    );
    expect((await patch({ text: "x".repeat(70_000) })).status).toBe(400);
  });

  it("has the permissions of its roles, immediately after a change", async () => {
    const id = await createdId({ ...ann, defaultRoles: ["Developer", "D3User"] });
    expect(await get(id)).toMatchObject({ defaultRoles: ["D3User", "Developer"] });
    const key = await keyOf(id);
    const body = { name: "Sales" };
    const create = async () =>
      (await service.send("POST", "/api/v1/deployments/1/workbooks", { key, body })).status;
    expect(await create()).toBe(200);
    expect((await put(id, { defaultRoles: ["Guest"] })).body).toMatchObject({
      defaultRoles: ["Guest"],
    });
    expect(await create()).toBe(403);
    for (const defaultRoles of [[], ["Admin"], ["EmbedUser"], ["nonsense"]]) {
      expect((await put(id, { defaultRoles })).status).toBe(400);
    }
  });

  it("is shown as a whole to administrators only", async () => {
    const id = await createdId(ann);
    const list = async (key: string) =>
      ((await service.send("GET", path, { key })).body as { items: User[] }).items;
    expect(await list(service.adminKey)).toContainEqual(await get(id));
    expect(await list(await keyOf(id))).toContainEqual({
      id,
      email: ann.email,
      firstName: ann.firstName,
    });
  });

  it("can do nothing while it is deactivated, and its sessions stay ended", async () => {
    const id = await createdId(ann);
    const key = await keyOf(id);
    const session = { deploymentId: 1, internalId: "ann" };
    const generate = () =>
      service.send("POST", "/api/v1/embed/generate-session", { body: session });
    const { sessionId } = (await generate()).body as { sessionId: string };
    const exchanged = await service.send("POST", "/api/v1/embed/session/token", {
      key: null,
      body: { sessionId },
    });
    const { token } = exchanged.body as { token: string };
    const statuses = async () =>
      Promise.all(
        [key, token].map(
          async (one) => (await service.send("GET", `${path}/me`, { key: one })).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200]);
    expect((await put(id, { isDeactivated: true })).body).toMatchObject({ isDeactivated: true });
    expect(await statuses()).toEqual([403, 401]);
    expect((await generate()).status).toBe(400);
    const body = { name: "x", ownerUserId: id };
    const early = await service.send("POST", "/api/v1/api-keys", { body });
    const { token: later } = early.body as { token: string };
    const withLater = () => service.send("GET", `${path}/me`, { key: later });
    expect((await withLater()).status).toBe(403);
    await put(id, { isDeactivated: false });
    expect(await statuses()).toEqual([403, 401]);
    expect((await withLater()).status).toBe(200);
  });

  it("is deleted with its API keys, unless it is an external user", async () => {
    const id = await createdId(ann);
    const key = await keyOf(id);
    expect((await service.send("DELETE", `${path}/${id}`)).status).toBe(204);
    expect((await service.send("GET", `${path}/me`, { key })).status).toBe(401);
    expect((await service.send("DELETE", `${path}/${id}`)).status).toBe(404);
    const tenant = "/api/v1/embed-tenants/acme-inc/user";
    const visitor = (await service.send("POST", tenant, { body: { externalId: "v" } }))
      .body as User;
    const at = `${path}/${visitor.id}`;
    expect((await service.send("GET", at)).status).toBe(404);
    expect((await put(visitor.id, { isAdmin: true })).status).toBe(404);
    expect((await service.send("DELETE", at)).status).toBe(404);
    expect((await service.send("PUT", `${at}/groups`, { body: { groups: [] } })).status).toBe(404);
  });
});

describe("a user", () => {
  it("may not deactivate or delete themselves", async () => {
    const id = await createdId({ ...ann, isAdmin: true });
    const key = await keyOf(id);
    expect((await put(id, { isDeactivated: true }, key)).status).toBe(403);
    expect((await service.send("DELETE", `${path}/${id}`, { key })).status).toBe(400);
    expect((await put(id, { isDeactivated: true })).status).toBe(200);
  });

  it("cannot remove the last active administrator", async () => {
    expect((await put(1, { isAdmin: false })).status).toBe(403);
    const id = await createdId({ ...ann, isAdmin: true });
    const key = await keyOf(id);
    // With a second administrator, the first may be deleted, and the second is then the last one.
    expect((await put(1, { isDeactivated: true }, key)).status).toBe(200);
    expect((await put(id, { isAdmin: false }, key)).status).toBe(403);
    expect((await service.send("DELETE", `${path}/1`, { key })).status).toBe(204);
    expect((await put(id, { isAdmin: false }, key)).status).toBe(403);
  });
});

describe("many users", () => {
  it("are changed one by one, each under the rules for a single user", async () => {
    const [one, other] = [
      await createdId(ann),
      await createdId({ email: "bo@example.com", username: "bo" }),
    ];
    const bulk = async (action: string, userIds: number[]) =>
      (await service.send("POST", `${path}/bulk`, { body: { action, userIds } })).body;
    expect(await bulk("DEACTIVATE", [one, 1, 999, one])).toEqual({
      action: "DEACTIVATE",
      succeeded: [one],
      failed: [
        { userId: 1, error: { status: 403, message: expect.any(String) } },
        { userId: 999, error: { status: 404, message: expect.any(String) } },
      ],
    });
    expect(await get(one)).toMatchObject({ isDeactivated: true });
    expect(await bulk("ACTIVATE", [one])).toMatchObject({ succeeded: [one] });
    expect(await get(one)).toMatchObject({ isDeactivated: false });
    expect(await bulk("DELETE", [one, other, 1])).toMatchObject({
      succeeded: [one, other],
      failed: [{ userId: 1, error: { status: 400 } }],
    });
    const ids = Array.from({ length: 101 }, (_, at) => at + 1);
    expect(await bulk("DELETE", ids)).toMatchObject({ statusCode: 400 });
  });
});

describe("a user's groups and values", () => {
  it("are exactly those that were set, by names", async () => {
    const id = await createdId(ann);
    for (const name of ["sellers", "buyers"]) {
      await service.send("POST", "/api/v1/user-groups", { body: { name } });
    }
    const set = (groups: string[]) =>
      service.send("PUT", `${path}/${id}/groups`, { body: { groups } });
    expect((await set(["sellers", "buyers", "sellers"])).body).toMatchObject({
      groups: ["buyers", "sellers"],
    });
    expect((await set(["buyers"])).body).toMatchObject({ groups: ["buyers"] });
    expect((await set(["buyers", "unknown"])).body).toMatchObject({
      statusCode: 400,
      message: "Groups with names unknown not found",
    });
    expect(await get(id)).toMatchObject({ groups: ["buyers"] });
    expect((await set([])).body).toMatchObject({ groups: [] });

    const definition = { name: "height", type: "number" };
    await service.send("POST", "/api/v1/user-attributes", { body: definition });
    await service.send("POST", "/api/v1/user-attributes", {
      body: { name: "teams", type: "string_array" },
    });
    const values = async (userAttributes: object[]) =>
      (
        await service.send("PUT", `/api/v1/user-attribute-values/${id}`, {
          body: { userAttributes },
        })
      ).body;
    expect(
      await values([
        { name: "height", value: 3 },
        { name: "teams", value: ["a"] },
      ]),
    ).toMatchObject({
      items: [
        { name: "teams", value: ["a"] },
        { name: "height", value: 3 },
      ],
    });
    expect(await values([{ name: "height", value: "tall" }])).toMatchObject({ statusCode: 400 });
    expect(await values([{ name: "colour", value: "red" }])).toMatchObject({
      message: "User attributes not found",
    });
    const twice = { name: "height", value: 1 };
    expect(await values([twice, twice])).toMatchObject({ statusCode: 400 });
    expect(await values([{ name: "height", value: 4 }])).toEqual({
      items: [expect.objectContaining({ name: "height", value: 4 })],
    });
    expect(await values([])).toEqual({ items: [] });
  });

  it("are listed by the group too", async () => {
    const id = await createdId(ann);
    const group = await service.send("POST", "/api/v1/user-groups", { body: { name: "sellers" } });
    const at = `/api/v1/user-groups/${(group.body as User).id}/users`;
    const send = async (method: string, members: object[]) =>
      service.send(method, at, { body: { members } });
    const member = { id, username: "ann", email: ann.email, isExternal: false };
    expect((await send("POST", [{ userId: id }, { email: "ANN@example.com" }])).body).toEqual({
      addedMembers: [member],
      unchangedMembers: [],
    });
    expect((await send("POST", [{ email: ann.email }])).body).toEqual({
      addedMembers: [],
      unchangedMembers: [member],
    });
    for (const members of [[{}], [{ userId: id, email: ann.email }], [{ userId: 999 }]]) {
      expect((await send("POST", members)).status).toBe(400);
    }
    const session = { deploymentId: 1, externalId: "visitor", groups: ["sellers"] };
    await service.send("POST", "/api/v1/embed/generate-session", { body: session });
    expect((await service.send("GET", at)).body).toMatchObject({
      items: [{ isExternal: true }, member],
    });
    expect((await send("DELETE", [{ userId: id }, { userId: 999 }])).status).toBe(204);
    expect(await get(id)).toMatchObject({ groups: [] });
    const answer = await service.send("GET", "/api/v1/user-groups/999/users");
    expect(answer.status).toBe(404);
  });
});
