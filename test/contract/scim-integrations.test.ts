// SCIM integrations: several identity providers, each with a token of its own and users and groups that only it changes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patchBody, type ScimBody } from "../support/scim-client.ts";
import { startService, type TestService } from "../support/test-service.ts";

const base = "/api/scim/v2";
const integrations = "/api/v1/scim-integrations";

let service: TestService;
let count = 0;

beforeAll(async () => {
  service = await startService();
  await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
});
afterAll(async () => service.close());

interface Integration {
  readonly id: number;
  readonly name: string;
  readonly token: string;
}

async function integration(more: object = {}): Promise<Integration> {
  const body = { name: `idp-${++count}`, ...more };
  const created = await service.send("POST", integrations, { body });
  expect(created.status).toBe(200);
  return created.body as Integration;
}

const admin = undefined;

/** Sends a SCIM request with a token; with the administrator's key without one. */
async function scim(key: string | undefined, method: string, path: string, body?: object) {
  const request = { ...(body && { body }), ...(key !== undefined && { key }) };
  const { status, body: answer } = await service.send(method, `${base}${path}`, request);
  return { status, body: answer as ScimBody };
}

async function createUser(key: string | undefined, more: object = {}): Promise<string> {
  const userName = `u${++count}@example.com`;
  const created = await scim(key, "POST", "/Users", { userName, ...more });
  expect(created.status).toBe(201);
  return created.body.id;
}

async function createGroup(key: string | undefined, members: readonly string[]): Promise<string> {
  const values = members.map((value) => ({ value }));
  const created = await scim(key, "POST", "/Groups", {
    displayName: `g${++count}`,
    members: values,
  });
  expect(created.status).toBe(201);
  return created.body.id;
}

const retitle = patchBody({ op: "replace", path: "title", value: "CEO" });
const shown = async (id: number) =>
  (await service.send("GET", `${integrations}/${id}`)).body as Record<string, unknown>;
const user = async (id: string) =>
  (await service.send("GET", `/api/v1/users/${id}`)).body as Record<string, unknown>;

describe("the token of an integration", () => {
  it("is shown once, is stored as a hash, and is not in the audit log", async () => {
    const { token, ...created } = await integration({ providerType: "entra" });
    expect(token).toMatch(/^scim-[\w-]{43}$/);
    expect(created).toMatchObject({
      providerType: "entra",
      isEnabled: true,
      defaultRoles: null,
      baseUrl: `${service.url}${base}?aadOptscim062020`,
      tokenPrefix: token.slice(0, 9),
      userCount: 0,
    });
    expect(await shown(created.id)).toEqual(created);
    const rows = await service.db.selectFrom("scim_integrations").selectAll().execute();
    const audit = await service.send("GET", "/api/v1/audit-logs");
    expect(JSON.stringify(rows) + audit.text).not.toContain(token);
  });

  it("does what SCIM does, in either scheme, and nothing else", async () => {
    const { id, name, token } = await integration();
    for (const scheme of ["Bearer", "Api-Key"]) {
      const headers = { authorization: `${scheme} ${token}` };
      const list = await service.send("GET", `${base}/Users?aadOptscim062020`, { headers });
      expect(list.status).toBe(200);
      for (const path of ["/api/v1/users", "/api/v1/users/me", integrations, "/api/v1/api-keys"])
        expect([403, 404]).toContain((await service.send("GET", path, { headers })).status);
      const rotated = await service.send("POST", `${integrations}/${id}/rotate-token`, {
        body: {},
        headers,
      });
      expect(rotated.status).toBe(403);
    }
    expect(await scim(token, "GET", "/Me")).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(JSON.stringify(name)) },
    });
    expect((await scim(`${token.slice(0, -1)}~`, "GET", "/Users")).status).toBe(401);
  });

  it("records when it was used last, and who changed what", async () => {
    const { id, name, token } = await integration();
    expect(await shown(id)).not.toHaveProperty("lastRequestAt");
    await scim(token, "GET", "/Users?count=0");
    expect(await shown(id)).toHaveProperty("lastRequestAt");
    await createUser(token);
    const { body } = await service.send("GET", "/api/v1/audit-logs?first=1");
    expect(body).toMatchObject({
      items: [{ eventName: "createScimUser", apiKeyName: name, credential: `scim:${id}` }],
    });
  });

  it("is rotated: the last one works for a while, an older one no longer", async () => {
    const { id, token: first } = await integration();
    const rotate = async (body: object) => {
      const answer = await service.send("POST", `${integrations}/${id}/rotate-token`, { body });
      return answer.body as Integration & { readonly previousTokenExpiresAt?: string };
    };
    const status = async (token: string) => (await scim(token, "GET", "/Users?count=0")).status;
    const second = await rotate({});
    expect(Date.parse(second.previousTokenExpiresAt ?? "")).toBeGreaterThan(Date.now() + 80_000e3);
    expect([await status(first), await status(second.token)]).toEqual([200, 200]);
    const third = await rotate({ previousTokenSeconds: 1 });
    expect([await status(first), await status(third.token)]).toEqual([401, 200]);
    await expect.poll(() => status(second.token), { timeout: 60_000 }).toBe(401);
    expect(await shown(id)).not.toHaveProperty("previousTokenExpiresAt");
    const fourth = await rotate({ previousTokenSeconds: 0 });
    expect([await status(third.token), await status(fourth.token)]).toEqual([401, 200]);
  });

  it("ends with the integration, and while it is disabled", async () => {
    const { id, token } = await integration();
    const status = async () => (await scim(token, "GET", "/Users?count=0")).status;
    await service.send("PATCH", `${integrations}/${id}`, { body: { isEnabled: false } });
    expect(await status()).toBe(403);
    await service.send("PATCH", `${integrations}/${id}`, { body: { isEnabled: null } });
    expect(await status()).toBe(200);
    expect((await service.send("DELETE", `${integrations}/${id}`)).status).toBe(204);
    expect(await status()).toBe(401);
  });

  it("is made only by a credential that may manage SCIM, and has roles only from one with all permissions", async () => {
    const permissions = (...names: readonly string[]) => ({
      name: `k${++count}`,
      permissions: names,
    });
    const key = async (...names: readonly string[]) =>
      (
        (await service.send("POST", "/api/v1/api-keys", { body: permissions(...names) }))
          .body as Integration
      ).token;
    const make = async (by: string, more: object = {}) =>
      (
        await service.send("POST", integrations, {
          key: by,
          body: { name: `i${++count}`, ...more },
        })
      ).status;
    expect(await make(await key("TenantSettingsManage"))).toBe(403);
    const both = await key("TenantSettingsManage", "ScimManage");
    expect(await make(both)).toBe(200);
    expect(await make(both, { defaultRoles: ["Developer"] })).toBe(403);
  });
});

describe("what an integration provisions", () => {
  it("has its roles and its name, and only it can change it", async () => {
    const mine = await integration({ defaultRoles: ["AIBIUser"] });
    const other = await integration();
    const id = await createUser(mine.token);
    const group = await createGroup(mine.token, [id]);
    const managed = { managedBy: "scim", scimIntegration: mine.name };
    expect(await user(id)).toMatchObject({ defaultRoles: ["AIBIUser"], ...managed });
    expect((await service.send("GET", `/api/v1/user-groups/${group}`)).body).toMatchObject(managed);
    expect(await shown(mine.id)).toMatchObject({ userCount: 1, groupCount: 1 });
    const member = patchBody({ op: "remove", path: `members[value eq "${id}"]` });
    for (const key of [other.token, admin]) {
      for (const [method, path, body] of [
        ["PATCH", `/Users/${id}`, retitle],
        ["PUT", `/Users/${id}`, { userName: "x" }],
        ["DELETE", `/Users/${id}`],
        ["PATCH", `/Groups/${group}`, member],
        ["DELETE", `/Groups/${group}`],
      ] as const) {
        const refused = await scim(key, method, path, body);
        expect([method, path, refused.status]).toEqual([method, path, 409]);
        expect(refused.body["detail"]).toContain(`the SCIM integration "${mine.name}" manages`);
        expect(refused.body).not.toHaveProperty("scimType");
      }
    }
    const Operations = [{ method: "DELETE", path: `/Users/${id}` }];
    expect((await scim(other.token, "POST", "/Bulk", { Operations })).body).toMatchObject({
      Operations: [{ status: "409" }],
    });
    const put = await service.send("PUT", `/api/v1/users/${id}`, { body: { title: "CEO" } });
    expect([put.status, put.text]).toEqual([409, expect.stringContaining(mine.name)]);
    // Everyone finds every user.
    expect((await scim(other.token, "GET", `/Users/${id}`)).status).toBe(200);
    expect((await scim(mine.token, "PATCH", `/Users/${id}`, retitle)).status).toBe(200);
  });

  it("is a user only after an administrator linked it, whoever managed it before", async () => {
    const one = await integration();
    const two = await integration();
    const body = { email: `own${++count}@example.com`, username: `own${count}` };
    const own = String(
      ((await service.send("POST", "/api/v1/users", { body })).body as Integration).id,
    );
    const byKey = await createUser(admin);
    expect(await user(byKey)).toMatchObject({ managedBy: "scim" });
    expect(await user(byKey)).not.toHaveProperty("scimIntegration");
    const change = async ({ token }: Integration, id: string) =>
      (await scim(token, "PATCH", `/Users/${id}`, retitle)).status;
    const link = (id: string, scimIntegration: string | null, key = service.adminKey) =>
      service.send("PUT", `/api/v1/users/${id}`, { body: { scimIntegration }, key });
    for (const id of [own, byKey]) {
      expect([await change(one, id), await change(two, id)]).toEqual([403, 403]);
      expect((await link(id, one.name)).body).toMatchObject({ scimIntegration: one.name });
      expect([await change(one, id), await change(two, id)]).toEqual([200, 409]);
      await link(id, two.name);
      expect([await change(one, id), await change(two, id)]).toEqual([409, 200]);
      await service.send("PATCH", `${integrations}/${two.id}`, { body: { isEnabled: false } });
      expect(await user(id)).not.toHaveProperty("managedBy");
      expect(await change(one, id)).toBe(403);
      await service.send("PATCH", `${integrations}/${two.id}`, { body: { isEnabled: true } });
      expect((await link(id, null)).body).not.toHaveProperty("managedBy");
      expect([await change(one, id), await change(two, id)]).toEqual([403, 403]);
    }
    expect((await link(own, "none")).status).toBe(400);
    const limited = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "limited", permissions: ["UsersManage", "ScimManage"] },
    });
    const { token } = limited.body as { token: string };
    expect((await link(own, one.name, token)).status).toBe(403);
  });

  it("is never the identity of an administrator, or its activation", async () => {
    const { token } = await integration();
    const provisioned = await createUser(token);
    await service.send("PUT", `/api/v1/users/${provisioned}`, { body: { isAdmin: true } });
    const take = { userName: "attacker@example.com", emails: [{ value: "attacker@example.com" }] };
    const key = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "scim", permissions: ["ScimManage"] },
    });
    const { token: keyToken } = key.body as { token: string };
    const before = [await user("1"), await user(provisioned)];
    for (const [credential, id] of [
      [token, "1"],
      [keyToken, "1"],
      [token, provisioned],
    ] as const) {
      for (const [method, body] of [
        ["PUT", take],
        ["PATCH", patchBody({ op: "replace", path: "emails", value: take.emails })],
        ["PATCH", patchBody({ op: "replace", path: "userName", value: take.userName })],
      ] as const) {
        const refused = await scim(credential, method, `/Users/${id}`, body);
        expect([method, id, refused.status]).toEqual([method, id, 403]);
      }
      const Operations = [{ method: "PUT", path: `/Users/${id}`, data: take }];
      expect((await scim(credential, "POST", "/Bulk", { Operations })).body).toMatchObject({
        Operations: [{ status: "403" }],
      });
    }
    expect([await user("1"), await user(provisioned)]).toEqual(before);
    expect((await scim(token, "DELETE", "/Users/1")).status).toBe(403);
    const activate = (value: boolean) =>
      scim(
        token,
        "PATCH",
        `/Users/${provisioned}`,
        patchBody({ op: "replace", value: { active: value } }),
      );
    expect((await activate(false)).status).toBe(200);
    expect((await activate(true)).status).toBe(403);
  });

  it("becomes the account's own when the integration is deleted", async () => {
    const { id: integrationId, token } = await integration();
    const value = `home${++count}@example.com`;
    const name = { givenName: "Ann", familyName: "Lee" };
    const id = await createUser(token, {
      name,
      title: "Sales",
      emails: [{ value }],
      externalId: "7",
    });
    const group = await createGroup(token, [id]);
    await service.send("DELETE", `${integrations}/${integrationId}`);
    expect(await user(id)).toMatchObject({ firstName: "Ann Lee", title: "Sales", externalId: "7" });
    expect(await user(id)).not.toHaveProperty("managedBy");
    const left = service.db.selectFrom("scim_emails").where("user_id", "=", Number(id));
    expect(await left.selectAll().execute()).toEqual([]);
    const { body } = await scim(admin, "GET", `/Groups/${group}`);
    expect(body["members"]).toMatchObject([{ value: id }]);
    expect((await service.send("DELETE", `/api/v1/users/${id}`)).status).toBe(204);
    expect((await service.send("DELETE", `/api/v1/groups/${group}`)).status).toBe(204);
  });
});

describe("groups that an integration did not create", () => {
  const groupOf = async (id: string) =>
    (await service.send("GET", `/api/v1/user-groups/${id}`)).body as Record<string, unknown>;
  const membersOf = async (id: string) =>
    ((await scim(admin, "GET", `/Groups/${id}`)).body["members"] as ScimBody[] | undefined)?.map(
      ({ value }) => value,
    );
  async function accountGroup(): Promise<string> {
    const made = await service.send("POST", "/api/v1/user-groups", {
      body: { name: `a${++count}` },
    });
    const { id } = made.body as Integration;
    const members = { members: [{ userId: 1 }] };
    await service.send("POST", `/api/v1/user-groups/${id}/users`, { body: members });
    return String(id);
  }
  const link = (id: string, scimIntegration: string | null, key = service.adminKey) =>
    service.send("PATCH", `/api/v1/user-groups/${id}`, { body: { scimIntegration }, key });

  it("are the account's own until an administrator links them, to one integration at a time", async () => {
    const [one, two] = [await integration(), await integration()];
    const value = await createUser(one.token);
    const id = await accountGroup();
    const before = await groupOf(id);
    const add = patchBody({ op: "add", path: "members", value: [{ value }] });
    const attempts = [
      ["PATCH", `/Groups/${id}`, add],
      ["PATCH", `/Groups/${id}`, patchBody({ op: "remove", path: "members" })],
      ["PUT", `/Groups/${id}`, { displayName: "mine" }],
      ["DELETE", `/Groups/${id}`],
    ] as const;
    for (const key of [one.token, admin]) {
      for (const [method, path, data] of attempts) {
        const refused = await scim(key, method, path, data);
        expect([method, refused.status]).toEqual([method, 403]);
        expect(refused.body["detail"]).toContain(`can set scimIntegration of group ${id}`);
        const Operations = [{ method, path, ...(data && { data }) }];
        expect((await scim(key, "POST", "/Bulk", { Operations })).body).toMatchObject({
          Operations: [{ status: "403" }],
        });
      }
    }
    expect([await groupOf(id), await membersOf(id)]).toEqual([before, ["1"]]);
    const taken = await scim(one.token, "POST", "/Groups", { displayName: before["name"] });
    expect([taken.status, taken.body["detail"]]).toEqual([
      409,
      expect.stringContaining("scimIntegration"),
    ]);

    expect((await link(id, one.name)).body).toMatchObject({
      managedBy: "scim",
      scimIntegration: one.name,
    });
    expect((await scim(one.token, "PATCH", `/Groups/${id}`, add)).status).toBe(204);
    expect((await scim(two.token, "PATCH", `/Groups/${id}`, add)).status).toBe(409);
    expect(await membersOf(id)).toEqual(["1", value]);
    await link(id, two.name);
    expect((await scim(one.token, "DELETE", `/Groups/${id}`)).status).toBe(409);
    expect((await link(id, null)).body).not.toHaveProperty("managedBy");
    expect((await scim(two.token, "DELETE", `/Groups/${id}`)).status).toBe(403);
  });

  it("are linked by an administrator only, to an integration that exists", async () => {
    const { name } = await integration();
    const id = await accountGroup();
    const limited = await service.send("POST", "/api/v1/api-keys", {
      body: { name: `limited${++count}`, permissions: ["UsersManage", "ScimManage"] },
    });
    const { token } = limited.body as { token: string };
    expect((await link(id, name, token)).status).toBe(403);
    expect((await link(id, "none")).status).toBe(400);
    expect((await link("999999", name)).status).toBe(404);
    expect(await groupOf(id)).not.toHaveProperty("managedBy");
  });
});

it("an integration adds only its own users to its groups, and decides who leaves them", async () => {
  const [one, two] = [await integration(), await integration()];
  const body = { email: `own${++count}@example.com`, username: `own${count}` };
  const own = (await service.send("POST", "/api/v1/users", { body })).body as Integration;
  const mine = await createUser(one.token);
  const id = await createGroup(one.token, [mine]);
  for (const [value, status] of [
    ["1", 403],
    [String(own.id), 403],
    [await createUser(admin), 403],
    [await createUser(two.token), 409],
  ] as const) {
    const members = [{ value: mine }, { value }];
    for (const [method, path, data] of [
      ["PATCH", `/Groups/${id}`, patchBody({ op: "add", path: "members", value: members })],
      ["PATCH", `/Groups/${id}`, patchBody({ op: "replace", path: "members", value: members })],
      ["PUT", `/Groups/${id}`, { displayName: `g${++count}`, members }],
      ["POST", "/Groups", { displayName: `g${++count}`, members }],
    ] as const) {
      expect([value, method, (await scim(one.token, method, path, data)).status]).toEqual([
        value,
        method,
        status,
      ]);
    }
  }
  const { body: kept } = await scim(one.token, "GET", `/Groups/${id}`);
  expect(kept["members"]).toMatchObject([{ value: mine }]);
  await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: { scimIntegration: null } });
  const members = { members: [{ userId: own.id }] };
  await service.send("POST", `/api/v1/user-groups/${id}/users`, { body: members });
  await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: { scimIntegration: one.name } });
  const only = patchBody({ op: "replace", path: "members", value: [{ value: mine }] });
  expect((await scim(one.token, "PATCH", `/Groups/${id}`, only)).status).toBe(204);
  expect((await scim(admin, "GET", `/Groups/${id}`)).body["members"]).toHaveLength(1);
});
