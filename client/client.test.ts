// The client against real servers: requests, lists and discovery.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { listUserAttributes, listUserAttributeValues } from "../api/user-attributes.ts";
import { createUserGroup, deleteUserGroup, listUserGroups } from "../api/user-groups.ts";
import { exchangeSession } from "../api/embed.ts";
import { removeEmbedTenantGroupUsers } from "../api/embed-tenants.ts";
import { getCurrentUser } from "../api/users.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { Secret } from "../core/secret.ts";
import { createClient } from "./client.ts";
import type { Client, ReadOnlyClient } from "./types.ts";
import {
  startStubServer,
  errorCodeOf,
  createTestClient,
  failureOf,
  respondJson,
} from "../test/support/stub-server.ts";

const group = { id: 1, name: "viewers" };
const me = { id: 1, email: "a@example.com", username: "a", isAdmin: true };

describe("a request", () => {
  it("carries the key, JSON, encoded parameters and repeated query values", async () => {
    const { url, seen } = await startStubServer((_, response) => respondJson(response, group));
    const client = createTestClient(url);
    const read = defineOperation({
      id: "readThing",
      area: "things",
      method: "GET",
      path: "/api/v1/things/{name}",
      summary: "Read a thing",
      source: "proposed",
      effect: "read",
      permission: "self",
      params: Type.Object({ name: Type.String() }),
      query: Type.Object({
        step: Type.Optional(Type.Array(Type.String())),
        all: Type.Optional(Type.Boolean()),
      }),
      answer: Type.Object({ id: Type.Integer() }),
    });
    await client.call(read, {
      params: { name: "a b/ü?" },
      query: { step: ["x", "y&z"], all: true },
    });
    await client.call(createUserGroup, { body: { name: "viewers" } });
    expect(seen[0]?.url).toBe("/api/v1/things/a%20b%2F%C3%BC%3F?step=x&step=y%26z&all=true");
    expect(seen[0]?.headers.authorization).toBe("Api-Key sk-test-1");
    expect(seen[1]).toMatchObject({ method: "POST", body: `{"name":"viewers"}` });
    expect(seen[1]?.headers["content-type"]).toBe("application/json");
  });

  it("says Bearer for other tokens, obeys a given scheme, and shows no key where none is needed", async () => {
    const { url, seen } = await startStubServer((_, response) =>
      respondJson(response, { ...me, token: "t" }),
    );
    await createTestClient(url, { credential: new Secret("eyJ.x.y") }).call(getCurrentUser, {});
    await createTestClient(url, { scheme: "bearer" }).call(getCurrentUser, {});
    await createTestClient(url).call(exchangeSession, { body: { sessionId: "x" } });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer eyJ.x.y",
      "Bearer sk-test-1",
      undefined,
    ]);
  });

  it("sends a length with a write that has no body, and a DELETE with a body on a connection that stays open", async () => {
    const { url, seen, server } = await startStubServer((_, response) =>
      response.writeHead(204).end(),
    );
    let connections = 0;
    server.on("connection", () => connections++);
    const client = createTestClient(url);
    await client.request("POST", "/api/v1/anything");
    for (let times = 0; times < 6; times++) {
      await client.call(removeEmbedTenantGroupUsers, {
        params: { embedTenantName: "acme", id: 1 },
        body: { members: [{ externalId: "a" }] },
      });
    }
    await client.call(deleteUserGroup, { params: { id: 1 } });
    expect(seen[0]?.headers["content-length"]).toBe("0");
    expect(seen[1]).toMatchObject({ method: "DELETE", body: `{"members":[{"externalId":"a"}]}` });
    expect(connections).toBeLessThanOrEqual(2);
  });

  it.each(["", ".", "..", "\ud800"])(
    "refuses %j as a path's parameter before sending",
    async (name) => {
      const { url, seen } = await startStubServer((_, response) => respondJson(response, []));
      const call = createTestClient(url).call(removeEmbedTenantGroupUsers, {
        params: { embedTenantName: name, id: 1 },
        body: { members: [] },
      });
      expect(await errorCodeOf(call)).toBe("invalid");
      expect(seen).toEqual([]);
    },
  );

  it.each([
    ["http://acme.example.com", /clear text/],
    ["https://user:secret-word@acme.example.com", /user name or password/],
    [
      "https://acme.example.com/api/v1",
      /^the server URL must not contain a path: use https:\/\/acme.example.com$/,
    ],
    ["acme example", /must be a URL/],
    ["user:secret-word@acme.example.com", /must be a URL/],
    ["ftp://acme.example.com", /must be a URL/],
  ])("is not made for the address %s", (url, message) => {
    const make = (): Client => createClient({ url, credential: undefined });
    expect(make).toThrow(message);
    expect(make).not.toThrow(/secret-word/);
  });

  it.each([
    ["acme.example.com", "https://acme.example.com"],
    ["acme.example.com:8443/", "https://acme.example.com:8443"],
    ["localhost:4000", "http://localhost:4000"],
    ["127.0.0.1:4000", "http://127.0.0.1:4000"],
    ["[::1]:4000", "http://[::1]:4000"],
  ])("is not made for the address %s, and names the URL", (url, meant) => {
    const message = `the server address ${url} has no scheme`;
    const expected = expect.objectContaining({ code: "usage", message, remedy: `Use ${meant}.` });
    expect(() => createClient({ url, credential: undefined })).toThrow(expected);
  });

  it("is not made with a credential that no header can carry, and does not show it", () => {
    const make = (): Client =>
      createClient({ url: "https://a.example.com", credential: new Secret("sk-\nsecret-word") });
    expect(make).toThrow(/credential/);
    expect(make).not.toThrow(/secret-word/);
  });
});

describe("a bare request", () => {
  it("returns JSON, text and empty answers unchanged", async () => {
    const { url, seen } = await startStubServer(({ url: path }, response) => {
      if (path.startsWith("/none")) response.writeHead(204).end();
      else if (path.startsWith("/text"))
        response.writeHead(200, { "content-type": "text/plain" }).end("ok");
      else respondJson(response, { a: 1 });
    });
    const client = createTestClient(url);
    expect(await client.request("GET", "/x?a=1", { query: { b: [1, 2] } })).toEqual({
      status: 200,
      body: { a: 1 },
      content: Buffer.from('{"a":1}'),
    });
    expect((await client.request("GET", "/text")).body).toBe("ok");
    expect((await client.request("DELETE", "/none")).body).toBeUndefined();
    expect(seen[0]?.url).toBe("/x?a=1&b=1&b=2");
  });

  it.each(["//evil.example.com/x", "https://evil.example.com/x", "x", "/a b", "/a#b", "/\\evil"])(
    "refuses the path %s",
    async (path) => {
      const { url, seen } = await startStubServer((_, response) => respondJson(response, {}));
      expect(
        await errorCodeOf(Promise.resolve().then(() => createTestClient(url).request("GET", path))),
      ).toBe("usage");
      expect(seen).toEqual([]);
    },
  );
});

describe("a list", () => {
  const page = (items: unknown[], endCursor?: string): unknown => ({
    items,
    pageInfo: {
      hasNextPage: endCursor !== undefined,
      hasPreviousPage: false,
      endCursor: endCursor ?? null,
    },
  });

  it("is read to its end by cursors", async () => {
    const { url, seen } = await startStubServer((_, response, count) =>
      respondJson(
        response,
        page([{ id: count, name: `g${count}` }], count < 3 ? `c${count}` : undefined),
      ),
    );
    const all = await createTestClient(url).all(listUserGroups, { query: { search: "g" } });
    expect(all.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(seen.map(({ url: path }) => path)).toEqual([
      "/api/v1/user-groups?search=g&first=1000",
      "/api/v1/user-groups?search=g&first=1000&after=c1",
      "/api/v1/user-groups?search=g&first=1000&after=c2",
    ]);
  });

  it("is read by offset if the server supports only that, and in one call if it is a bare array", async () => {
    const attribute = (id: number): unknown => ({ id, name: `a${id}`, type: "string" });
    const { url, seen } = await startStubServer(({ url: path }, response) => {
      if (path.includes("values")) return respondJson(response, []);
      const offset = Number(new URL(path, "http://x").searchParams.get("offset"));
      respondJson(response, {
        data: [attribute(offset + 1), attribute(offset + 2)],
        pagination: { total: 4, offset, limit: 2 },
      });
    });
    const client = createTestClient(url);
    const all = await client.all(listUserAttributes, {});
    expect(all.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(seen[1]?.url).toBe("/api/v1/user-attributes?offset=2&limit=1000");
    expect(await client.all(listUserAttributeValues, { params: { userId: 1 } })).toEqual([]);
  });

  it("returns one page with its page information", async () => {
    const { url, seen } = await startStubServer((_, response) =>
      respondJson(response, page([group], "next")),
    );
    const { items, pageInfo } = await createTestClient(url).page(listUserGroups, {
      query: { first: 1, search: "v" },
    });
    expect(items).toEqual([group]);
    expect(pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false, endCursor: "next" });
    expect(seen[0]?.url).toBe("/api/v1/user-groups?first=1&search=v");
  });

  it.each([
    ["leads in a cycle", page([group], "same"), /form a loop/],
    [
      "has no cursor to continue with",
      { items: [], pageInfo: { hasNextPage: true, hasPreviousPage: false } },
      /endCursor/,
    ],
    ["has no items", { rows: [] }, /\/items/],
    ["has a broken item", page([group, { id: "x", name: "b" }]), /\/1\/id/],
    ["is a bare array", [group], /not an object/],
  ])("that %s is unexpected", async (_, body, message) => {
    const { url } = await startStubServer((__, response) => respondJson(response, body));
    const failure = await failureOf(createTestClient(url).all(listUserGroups, {}));
    expect(failure.code).toBe("unexpected_answer");
    expect(failure.message).toMatch(message);
  });
});

describe("the read-only client", () => {
  it("rejects write operations, by type and at run time", async () => {
    const { url, seen } = await startStubServer((_, response) => respondJson(response, group));
    const client = createTestClient(url);
    // @ts-expect-error a writing operation does not fit
    await expect(client.reader.call(createUserGroup, { body: { name: "a" } })).rejects.toThrow(
      /is read-only/,
    );
    // @ts-expect-error a client that may write is not one that may not
    const pretended: ReadOnlyClient = client;
    expect(pretended).toBeDefined();
    expect(seen).toEqual([]);
  });

  it("types inputs and answers by the operation", async () => {
    const { url } = await startStubServer((_, response) => respondJson(response, me));
    const { reader } = createTestClient(url);
    const user = await reader.call(getCurrentUser, {});
    const admin: boolean = user.isAdmin;
    expect(admin).toBe(true);
    const wrongly = (): unknown[] => [
      // @ts-expect-error the query has no such parameter
      reader.all(listUserGroups, { query: { seerch: "x" } }),
      // @ts-expect-error the parameters are missing
      reader.all(listUserAttributeValues, {}),
    ];
    expect(wrongly).toBeTypeOf("function");
  });
});

describe("discovery", () => {
  const spec = {
    openapi: "3.1.0",
    paths: { "/api/v1/user-groups/": { get: {} }, "/api/v1/user-groups/{groupId}": { delete: {} } },
  };

  it("reads the document once, and matches operations by method and path", async () => {
    const { url, seen } = await startStubServer((_, response) => respondJson(response, spec));
    const client = createTestClient(url);
    const [offer] = await Promise.all([client.discoverApi(), client.discoverApi()]);
    expect(seen).toHaveLength(1);
    expect(offer.has(listUserGroups)).toBe(true);
    expect(offer.has(deleteUserGroup)).toBe(true);
    expect(offer.has(createUserGroup)).toBe(false);
    expect(offer.has(getCurrentUser)).toBe(true);
  });

  it("is read by another client of the process only if the document has changed", async () => {
    let etag = '"first"';
    let paths: object = spec.paths;
    const { url, seen } = await startStubServer(({ headers }, response) => {
      response.setHeader("etag", etag);
      if (headers["if-none-match"] === etag) response.writeHead(304).end();
      else respondJson(response, { ...spec, paths });
    });
    const discover = () => createTestClient(url).discoverApi();
    expect((await discover()).has(listUserGroups)).toBe(true);
    const second = createTestClient(url);
    expect((await second.discoverApi()).has(listUserGroups)).toBe(true);
    expect(second.stats).toMatchObject({ calls: 1, bytes: 0 });
    etag = '"second"';
    paths = {};
    expect((await discover()).has(listUserGroups)).toBe(false);
    expect(seen.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      '"first"',
      '"first"',
    ]);
  });

  it("fails with a clear message without a document, and can be repeated", async () => {
    const { url } = await startStubServer((_, response, count) => {
      if (count === 1) response.writeHead(200, { "content-type": "text/html" }).end("<html>");
      else respondJson(response, count === 2 ? { hello: 1 } : spec);
    });
    const client = createTestClient(url);
    const failure = await failureOf(client.discoverApi());
    expect(failure.code).toBe("not_offered");
    expect(failure.message).toBe(
      `${url} does not look like the API: /api/v1/spec does not return an OpenAPI document.`,
    );
    expect(failure.remedy).toBe("Check the URL of the server, such as SVC_API_URL.");
    expect(await errorCodeOf(client.discoverApi())).toBe("unexpected_answer");
    expect((await client.discoverApi()).has(listUserGroups)).toBe(true);
  });
});
