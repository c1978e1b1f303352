// Tests SCIM 2.0 according to the RFCs and with requests that identity providers really send.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { patchBody, scimClient, type ScimBody } from "../support/scim-client.ts";
import { startService, type TestService } from "../support/test-service.ts";

const base = "/api/scim/v2";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

let service: TestService;
let count = 0;

beforeAll(async () => {
  service = await startService();
  await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
});
afterAll(async () => service.close());
beforeEach(() => (count += 1));

const { send, createUser, createGroup, patch, get, find, detail } = scimClient(() => service);

it.each(["abc", "9999999999", "99999999999"])("answers 404 for the ID %s", async (id) => {
  for (const path of [`/Users/${id}`, `/Groups/${id}`]) {
    expect(await send("GET", path)).toMatchObject(detail(404));
    expect(await send("DELETE", path)).toMatchObject(detail(404));
    const replaced = { userName: "x", displayName: "x" };
    expect(await send("PUT", path, replaced)).toMatchObject(detail(404));
  }
});

describe("users", () => {
  it("are created with what was sent, and never with a password", async () => {
    const userName = `Ann${count}@Example.com`;
    const sent = {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", enterprise],
      userName,
      externalId: "00u1",
      password: "s3cret-s3cret",
      name: { givenName: "Ann", familyName: "Lee" },
      emails: [{ value: userName, type: "work", primary: true }],
      active: true,
      groups: [],
      [enterprise]: { employeeNumber: 17, manager: "1" },
    };
    const created = await send("POST", "/Users", sent);
    expect(created).toMatchObject({
      status: 201,
      headers: {
        "content-type": "application/scim+json; charset=utf-8",
        etag: expect.stringMatching(/^W\//),
      },
      body: {
        userName,
        externalId: "00u1",
        name: sent.name,
        emails: sent.emails,
        active: true,
        [enterprise]: { employeeNumber: "17", manager: { value: "1" } },
        meta: { resourceType: "User", location: expect.stringContaining(`${base}/Users/`) },
      },
    });
    expect(created.headers["location"]).toBe(created.body.meta.location);
    expect(JSON.stringify(created.body)).not.toContain("s3cret");
    await patch(`/Users/${created.body.id}`, { op: "add", path: "password", value: "s3cret-2" });
    const audit = await service.send("GET", "/api/v1/audit-logs");
    expect(audit.text).toContain("createScimUser");
    expect(audit.text).not.toContain("s3cret");
    const { meta, ...shown } = await get(`/Users/${created.body.id}`);
    const { version } = created.body.meta;
    expect({ ...shown, meta: { version: meta.version } }).toEqual({
      ...created.body,
      meta: { version },
    });
    const managed = await service.send("GET", `/api/v1/users/${created.body.id}`);
    expect(managed.body).toMatchObject({
      username: userName,
      email: userName,
      firstName: "Ann Lee",
    });
  });

  it("are managed with a key of SCIM in either scheme, which cannot do anything else", async () => {
    const body = { name: `scim${count}`, permissions: ["ScimManage"] };
    const { token } = (await service.send("POST", "/api/v1/api-keys", { body })).body as {
      token: string;
    };
    for (const scheme of ["Bearer", "Api-Key"]) {
      const headers = { authorization: `${scheme} ${token}` };
      const userName = `${scheme}${count}@example.com`;
      const created = await service.send("POST", `${base}/Users`, { body: { userName }, headers });
      expect([scheme, created.status]).toEqual([scheme, 201]);
      const other = await service.send("GET", "/api/v1/users", { headers });
      expect([scheme, other.status]).toEqual([scheme, 403]);
    }
    const headers = { authorization: `Api-Key ${token}x` };
    expect((await service.send("GET", `${base}/Users`, { headers })).status).toBe(401);
  });

  it("have names that are unique in any case", async () => {
    await createUser({ userName: `same${count}` });
    expect(await send("POST", "/Users", { userName: `SAME${count}` })).toMatchObject(
      detail(409, "uniqueness"),
    );
  });

  it("with values that are too long for an index are refused, or found without it", async () => {
    const value = `${"é".repeat(2000)}@x.io`;
    const { id } = await createUser({ emails: [{ value }] });
    expect(await find(`id eq "${id}" and emails.value co "${"é".repeat(50)}"`)).toMatchObject({
      totalResults: 1,
    });
    expect(await send("POST", "/Users", { userName: "x", externalId: value })).toMatchObject(
      detail(400, "invalidValue"),
    );
    const filter = 'externalId eq "a\\u0000"';
    expect(await find(filter)).toMatchObject({ status: "400", scimType: "invalidFilter" });
  });

  it("show a picture to other clients only from a web address", async () => {
    const photos = [{ value: "javascript:alert(1)", type: "photo" }];
    const { id, ...shown } = await createUser({ photos });
    expect(shown["photos"]).toEqual(photos);
    expect((await service.send("GET", `/api/v1/users/${id}`)).body).not.toHaveProperty("picture");
  });

  it.each([
    ["no name", {}],
    ["a wrong type", { userName: "x", active: "maybe" }],
    [
      "two primary emails",
      {
        userName: "x",
        emails: [
          { value: "a", primary: true },
          { value: "b", primary: "True" },
        ],
      },
    ],
  ])("are refused with %s", async (_, body) => {
    expect(await send("POST", "/Users", body)).toMatchObject(detail(400, "invalidValue"));
  });

  it("that are deactivated lose their keys and sessions immediately", async () => {
    const { id } = await createUser();
    const key = await service.send("POST", "/api/v1/api-keys", {
      body: { name: `k${count}`, ownerUserId: Number(id) },
    });
    await service.send("PUT", "/api/v1/tenant/settings", { body: { personalKeysEnabled: true } });
    const { token } = key.body as { token: string };
    const me = async () => (await service.send("GET", "/api/v1/users/me", { key: token })).status;
    expect(await me()).toBe(200);
    expect(
      await patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" }),
    ).toMatchObject({
      status: 200,
      body: { active: false },
    });
    expect(await me()).toBe(403);
    expect(await find(`id eq "${id}"`)).toMatchObject({
      totalResults: 1,
      Resources: [{ active: false }],
    });
    await patch(`/Users/${id}`, { op: "replace", value: { active: true } });
    expect(await me()).toBe(403);
    expect(await send("DELETE", `/Users/${id}`)).toMatchObject({ status: 204 });
    expect(await me()).toBe(401);
    expect(await send("GET", `/Users/${id}`)).toMatchObject(detail(404));
  });

  it("that are the last administrator cannot be deactivated", async () => {
    expect(await patch("/Users/1", { op: "replace", value: { active: false } })).toMatchObject(
      detail(403),
    );
  });

  it("are replaced: attributes that are not sent are removed, and `active` stays", async () => {
    const { id, userName } = await createUser({ title: "Sales", active: false });
    const replaced = await send("PUT", `/Users/${id}`, {
      USERNAME: userName,
      displayName: "Ann",
      id: "99",
    });
    expect(replaced.body).toMatchObject({ id, displayName: "Ann", active: false });
    expect(replaced.body).not.toHaveProperty("title");
  });

  it("are changed only at the version that If-Match names", async () => {
    const { id, userName, meta } = await createUser();
    const { version } = meta;
    const body = { userName, title: "One" };
    const current = { "if-match": version.replace("W/", "") };
    expect(
      await send("GET", `/Users/${id}`, undefined, { "if-none-match": version }),
    ).toMatchObject({ status: 304 });
    const { version: next } = (await send("PUT", `/Users/${id}`, body, current)).body.meta;
    // A write returns the resource regardless of the client's version.
    expect(await send("PUT", `/Users/${id}`, body, { "if-none-match": next })).toMatchObject({
      status: 200,
    });
    expect(await send("PUT", `/Users/${id}`, body, current)).toMatchObject(detail(412));
    expect(await send("DELETE", `/Users/${id}`, undefined, current)).toMatchObject(detail(412));
  });
});

describe("a patch of a user", () => {
  it("creates the element that Entra ID names by a filter, once for several operations", async () => {
    const { id } = await createUser();
    const path = 'emails[type eq "work"].value';
    const answer = await patch(
      `/Users/${id}`,
      { op: "Add", path, value: "w@example.com" },
      { op: "Add", path: 'emails[type eq "work"].display', value: "Work" },
      { op: "Replace", path: 'phoneNumbers[type eq "mobile"].value', value: "1" },
      { op: "Add", path: `${enterprise}:department`, value: "Sales" },
      { op: "Replace", value: { "name.familyName": "Lee", [`${enterprise}:division`]: "EU" } },
    );
    expect(answer.body).toMatchObject({
      emails: [{ type: "work", value: "w@example.com", display: "Work" }],
      phoneNumbers: [{ type: "mobile", value: "1" }],
      name: { familyName: "Lee" },
      [enterprise]: { department: "Sales", division: "EU" },
    });
    expect(await find('emails[type eq "work" and value eq "W@example.com"]')).toMatchObject({
      totalResults: 1,
    });
    expect(await find('emails[type eq "home"].value eq "w@example.com"')).toMatchObject({
      totalResults: 0,
    });
  });

  it("ignores attributes that the service does not have, such as a password", async () => {
    const { id } = await createUser();
    const answer = await patch(
      `/Users/${id}`,
      { op: "replace", path: "password", value: "s3cret-3" },
      { op: "add", path: "urn:ietf:params:scim:schemas:extension:acme:2.0:User:badge", value: "7" },
      { op: "add", path: `${enterprise}:badge`, value: "7" },
      { op: "add", path: 'roles[primary eq "True"].value', value: "x" },
      { op: "add", path: "title", value: "Sales" },
    );
    expect(answer).toMatchObject({ status: 200, body: { title: "Sales" } });
    expect(JSON.stringify(answer.body)).not.toMatch(/s3cret|badge|roles/);
    const audit = await service.send("GET", "/api/v1/audit-logs");
    expect(audit.text).not.toContain("s3cret");
  });

  it("never activates a user but by true", async () => {
    const { id } = await createUser({ active: false });
    const path = `/Users/${id}`;
    const refused: readonly [string, object][] = [
      ["mutability", { op: "remove", path: "active" }],
      ["invalidValue", { op: "replace", path: "active", value: null }],
      ["invalidValue", { op: "replace", value: { active: "" } }],
    ];
    for (const [scimType, operation] of refused) {
      expect(await patch(path, operation)).toMatchObject(detail(400, scimType));
    }
    const { userName } = await get(path);
    expect((await send("PUT", path, { userName, Active: null })).body["active"]).toBe(false);
  });

  it("leaves no empty elements, one primary one, and no more than the most", async () => {
    const { id } = await createUser({ emails: [{ value: `e${count}@x.io` }, { type: "home" }] });
    const path = `/Users/${id}`;
    const { body } = await patch(path, { op: "replace", path: "emails.primary", value: true });
    expect(body["emails"]).toEqual([
      { value: `e${count}@x.io`, primary: false },
      { type: "home", primary: true },
    ]);
    const removed = await patch(
      path,
      { op: "remove", path: "emails.primary" },
      { op: "remove", path: "emails.type" },
    );
    expect(removed.body["emails"]).toEqual([{ value: `e${count}@x.io` }]);
    const add = (from: number) => ({
      op: "add",
      path: "phoneNumbers",
      value: Array.from({ length: 90 }, (_, at) => ({ value: String(from + at) })),
    });
    expect(await patch(path, add(0), add(90))).toMatchObject(detail(400, "invalidValue"));
  });

  it("keeps one primary value, removes what it names, and changes nothing if one operation fails", async () => {
    const { id } = await createUser({ emails: [{ value: `a${count}@x.io`, primary: true }] });
    const added = { value: `b${count}@x.io`, primary: true };
    const { body } = await patch(`/Users/${id}`, { op: "add", path: "emails", value: [added] });
    expect(body["emails"]).toEqual([{ value: `a${count}@x.io`, primary: false }, added]);
    const failed = await patch(
      `/Users/${id}`,
      { op: "remove", path: "emails" },
      { op: "remove", path: "userName" },
    );
    expect(failed).toMatchObject(detail(400, "mutability"));
    const kept = await patch(`/Users/${id}`, {
      op: "Remove",
      path: "emails",
      value: [{ value: `a${count}@x.io` }],
    });
    expect(kept.body["emails"]).toEqual([added]);
  });

  it.each([
    ["noTarget", { op: "remove" }],
    ["invalidPath", { op: "add", path: "nickname.first", value: "x" }],
    ["invalidPath", { op: "add", path: "nothing[", value: "x" }],
    ["invalidFilter", { op: "add", path: "emails[type eq].value", value: "x" }],
    ["noTarget", { op: "replace", path: 'emails[type co "x"].value', value: "x" }],
    ["mutability", { op: "replace", path: "groups", value: [] }],
    ["invalidSyntax", { op: "move", path: "title" }],
  ])("is refused as %s: %o", async (scimType, operation) => {
    const { id } = await createUser();
    expect(await patch(`/Users/${id}`, operation)).toMatchObject(detail(400, scimType));
  });
});

describe("lists", () => {
  it("find names with other letters than those of ASCII, as they are written and in other case", async () => {
    const userName = `Émile${count}@x.io`;
    const { id } = await createUser({ userName });
    const group = (await send("POST", "/Groups", { displayName: `Équipe${count}` })).body.id;
    const cases: (readonly [string, string, string])[] = [
      ["Users", `userName eq "${userName}"`, id],
      ["Users", `userName eq "${userName.toLowerCase()}"`, id],
      ["Users", `userName eq "${userName.toUpperCase()}"`, id],
      ["Users", `title eq null and userName eq "${userName}"`, id],
      ["Groups", `displayName eq "Équipe${count}"`, group],
      ["Groups", `displayName eq "éQUIPE${count}"`, group],
    ];
    // JavaScript and the databases convert these to lower case differently: a dotted capital I, and a final sigma.
    for (const name of [`İZMİR${count}`, `ΟΔΟΣ${count}Σ`]) {
      cases.push(["Users", `userName eq "${name}"`, (await createUser({ userName: name })).id]);
      const created = await send("POST", "/Groups", { displayName: name });
      cases.push(["Groups", `displayName eq "${name}"`, created.body.id]);
    }
    for (const [type, filter, found] of cases) {
      const list = await find(filter, type);
      expect([filter, list.Resources.map((one) => one.id)]).toEqual([filter, [found]]);
    }
    expect(await send("POST", "/Users", { userName: userName.toLowerCase() })).toMatchObject(
      detail(409, "uniqueness"),
    );
  });

  it("have pages, an order and a selection of attributes", async () => {
    const prefix = `page${count}-`;
    for (const title of ["b", "c", "a"]) await createUser({ userName: `${prefix}${title}`, title });
    const filter = encodeURIComponent(`userName sw "${prefix}"`);
    const names = (list: ScimBody) => list.Resources.map(({ userName }) => userName);
    const sorted = await get(
      `/Users?filter=${filter}&sortBy=title&sortOrder=descending&count=2&attributes=username&aadOptscim062020=1`,
    );
    expect(sorted).toMatchObject({ totalResults: 3, startIndex: 1, itemsPerPage: 2 });
    expect(names(sorted)).toEqual([`${prefix}c`, `${prefix}b`]);
    expect(Object.keys(sorted.Resources[0] ?? {})).toEqual(["schemas", "id", "userName"]);
    expect(names(await get(`/Users?filter=${filter}&startIndex=3&count=5`))).toEqual([
      `${prefix}a`,
    ]);
    expect(await get(`/Users?filter=${filter}&count=0`)).toMatchObject({
      totalResults: 3,
      Resources: [],
    });
    const searched = await send("POST", "/.search", {
      filter: `userName sw "${prefix}"`,
      attributes: ["userName"],
      startIndex: -5,
    });
    expect(searched).toMatchObject({ status: 200, body: { totalResults: 3, startIndex: 1 } });
    const both = await get("/Users?attributes=id&excludedAttributes=name");
    expect(both).toMatchObject({ status: "400", scimType: "invalidValue" });
  });

  it.each([
    "userName eq",
    'userName xx "a"',
    "(userName pr",
    "active gt true",
    'nothing eq "x"',
    'emails[value eq "a"',
    `${"(".repeat(100)}id pr`,
  ])("refuse the filter %s", async (filter) =>
    expect(await find(filter)).toMatchObject({ status: "400", scimType: "invalidFilter" }),
  );
});

it("describes itself, and refuses filters there", async () => {
  expect(await get("/ServiceProviderConfig")).toMatchObject({
    patch: { supported: true },
    bulk: { maxOperations: 1000 },
  });
  expect(await get("/ResourceTypes")).toMatchObject({ totalResults: 2 });
  expect(await get(`/Schemas/${enterprise}`)).toMatchObject({ name: "EnterpriseUser" });
  expect(await get("/Schemas?filter=id%20pr")).toMatchObject({ status: "403" });
  expect(await get("/Me")).toMatchObject({
    id: "1",
    meta: { location: expect.stringContaining("/Users/1") },
  });
});

it("ignores what Entra ID adds to the address of every request", async () => {
  const flag = "?aadOptscim062020=";
  const user = await createUser();
  const group = await createGroup();
  const refused: unknown[] = [];
  for (const [method, path, body] of [
    ["GET", "/ServiceProviderConfig"],
    ["GET", "/ResourceTypes/User"],
    ["GET", `/Schemas/${enterprise}`],
    ["POST", "/.search", { count: 0 }],
    ["POST", "/Bulk", { Operations: [{ method: "DELETE", path: "/Users/999999" }] }],
    ["PATCH", `/Users/${user.id}`, patchBody({ op: "add", path: "title", value: "Sales" })],
    ["DELETE", `/Users/${user.id}`],
    ["DELETE", `/Groups/${group}`],
  ] as const) {
    const { status } = await send(method, `${path}${flag}`, body);
    if (status >= 300) refused.push([method, path, status]);
  }
  expect(refused).toEqual([]);
});

it.each([
  ["invalidSyntax", "POST", "/Users/.search", { filter: 5 }],
  ["invalidSyntax", "POST", "/Groups/.search", { excludedAttributes: [{ toString: {} }] }],
  ["invalidSyntax", "POST", "/Users", []],
  ["invalidSyntax", "POST", "/Users", undefined],
  ["invalidSyntax", "POST", "/Bulk", { Operations: [], failOnErrors: 0 }],
  ["invalidValue", "GET", "/Users?count=many", undefined],
] as const)(
  "refuses what is no request of SCIM as %s: %s %s %o",
  async (type, method, path, body) => {
    expect(await send(method, path, body)).toMatchObject(detail(400, type));
  },
);

it("refuses a value that it cannot keep as invalidValue, also in a bulk request", async () => {
  const addresses = Array.from({ length: 100 }, () => ({ formatted: "x".repeat(4000) }));
  const data = { userName: `large${count}`, addresses };
  expect(await send("POST", "/Users", data)).toMatchObject(detail(400, "invalidValue"));
  const { body } = await send("POST", "/Bulk", {
    Operations: [{ method: "POST", path: "/Users", bulkId: "a", data }],
  });
  expect(body["Operations"]).toMatchObject([{ response: { scimType: "invalidValue" } }]);
});

it("refuses a body that is not JSON as invalidSyntax", async () => {
  const answer = await fetch(`${service.url}${base}/Users`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.adminKey}`,
      "content-type": "application/scim+json",
    },
    body: '{"userName":',
  });
  expect(await answer.json()).toMatchObject({ status: "400", scimType: "invalidSyntax" });
});

it("is closed until an administrator enables it, and to keys without its permission", async () => {
  const other = await startService();
  try {
    expect(await other.send("GET", `${base}/Users`)).toMatchObject(detail(403));
    expect(await other.send("GET", `${base}/Users`, { key: "sk-wrong" })).toMatchObject(
      detail(401),
    );
  } finally {
    await other.close();
  }
  const key = await service.key({ admin: false });
  expect(await service.send("GET", `${base}/Users`, { key })).toMatchObject(detail(403));
});
