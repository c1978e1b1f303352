// The client against real servers that misbehave: what it sends, what it makes of answers, and when it tries again.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Type } from "typebox";
import { afterEach, describe, expect, it } from "vitest";
import { listUserAttributes, listUserAttributeValues } from "../api/user-attributes.ts";
import { createUserGroup, deleteUserGroup, listUserGroups } from "../api/user-groups.ts";
import { exchangeSession, generateSession } from "../api/embed.ts";
import { removeEmbedTenantGroupUsers } from "../api/embed-tenants.ts";
import { getCurrentUser } from "../api/users.ts";
import type { ErrorCode, Failure } from "../core/errors.ts";
import { defineOperation } from "../core/operation.ts";
import { Secret } from "../core/secret.ts";
import { createClient } from "./client.ts";
import type { Client, ClientOptions, ReadOnlyClient, RequestEvent, WaitEvent } from "./types.ts";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Behave = (request: Seen, response: ServerResponse, count: number) => void;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serve(behave: Behave): Promise<{ url: string; seen: Seen[]; server: Server }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body };
      seen.push(one);
      behave(one, response, seen.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

function connect(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url, credential: new Secret("sk-test-1"), ...options });
  stops.push(() => client.close());
  return client;
}

function json(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function failure(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.fail("it did not fail"),
    (error: unknown) => error as Failure,
  );
}

async function codeOf(promise: Promise<unknown>): Promise<ErrorCode> {
  return (await failure(promise)).code;
}

const group = { id: 1, name: "viewers" };
const me = { id: 1, email: "a@example.com", username: "a", isAdmin: true };

describe("a request", () => {
  it("carries the key, JSON, encoded parameters and repeated query values", async () => {
    const { url, seen } = await serve((_, response) => json(response, group));
    const client = connect(url);
    const read = defineOperation({
      id: "readThing",
      area: "things",
      method: "GET",
      path: "/api/v1/things/{name}",
      summary: "Read a thing",
      source: "proposed",
      effect: "read",
      access: "user",
      scope: "open",
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
    const { url, seen } = await serve((_, response) => json(response, { ...me, token: "t" }));
    await connect(url, { credential: new Secret("eyJ.x.y") }).call(getCurrentUser, {});
    await connect(url, { scheme: "bearer" }).call(getCurrentUser, {});
    await connect(url).call(exchangeSession, { body: { sessionId: "x" } });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer eyJ.x.y",
      "Bearer sk-test-1",
      undefined,
    ]);
  });

  it("sends a length with a write that has no body, and a DELETE with a body on a connection that lives on", async () => {
    const { url, seen, server } = await serve((_, response) => response.writeHead(204).end());
    let connections = 0;
    server.on("connection", () => connections++);
    const client = connect(url);
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
      const { url, seen } = await serve((_, response) => json(response, []));
      const call = connect(url).call(removeEmbedTenantGroupUsers, {
        params: { embedTenantName: name, id: 1 },
        body: { members: [] },
      });
      expect(await codeOf(call)).toBe("invalid");
      expect(seen).toEqual([]);
    },
  );

  it.each([
    ["http://acme.example.com", /clear text/],
    ["https://user:secret-word@acme.example.com", /user name or password/],
    [
      "https://acme.example.com/api/v1",
      /Give only the server's origin: https:\/\/acme.example.com$/,
    ],
    ["acme.example.com", /has to be a URL/],
    ["ftp://acme.example.com", /has to be a URL/],
  ])("is not made for the address %s", (url, message) => {
    const make = (): Client => createClient({ url, credential: undefined });
    expect(make).toThrow(message);
    expect(make).not.toThrow(/secret-word/);
  });

  it("is not made with a credential that no header can carry, and does not show it", () => {
    const make = (): Client =>
      createClient({ url: "https://a.example.com", credential: new Secret("sk-\nsecret-word") });
    expect(make).toThrow(/credential/);
    expect(make).not.toThrow(/secret-word/);
  });
});

describe("a bare request", () => {
  it("gives JSON, text and nothing as they are", async () => {
    const { url, seen } = await serve(({ url: path }, response) => {
      if (path.startsWith("/none")) response.writeHead(204).end();
      else if (path.startsWith("/text"))
        response.writeHead(200, { "content-type": "text/plain" }).end("ok");
      else json(response, { a: 1 });
    });
    const client = connect(url);
    expect(await client.request("GET", "/x?a=1", { query: { b: [1, 2] } })).toEqual({
      status: 200,
      body: { a: 1 },
    });
    expect((await client.request("GET", "/text")).body).toBe("ok");
    expect((await client.request("DELETE", "/none")).body).toBeUndefined();
    expect(seen[0]?.url).toBe("/x?a=1&b=1&b=2");
  });

  it.each(["//evil.example.com/x", "https://evil.example.com/x", "x", "/a b", "/a#b", "/\\evil"])(
    "refuses the path %s",
    async (path) => {
      const { url, seen } = await serve((_, response) => json(response, {}));
      expect(await codeOf(Promise.resolve().then(() => connect(url).request("GET", path)))).toBe(
        "usage",
      );
      expect(seen).toEqual([]);
    },
  );
});

describe("an answer", () => {
  const answering = async (behave: Behave): Promise<Failure> => {
    const { url } = await serve(behave);
    return failure(connect(url).call(getCurrentUser, {}));
  };

  it("in HTML means that the route is not offered, with 200 and with 404", async () => {
    for (const status of [200, 404]) {
      const told = await answering((_, response) => {
        response.writeHead(status, { "content-type": "text/html" }).end("<!doctype html><p>app");
      });
      expect(told.code).toBe("not_offered");
      expect(told.message).toBe("This server does not offer GET /api/v1/users/me.");
    }
  });

  it("that names an unknown route means the same", async () => {
    const body = { error: "x", message: "x", statusCode: 404, code: "unknown_route" };
    expect((await answering((_, response) => json(response, body, 404))).code).toBe("not_offered");
  });

  it.each([
    ["torn JSON", "application/json", '{"id": 1, "na', /not valid JSON/],
    ["another type", "text/csv", "id,name", /text\/csv and not JSON/],
    ["nothing", "application/json", "", /empty/],
    ["a wrong type", "application/json", JSON.stringify({ ...me, isAdmin: "yes" }), /isAdmin/],
    ["a missing member", "application/json", JSON.stringify({ id: 1 }), /email/],
  ])("with %s is unexpected", async (_, type, body, message) => {
    const told = await answering((__, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
    });
    expect(told.code).toBe("unexpected_answer");
    expect(told.message).toMatch(message);
  });

  it("may have more members than we know", async () => {
    const { url } = await serve((_, response) => json(response, { ...me, plan: { tier: "gold" } }));
    expect(await connect(url).call(getCurrentUser, {})).toMatchObject({ id: 1 });
  });

  it("need not have what nothing depends on, and may say null of what is not there", async () => {
    const { url } = await serve(({ url: path }, response) =>
      path === "/api/v1/users/me"
        ? json(response, { id: 1, email: "a@example.com", createdAt: null, title: null })
        : json(response, {
            items: [{ ...group, description: null, userCount: null, more: null }],
            pageInfo: { hasNextPage: false },
          }),
    );
    const client = connect(url);
    expect(await client.call(getCurrentUser, {})).toEqual({ id: 1, email: "a@example.com" });
    expect(await client.all(listUserGroups, {})).toEqual([{ ...group, more: null }]);
  });

  it("may not say null of what is needed", async () => {
    const told = await answering((_, response) => json(response, { ...me, id: null }));
    expect(told).toMatchObject({ code: "unexpected_answer" });
    expect(told.message).toContain("/id must be a whole number, not null");
  });

  it("is not read beyond its bound", async () => {
    const told = await answering((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(1024 * 1024, 32);
      const more = (): void => {
        while (!response.destroyed)
          if (!response.write(chunk)) return void response.once("drain", more);
      };
      more();
    });
    expect(told.code).toBe("unexpected_answer");
    expect(told.message).toMatch(/larger than/);
  });

  it("that redirects is not followed, and only the other origin is told", async () => {
    const other = await serve((_, response) => json(response, me));
    const told = await answering((_, response) => {
      response.writeHead(302, { location: `${other.url}/login?next=secret-word` }).end();
    });
    expect(told.code).toBe("unexpected_answer");
    expect(told.message).toContain(`redirected (302) to ${other.url}.`);
    expect(told.remedy).toMatch(/keys are not sent to other origins/);
    expect(other.seen).toEqual([]);
  });

  it("has its text made harmless, without the key", async () => {
    const message = "no\u001b[2Jclear\r\n\u202eeht sk-test-1 end";
    const told = await answering((_, response) => json(response, { message }, 403));
    expect(told.code).toBe("forbidden");
    expect(told.message).toBe("Get the current user: no [2Jclear eht ••• end");
  });

  it.each([
    [400, "invalid"],
    [401, "unauthenticated"],
    [404, "not_found"],
    [409, "conflict"],
    [413, "too_large"],
    [422, "invalid"],
  ])("%i fails as %s, at once", async (status, code) => {
    const { url, seen } = await serve((_, response) => json(response, { error: "no" }, status));
    const told = await failure(connect(url).call(getCurrentUser, {}));
    expect(told.code).toBe(code);
    expect(told.details).toMatchObject({ status });
    expect(seen).toHaveLength(1);
  });
});

describe("a retry", () => {
  it("outlives two failures of the server", async () => {
    const { url } = await serve((_, response, count) =>
      count < 3 ? json(response, { error: "oops" }, 500) : json(response, me),
    );
    const events: RequestEvent[] = [];
    const client = connect(url, { onRequest: (event) => events.push(event) });
    expect(await client.call(getCurrentUser, {})).toEqual(me);
    expect(client.stats).toMatchObject({ calls: 3, retries: 2 });
    expect(events.map(({ attempt, status, failure: code }) => [attempt, status, code])).toEqual([
      [1, 500, "internal"],
      [2, 500, "internal"],
      [3, 200, undefined],
    ]);
  });

  it("waits as long as it is asked to, and so does everybody else", async () => {
    const times: number[] = [];
    const { url } = await serve((_, response, count) => {
      times.push(performance.now());
      if (count === 1) json(response, { error: "slow" }, 429, { "retry-after": "1" });
      else json(response, me);
    });
    const client = connect(url);
    const first = client.call(getCurrentUser, {});
    await expect.poll(() => client.stats.calls).toBe(1);
    await Promise.all([first, client.call(getCurrentUser, {})]);
    const start = times[0] ?? 0;
    expect(times.slice(1).every((time) => time - start >= 990)).toBe(true);
  });

  it("holds back before it has to be refused, once the allowance is spent", async () => {
    const times: number[] = [];
    const { url } = await serve((_, response) => {
      times.push(performance.now());
      json(response, me, 200, { "ratelimit-remaining": "0", "ratelimit-reset": "0.2" });
    });
    const client = connect(url);
    await client.call(getCurrentUser, {});
    await client.call(getCurrentUser, {});
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(190);
  });

  it("does not repeat what a used-up account limit refused", async () => {
    const body = { error: "full", code: "limit_reached" };
    const { url, seen } = await serve((_, response) => json(response, body, 429));
    expect(await codeOf(connect(url).call(createUserGroup, { body: { name: "a" } }))).toBe(
      "limit_reached",
    );
    expect(seen).toHaveLength(1);
  });

  it("gives up after its attempts", async () => {
    const { url, seen } = await serve((_, response) => json(response, { error: "down" }, 503));
    expect(await codeOf(connect(url, { attempts: 2 }).call(getCurrentUser, {}))).toBe(
      "unavailable",
    );
    expect(seen).toHaveLength(2);
  });

  it("tells of a wait that is long enough to wonder about", async () => {
    const { url } = await serve((_, response, count) =>
      count === 1 ? json(response, {}, 429, { "retry-after": "1" }) : json(response, me),
    );
    const waits: WaitEvent[] = [];
    await connect(url, { onWait: (event) => waits.push(event) }).call(getCurrentUser, {});
    expect(waits).toEqual([{ seconds: 1, asked: true, attempt: 2, attempts: 5 }]);
  });

  it("fails at once where the server asks for more than we would wait", async () => {
    const { url, seen } = await serve((_, response) =>
      json(response, {}, 429, { "retry-after": "3600" }),
    );
    const told = await failure(connect(url).call(getCurrentUser, {}));
    expect([told.code, told.retryAfter, seen.length]).toEqual(["rate_limited", 3600, 1]);
  });

  it("stops when told to", async () => {
    const { url } = await serve((_, response) => json(response, {}, 429, { "retry-after": "30" }));
    const stop = new AbortController();
    const client = connect(url);
    const call = client.call(getCurrentUser, {}, { signal: stop.signal });
    await expect.poll(() => client.stats.calls).toBe(1);
    stop.abort();
    expect(await codeOf(call)).toBe("aborted");
  });

  it.each([
    [503, { code: "unavailable" }],
    [429, { message: "slow down" }],
  ])("repeats a create that was certainly not carried out (%i, %j)", async (status, refusal) => {
    const { url } = await serve((_, response, count) =>
      count === 1 ? json(response, refusal, status, { "retry-after": "0" }) : json(response, group),
    );
    expect(await connect(url).call(createUserGroup, { body: { name: "viewers" } })).toEqual(group);
  });

  it.each([{}, { message: "upstream timed out" }, { code: "internal" }])(
    "does not take 503 of something in front of the API for one that says so (%j)",
    async (body) => {
      const { url, seen } = await serve((_, response, count) =>
        count % 2 === 1 ? json(response, body, 503, { "retry-after": "0" }) : json(response, me),
      );
      const client = connect(url);
      const create = client.call(createUserGroup, { body: { name: "a" } });
      expect(await codeOf(create)).toBe("unknown_outcome");
      expect(seen).toHaveLength(1);
      seen.length = 0;
      // What may be repeated still is.
      expect(await client.call(getCurrentUser, {})).toEqual(me);
      expect(seen).toHaveLength(2);
    },
  );

  it("repeats no create that may have been carried out", async () => {
    const failing = await serve((_, response) => json(response, { error: "oops" }, 500));
    const told = await failure(connect(failing.url).call(createUserGroup, { body: { name: "a" } }));
    expect(told.code).toBe("unknown_outcome");
    expect(told.message).toMatch(/may or may not have been carried out/);
    expect(failing.seen).toHaveLength(1);
  });

  it("meets an answer that is dropped after the work: repeats what may be repeated, else says that it does not know", async () => {
    const { url, seen } = await serve((_, response, count) => {
      if (count % 2 === 1) response.destroy();
      else json(response, { sessionId: "0123456789abcdef0123456789abcdef" });
    });
    const client = connect(url);
    await client.call(generateSession, { body: { deploymentId: 1 } });
    expect(seen).toHaveLength(2);
    expect(await codeOf(client.call(createUserGroup, { body: { name: "a" } }))).toBe(
      "unknown_outcome",
    );
    expect(seen).toHaveLength(3);
  });

  it("takes an answer that is cut off for none", async () => {
    const { url } = await serve((_, response, count) => {
      if (count > 1) return json(response, me);
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id":1', () => response.destroy());
    });
    expect(await connect(url).call(getCurrentUser, {})).toEqual(me);
  });
});

describe("no answer", () => {
  it("from a slow server is a timeout; of a create, an unknown outcome", async () => {
    const { url } = await serve(() => {});
    const client = connect(url, { timeoutMs: 50, attempts: 1 });
    expect(await codeOf(client.call(getCurrentUser, {}))).toBe("timeout");
    expect(await codeOf(client.call(createUserGroup, { body: { name: "a" } }))).toBe(
      "unknown_outcome",
    );
  });

  it("because nobody listens is unreachable, also of a create", async () => {
    const { url, server } = await serve(() => {});
    await new Promise((resolve) => server.close(resolve));
    const client = connect(url, { attempts: 2 });
    const told = await failure(client.call(createUserGroup, { body: { name: "a" } }));
    expect(told.code).toBe("unreachable");
    expect(told.message).toBe(`Cannot reach ${url}: the connection was refused.`);
    expect(client.stats.retries).toBe(1);
  });

  it("because of a name or a certificate fails at once, with the reason", async () => {
    const nowhere = connect("https://nowhere.invalid");
    const told = await failure(nowhere.call(getCurrentUser, {}));
    expect(told.code).toBe("unreachable");
    expect(told.message).toMatch(/^Cannot reach https:\/\/nowhere.invalid: .*host/);
    const { url } = await serve(() => {});
    const plain = await failure(
      connect(url.replace("http:", "https:"), { attempts: 1 }).call(getCurrentUser, {}),
    );
    expect(plain.code).toBe("unreachable");
  });

  it("lets a write end that is on its way when the run stops, and tears a read", async () => {
    const { url, seen } = await serve(({ method }, response) => {
      if (method === "POST") setTimeout(() => json(response, group), 100);
    });
    const stop = new AbortController();
    const client = connect(url, { signal: stop.signal });
    const write = client.call(createUserGroup, { body: { name: "viewers" } });
    const read = failure(client.call(getCurrentUser, {}));
    await expect.poll(() => seen.length).toBe(2);
    stop.abort();
    expect((await read).code).toBe("aborted");
    expect(await write).toEqual(group);
    expect(await codeOf(client.call(createUserGroup, { body: { name: "b" } }))).toBe("aborted");
    expect(seen).toHaveLength(2);
  });
});

describe("a write that is stopped between its attempts", () => {
  const stopped = async (behave: Behave): Promise<Failure> => {
    const { url } = await serve(behave);
    const stop = new AbortController();
    const client = connect(url, { signal: stop.signal, onRequest: () => stop.abort() });
    return failure(client.call(deleteUserGroup, { params: { id: 1 } }));
  };
  const asked = { "retry-after": "30" };

  it("may have been carried out, where no answer or a failing one came", async () => {
    const failed = await stopped((_, response) => json(response, {}, 500, asked));
    const lost = await stopped((_, response) => void response.destroy());
    for (const told of [failed, lost]) {
      expect(told.code).toBe("unknown_outcome");
      expect(told.message).toContain("may or may not have been carried out");
    }
  });

  it("was not, where it was not let through", async () => {
    const told = await stopped((_, response) => json(response, {}, 429, asked));
    expect(told.code).toBe("aborted");
  });
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

  it("is walked to its end by cursors", async () => {
    const { url, seen } = await serve((_, response, count) =>
      json(response, page([{ id: count, name: `g${count}` }], count < 3 ? `c${count}` : undefined)),
    );
    const all = await connect(url).all(listUserGroups, { query: { search: "g" } });
    expect(all.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(seen.map(({ url: path }) => path)).toEqual([
      "/api/v1/user-groups?search=g&first=1000",
      "/api/v1/user-groups?search=g&first=1000&after=c1",
      "/api/v1/user-groups?search=g&first=1000&after=c2",
    ]);
  });

  it("is walked by offset where the server knows only that, and read at once where it is a bare array", async () => {
    const attribute = (id: number): unknown => ({ id, name: `a${id}`, type: "string" });
    const { url, seen } = await serve(({ url: path }, response) => {
      if (path.includes("values")) return json(response, []);
      const offset = Number(new URL(path, "http://x").searchParams.get("offset"));
      json(response, {
        data: [attribute(offset + 1), attribute(offset + 2)],
        pagination: { total: 4, offset, limit: 2 },
      });
    });
    const client = connect(url);
    const all = await client.all(listUserAttributes, {});
    expect(all.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(seen[1]?.url).toBe("/api/v1/user-attributes?offset=2&limit=1000");
    expect(await client.all(listUserAttributeValues, { params: { userId: 1 } })).toEqual([]);
  });

  it("gives one page with its info", async () => {
    const { url, seen } = await serve((_, response) => json(response, page([group], "next")));
    const { items, pageInfo } = await connect(url).page(listUserGroups, {
      query: { first: 1, search: "v" },
    });
    expect(items).toEqual([group]);
    expect(pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false, endCursor: "next" });
    expect(seen[0]?.url).toBe("/api/v1/user-groups?first=1&search=v");
  });

  it.each([
    ["leads in a circle", page([group], "same"), /leads back/],
    [
      "has no cursor to go on with",
      { items: [], pageInfo: { hasNextPage: true, hasPreviousPage: false } },
      /endCursor/,
    ],
    ["has no items", { rows: [] }, /\/items/],
    ["has a broken item", page([group, { id: "x", name: "b" }]), /\/1\/id/],
    ["is a bare array", [group], /not an object/],
  ])("that %s is unexpected", async (_, body, message) => {
    const { url } = await serve((__, response) => json(response, body));
    const told = await failure(connect(url).all(listUserGroups, {}));
    expect(told.code).toBe("unexpected_answer");
    expect(told.message).toMatch(message);
  });
});

describe("the reading half", () => {
  it("takes no writing operation, by type and at run time", async () => {
    const { url, seen } = await serve((_, response) => json(response, group));
    const client = connect(url);
    // @ts-expect-error a writing operation does not fit
    await expect(client.reader.call(createUserGroup, { body: { name: "a" } })).rejects.toThrow(
      /only reads/,
    );
    // @ts-expect-error a client that may write is not one that may not
    const pretended: ReadOnlyClient = client;
    expect(pretended).toBeDefined();
    expect(seen).toEqual([]);
  });

  it("types inputs and answers by the operation", async () => {
    const { url } = await serve((_, response) => json(response, me));
    const { reader } = connect(url);
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

describe("what is offered", () => {
  const spec = {
    openapi: "3.1.0",
    paths: { "/api/v1/user-groups/": { get: {} }, "/api/v1/user-groups/{groupId}": { delete: {} } },
  };

  it("is read once, and matched by method and path", async () => {
    const { url, seen } = await serve((_, response) => json(response, spec));
    const client = connect(url);
    const [offer] = await Promise.all([client.offered(), client.offered()]);
    expect(seen).toHaveLength(1);
    expect(offer.has(listUserGroups)).toBe(true);
    expect(offer.has(deleteUserGroup)).toBe(true);
    expect(offer.has(createUserGroup)).toBe(false);
    expect(offer.has(getCurrentUser)).toBe(true);
  });

  it("fails plainly where there is no description, and may be asked again", async () => {
    const { url } = await serve((_, response, count) => {
      if (count === 1) response.writeHead(200, { "content-type": "text/html" }).end("<html>");
      else json(response, count === 2 ? { hello: 1 } : spec);
    });
    const client = connect(url);
    const told = await failure(client.offered());
    expect(told.code).toBe("not_offered");
    expect(told.message).toBe(
      `${url} does not look like the API: /api/v1/spec answers with no description of it, such as a web page.`,
    );
    expect(told.remedy).toBe("Check the server's address.");
    expect(await codeOf(client.offered())).toBe("unexpected_answer");
    expect((await client.offered()).has(listUserGroups)).toBe(true);
  });
});
