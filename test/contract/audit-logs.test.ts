// The audit log: one entry for each write, in its transaction, with who, what, before and after, and without secrets.
import { afterAll, beforeAll, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import {
  auditedTables,
  flagColumns,
  jsonColumns,
} from "../../service/areas/audit-logs/audited-tables.ts";
import { sweepAuditLogs } from "../../service/areas/audit-logs/sweep.ts";
import { tables } from "../../service/store/migrations/baseline-tables.ts";
import { startService, type TestService } from "../support/test-service.ts";

const path = "/api/v1/audit-logs";
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

interface Entry {
  readonly eventName: string;
  readonly objectIds: readonly string[];
  readonly [name: string]: unknown;
}

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function entries(query = ""): Promise<readonly Entry[]> {
  const { status, body, text } = await service.send("GET", `${path}${query}`);
  expect([status, text]).toEqual([200, text]);
  return (body as { items: Entry[] }).items;
}

const created = async (url: string, body: object) =>
  (await service.send("POST", url, { body })).body as { id: number; token: string };

it("shows who created, changed and deleted an object, with the values before and after", async () => {
  const { token: key } = await created("/api/v1/api-keys", { name: "laptop" });
  const { id } = await created("/api/v1/user-groups", { name: "sellers", description: "who sell" });
  const url = `/api/v1/user-groups/${id}`;
  await service.send("PATCH", url, { key, body: { name: "vendors" } });
  await service.send("DELETE", url, { key });
  const found = await entries(`?objectType=user-groups&objectId=${id}`);
  expect(found.map(({ eventName }) => eventName)).toEqual([
    "deleteUserGroup",
    "updateUserGroup",
    "createUserGroup",
  ]);
  expect(found[1]).toMatchObject({
    username: "admin",
    userEmail: "admin@svc.localhost",
    apiKeyName: "laptop",
    objectType: "user-groups",
    objectIds: [String(id)],
    before: { name: "sellers" },
    after: { name: "vendors" },
  });
  expect(found[0]).toMatchObject({ before: { name: "vendors", description: "who sell" } });
  expect(found[2]).toMatchObject({ after: { name: "sellers" } });
  expect(Object.keys(found[2] ?? {})).not.toContain("before");
});

it("names users and groups of SCIM as the API does, with the values before and after", async () => {
  await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
  const type = { "content-type": "application/scim+json" };
  const scim = async (method: string, url: string, body?: object) =>
    (await service.send(method, `/api/scim/v2${url}`, { headers: type, body })).body;
  const user = (await scim("POST", "/Users", { userName: "eve@example.com" })) as { id: string };
  const changes = [
    { op: "replace", path: "active", value: false },
    { op: "replace", path: "password", value: "not-for-the-log" },
  ];
  await scim("PATCH", `/Users/${user.id}`, { schemas: [patchSchema], Operations: changes });
  const [changed, creation] = await entries(`?objectType=users&objectId=${user.id}`);
  expect(changed).toMatchObject({
    eventName: "patchScimUser",
    before: { isDeactivated: false },
    after: { isDeactivated: true },
  });
  expect(JSON.stringify(changed)).not.toContain("not-for-the-log");
  expect(creation).toMatchObject({
    eventName: "createScimUser",
    after: { username: "eve@example.com" },
  });
  const group = (await scim("POST", "/Groups", { displayName: "Scim sellers" })) as { id: string };
  const members = [{ op: "add", path: "members", value: [{ value: user.id }] }];
  await scim("PATCH", `/Groups/${group.id}`, { schemas: [patchSchema], Operations: members });
  const id = `${group.id}/${user.id}`;
  expect(await entries(`?objectType=user-group-members&objectId=${id}`)).toMatchObject([
    { eventName: "patchScimGroup", after: { groupId: Number(group.id), userId: Number(user.id) } },
  ]);
  // A provider that repeats itself changes nothing.
  await scim("PATCH", `/Groups/${group.id}`, { schemas: [patchSchema], Operations: members });
  expect((await entries(`?objectType=user-groups&objectId=${group.id}`))[0]).toMatchObject({
    eventName: "patchScimGroup",
    before: {},
    after: {},
  });
});

it("shows which role a user got and lost", async () => {
  const user = { username: "ann", email: "ann@example.com" };
  const { id: userId } = await created("/api/v1/users", user);
  const { id: roleId } = await created("/api/v1/roles", { name: "Readers", policies: [] });
  const url = `/api/v1/roles/${roleId}/users/${userId}`;
  await service.send("PUT", url);
  await service.send("DELETE", url);
  const id = `${roleId}/${userId}`;
  expect(await entries(`?objectType=role-users&objectId=${id}`)).toMatchObject([
    { eventName: "unassignRole", before: { roleId, userId } },
    { eventName: "assignRole", after: { roleId, userId } },
  ]);
  const found = await entries(`?objectType=users&objectId=${userId}&search=assignRole`);
  expect(found).toMatchObject([
    { eventName: "unassignRole", after: { "role-users": [id] } },
    { eventName: "assignRole", after: { "role-users": [id] } },
  ]);
});

it("contains no secrets", async () => {
  const { token } = await created("/api/v1/api-keys", { name: "spare" });
  const values = [
    { name: "DB_PASS", value: "hunter2-pass" },
    { name: "REGION", value: "EMEA" },
  ];
  const variables = "/api/v1/deployments/1/env-vars";
  await service.send("PUT", variables, { body: { env_variables: values } });
  const session = await service.send("POST", "/api/v1/embed/generate-session", {
    body: { deploymentId: 1, externalId: "visitor", securityContext: { team: "team-4711" } },
  });
  const { sessionId } = session.body as { sessionId: string };
  await service.send("POST", "/api/v1/embed/session/token", { body: { sessionId } });
  const text = JSON.stringify(await entries());
  for (const secret of [token, "hunter2-pass", "EMEA", "team-4711", sessionId])
    expect(text).not.toContain(secret);
  expect(await entries("?eventName=setVariables")).toMatchObject([
    { objectType: "env-vars", objectIds: ["REGION"], deploymentId: 1 },
    { objectType: "env-vars", objectIds: ["DB_PASS"], deploymentId: 1 },
  ]);
  expect(await entries("?objectType=env-vars&objectId=REGION")).toHaveLength(1);
  expect(await entries("?objectType=env-vars&objectId=REG")).toHaveLength(0);
});

it("hides the values of an attribute whose name says that they are secret", async () => {
  for (const name of ["api_token", "city"]) {
    const defaultValue = `${name}-default`;
    const { id } = await created("/api/v1/user-attributes", { name, type: "string", defaultValue });
    for (const value of ["first", "second"]) {
      const body = { userId: "1", userAttributeId: String(id), value: `${name}-${value}` };
      expect((await service.send("POST", "/api/v1/user-attribute-values", { body })).status).toBe(
        200,
      );
    }
  }
  const text = JSON.stringify(await entries());
  for (const value of ["default", "first", "second"]) {
    expect(text).toContain(`city-${value}`);
    expect(text).not.toContain(`api_token-${value}`);
  }
});

it("has an entry of each credential that ends with its user", async () => {
  const user = { username: "zoe", email: "zoe@example.com" };
  const { id: ownerUserId } = await created("/api/v1/users", user);
  await service.send("PUT", "/api/v1/tenant/settings", { body: { personalKeysEnabled: true } });
  const key = await created("/api/v1/api-keys", { name: "of zoe", ownerUserId });
  const trust = await created("/api/v1/workload-trusts", {
    name: "pipeline of zoe",
    ownerUserId,
    issuer: "https://ci.example",
    audience: "svc",
    claims: [{ name: "repository_id", value: "42" }],
  });
  expect((await service.send("DELETE", `/api/v1/users/${ownerUserId}`)).status).toBe(204);
  for (const [type, { id }, name] of [
    ["api-keys", key, "of zoe"],
    ["workload-trusts", trust, "pipeline of zoe"],
  ] as const) {
    const [ended] = await entries(`?objectType=${type}&objectId=${id}`);
    expect(ended).toMatchObject({ eventName: "deleteUser", before: { name } });
    expect(ended).not.toHaveProperty("after");
  }
});

/** Returns the columns of a table of the first migration. */
function columnsOf(table: string): ReadonlySet<string> {
  const [, body = ""] = new RegExp(`create table ${table} \\((.*?)\n\\);`, "su").exec(tables) ?? [];
  const names = [...body.matchAll(/(?:^|,)\s*(\w+) (?:integer|text)/gu)].map(([, name]) => name);
  return new Set(names.filter((name) => name !== undefined));
}

it("compares columns that exist, and hides those that hold secrets", () => {
  const columns = new Map(
    Object.keys(auditedTables).map((table) => [table, columnsOf(table)] as const),
  );
  for (const [table, { id, key, partOf, extend }] of Object.entries(auditedTables)) {
    const declared = [
      ...key,
      ...(extend === undefined ? [...id, ...(partOf ? [partOf.id] : [])] : []),
    ];
    expect([table, declared.filter((name) => !columns.get(table)?.has(name))]).toEqual([table, []]);
  }
  const all = new Set([...columns.values()].flatMap((names) => [...names]));
  const kept = [...flagColumns, ...jsonColumns].filter((name) => !all.has(name));
  // The paths that a write of files changes.
  expect(kept).toEqual(["files"]);
  const secret = /secret|token|password|hash|sealed|private|verifier|credential/u;
  const shown = [...all].filter((name) => secret.test(name) && !/^sealed_|_hash$/u.test(name));
  // Addresses, prefixes, times, and names of credentials.
  expect(shown.toSorted()).toEqual([
    "credential",
    "has_refresh_token",
    "previous_token_expires_at",
    "token_prefix",
    "token_seconds",
    "token_url",
  ]);
});

it("has no change for a variable that gets the value that it has, and one for another value", async () => {
  const variables = "/api/v1/deployments/1/env-vars";
  const set = (...values: readonly string[]) =>
    service.send("PUT", variables, {
      body: { env_variables: values.map((value, at) => ({ name: `SAME_${at}`, value })) },
    });
  await set("one", "two");
  await set("one", "two");
  const [same] = await entries("?eventName=setVariables&first=1");
  expect(same).toMatchObject({ objectIds: ["SAME_0", "SAME_1"], before: {}, after: {} });
  await set("one", "three");
  const [other] = await entries("?eventName=setVariables&first=1");
  const hidden = { value: "[HIDDEN]" };
  expect(other).toMatchObject({ objectIds: ["SAME_1"], before: hidden, after: hidden });
  // A value that no key of the server decrypts can be replaced.
  await service.db
    .updateTable("deployment_variables")
    .set({ sealed_value: "s1.lost.AAAA" })
    .where("name", "=", "SAME_0")
    .execute();
  expect((await set("one", "three")).status).toBe(200);
  const [replaced] = await entries("?eventName=setVariables&first=1");
  expect(replaced).toMatchObject({ objectIds: ["SAME_0"], before: hidden, after: hidden });
});

it("has no entry of a write while the account keeps no audit log, but of the switch", async () => {
  const { id } = await created("/api/v1/user-attributes", { name: "area", type: "string" });
  const rename = async (displayName: string) => {
    const url = `/api/v1/user-attributes/${id}`;
    const { status, text } = await service.send("PUT", url, { body: { displayName } });
    expect([status, text]).toEqual([200, text]);
  };
  const settings = "/api/v1/tenant/settings";
  await service.send("PUT", settings, { body: { auditLogEnabled: false } });
  await rename("Off");
  await service.send("PUT", settings, { body: { auditLogEnabled: true } });
  await rename("On");
  const switched = await entries("?eventName=updateTenantSettings&first=2");
  expect(switched).toMatchObject([
    { before: { auditLogEnabled: false }, after: { auditLogEnabled: true } },
    { before: { auditLogEnabled: true }, after: { auditLogEnabled: false } },
  ]);
  const [renamed, ...rest] = await entries(`?objectType=user-attributes&objectId=${id}`);
  expect([renamed, rest]).toMatchObject([{ after: { displayName: "On" } }, [{}]]);
});

it("has an entry for each object of a bulk call, a bounded number, and none for a refused call or a lease", async () => {
  const first = 1000;
  const groups = Array.from({ length: 100 }, (_, index) => ({ name: `bulk ${index}` }));
  await service.send("POST", "/api/v1/user-groups/bulk", { body: { groups } });
  await service.send("POST", "/api/v1/user-groups", { body: { name: "bulk 1" } });
  await service.send("POST", "/api/v1/state/shop/lock", { body: { ID: "one", leaseSeconds: 60 } });
  const [last, ...more] = await entries(`?first=${first}&eventName=createUserGroups`);
  expect([last, more.length]).toMatchObject([{ after: { name: "bulk 99" } }, 99]);
  expect((await entries("?first=1"))[0]?.["id"]).toBe(last?.["id"]);
  const users = Array.from({ length: limits.auditItems + 5 }, (_, index) => ({
    username: `member-${index}`,
    email: `member-${index}@example.com`,
  }));
  for (const body of users) await service.send("POST", "/api/v1/users", { body });
  const { id } = await created("/api/v1/user-groups", { name: "many" });
  const members = users.map(({ email }) => ({ email }));
  const join = (some: typeof members) =>
    service.send("POST", `/api/v1/user-groups/${id}/users`, { body: { members: some } });
  // Unchanged objects of a call are not in its entries, including those beyond the limit of separate entries.
  const earlier = members.slice(-2);
  await join(earlier);
  await join(members);
  const joined = await entries(
    `?first=${first}&objectType=user-group-members&eventName=addUserGroupUsers`,
  );
  const counts = joined.map(({ objectIds }) => objectIds.length).toSorted((a, b) => b - a);
  expect(counts).toEqual([3, ...Array.from({ length: limits.auditItems + 2 }, () => 1)]);
  expect(new Set(joined.flatMap(({ objectIds }) => objectIds)).size).toBe(members.length);
});

it("is filtered, paged and exported as CSV", async () => {
  const page = await service.send("GET", `${path}?first=1&search=LAPTOP`);
  expect(page.body).toMatchObject({ items: [{}], pageInfo: { hasNextPage: true } });
  expect(await entries("?userEmail=ADMIN@svc.localhost&eventName=deleteUserGroup")).toHaveLength(1);
  expect(await entries("?start=2000-01-01T00:00:00Z&end=2001-01-01T00:00:00Z")).toEqual([]);
  expect((await service.send("GET", `${path}?objectId=1`)).status).toBe(400);
  const all = await entries("?first=1000");
  const isUnchanged = ({ before, after }: (typeof all)[number]) =>
    JSON.stringify([before, after]) === "[{},{}]";
  expect(await entries("?first=1000&changed=false")).toEqual(all.filter(isUnchanged));
  expect(await entries("?first=1000&changed=true")).toEqual(all.filter((one) => !isUnchanged(one)));
  expect(all.filter(isUnchanged)).not.toEqual([]);
  expect((await service.send("GET", `${path}?end=2016-12-31T23:59:60Z`)).status).toBe(400);
  const csv = await service.send("GET", `${path}/export?eventName=updateUserGroup`);
  expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
  const [head, line, ...rest] = csv.text.split("\r\n");
  expect([head?.startsWith("createdAt,eventName,userEmail"), rest]).toEqual([true, [""]]);
  expect(line).toContain("updateUserGroup,admin@svc.localhost,admin,laptop");
});

it("keeps entries for a bounded time", async () => {
  const { db } = service;
  expect(await sweepAuditLogs(db, new Date(), 10)).toBe(0);
  const later = new Date(Date.now() + limits.auditMs + 60_000);
  expect(await sweepAuditLogs(db, later, 2)).toBe(2);
});

it("is exported up to a bounded length", async () => {
  const text = "x".repeat(limits.auditCharacters);
  const entry = {
    created_at: new Date().toISOString(),
    event_name: "updateReport",
    credential: "key:1",
    object_type: "reports",
    object_ids: '["1"]',
    before_values: JSON.stringify({ text }),
    after_values: JSON.stringify({ text }),
  };
  const count = Math.ceil(limits.auditExportCharacters / (2 * limits.auditCharacters));
  for (let at = 0; at < count; at += 100) {
    const rows = Array.from({ length: Math.min(100, count - at) }, () => entry);
    await service.db.insertInto("audit_logs").values(rows).execute();
  }
  const whole = await service.send("GET", `${path}/export?eventName=updateReport`);
  expect([whole.status, whole.text]).toEqual([413, expect.stringContaining("start and end")]);
});
