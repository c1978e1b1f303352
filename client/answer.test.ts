// How the client interprets responses, especially from faulty servers.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createUserGroup, listUserGroups } from "../api/user-groups.ts";
import { getCurrentUser } from "../api/users.ts";
import type { Failure } from "../core/errors.ts";
import { makeAuthority } from "../test/support/certificates.ts";
import {
  startStubServer,
  type StubHandler,
  errorCodeOf,
  createTestClient,
  failureOf,
  respondJson,
} from "../test/support/stub-server.ts";

const group = { id: 1, name: "viewers" };
const me = { id: 1, email: "a@example.com", username: "a", isAdmin: true };

describe("a response", () => {
  const answered = async (behave: StubHandler): Promise<Failure> => {
    const { url } = await startStubServer(behave);
    return failureOf(createTestClient(url).call(getCurrentUser, {}));
  };

  it("in HTML is not_offered, with 200 and with 404", async () => {
    for (const status of [200, 404]) {
      const failure = await answered((_, response) => {
        response.writeHead(status, { "content-type": "text/html" }).end("<!doctype html><p>app");
      });
      expect(failure.code).toBe("not_offered");
      expect(failure.message).toBe(
        "GET /api/v1/users/me is not available on this tenant: the server returned a web page",
      );
      expect(failure.remedy).toContain("is the address of the API");
    }
  });

  it.each([
    ["a page", "text/html", "<h1>The plain HTTP request was sent to HTTPS port</h1>"],
    ["a text", undefined, "Client sent an HTTP request to an HTTPS server.\n"],
  ])("with 400 and %s, as from a proxy that speaks TLS, suggests https", async (_, type, body) => {
    const { url } = await startStubServer((_request, response) => {
      response.writeHead(400, type === undefined ? {} : { "content-type": type }).end(body);
    });
    const failure = await failureOf(createTestClient(url).call(getCurrentUser, {}));
    expect(failure.remedy).toBe(
      `If the server speaks TLS, use ${url.replace("http:", "https:")} as its URL.`,
    );
  });

  it("with 400 of the API suggests nothing", async () => {
    const body = { error: "x", message: "x", statusCode: 400, code: "invalid" };
    const failure = await answered((_, response) => respondJson(response, body, { status: 400 }));
    expect(failure.remedy).toBeUndefined();
  });

  it("with an unknown route is not_offered too", async () => {
    const body = { error: "x", message: "x", statusCode: 404, code: "unknown_route" };
    expect(
      (await answered((_, response) => respondJson(response, body, { status: 404 }))).code,
    ).toBe("not_offered");
  });

  it.each([
    ["torn JSON", "application/json", '{"id": 1, "na', /not valid JSON/],
    ["another type", "text/csv", "id,name", /text\/csv instead of JSON/],
    ["nothing", "application/json", "", /empty/],
    ["a wrong type", "application/json", JSON.stringify({ ...me, isAdmin: "yes" }), /isAdmin/],
    ["a missing member", "application/json", JSON.stringify({ id: 1 }), /email/],
  ])("with %s is unexpected", async (_, type, body, message) => {
    const failure = await answered((__, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
    });
    expect(failure.code).toBe("unexpected_answer");
    expect(failure.message).toMatch(message);
  });

  it("may contain unknown members", async () => {
    const { url } = await startStubServer((_, response) =>
      respondJson(response, { ...me, plan: { tier: "gold" } }),
    );
    expect(await createTestClient(url).call(getCurrentUser, {})).toMatchObject({ id: 1 });
  });

  it("may omit optional members, or return null for them", async () => {
    const { url } = await startStubServer(({ url: path }, response) =>
      path === "/api/v1/users/me"
        ? respondJson(response, { id: 1, email: "a@example.com", createdAt: null, title: null })
        : respondJson(response, {
            items: [{ ...group, description: null, userCount: null, more: null }],
            pageInfo: { hasNextPage: false },
          }),
    );
    const client = createTestClient(url);
    expect(await client.call(getCurrentUser, {})).toEqual({ id: 1, email: "a@example.com" });
    expect(await client.all(listUserGroups, {})).toEqual([{ ...group, more: null }]);
  });

  it("must not return null for a required member", async () => {
    const failure = await answered((_, response) => respondJson(response, { ...me, id: null }));
    expect(failure).toMatchObject({ code: "unexpected_answer" });
    expect(failure.message).toContain("/id must be an integer, not null");
  });

  it("is not read beyond the size limit", async () => {
    const failure = await answered((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(1024 * 1024, 32);
      const more = (): void => {
        while (!response.destroyed)
          if (!response.write(chunk)) return void response.once("drain", more);
      };
      more();
    });
    expect(failure.code).toBe("unexpected_answer");
    expect(failure.message).toMatch(/larger than/);
  });

  it("with a redirect is not followed, and the message contains only the other origin", async () => {
    const other = await startStubServer((_, response) => respondJson(response, me));
    const failure = await answered((_, response) => {
      response.writeHead(302, { location: `${other.url}/login?next=secret-word` }).end();
    });
    expect(failure.code).toBe("unexpected_answer");
    expect(failure.message).toContain(`redirected (302) to ${other.url}`);
    expect(failure.remedy).toMatch(/keys are not sent to other origins/);
    expect(other.seen).toEqual([]);
  });

  it("is sanitized in messages, without the key", async () => {
    const message = "no\u001b[2Jclear\r\n\u202eeht sk-test-1 end";
    const failure = await answered((_, response) =>
      respondJson(response, { message }, { status: 403 }),
    );
    expect(failure.code).toBe("forbidden");
    expect(failure.message).toBe("cannot get the current user: no [2Jclear eht ••• end");
  });

  it.each([
    [400, "invalid"],
    [401, "unauthenticated"],
    [404, "not_found"],
    [409, "conflict"],
    [413, "too_large"],
    [422, "invalid"],
  ])("%i fails as %s, immediately", async (status, code) => {
    const { url, seen } = await startStubServer((_, response) =>
      respondJson(response, { error: "no" }, { status }),
    );
    const failure = await failureOf(createTestClient(url).call(getCurrentUser, {}));
    expect(failure.code).toBe(code);
    // A refused credential names the server in place of the operation.
    expect(failure.message.startsWith(url)).toBe(code === "unauthenticated");
    expect(failure.details).toMatchObject({ status });
    expect(seen).toHaveLength(1);
  });
});

describe("a missing response", () => {
  it("of a slow server is a timeout; of a create, an unknown outcome", async () => {
    const { url } = await startStubServer(() => {});
    const client = createTestClient(url, { timeoutMs: 50, attempts: 1 });
    const late = await failureOf(client.call(getCurrentUser, {}));
    expect(late.code).toBe("timeout");
    expect(late.message).toContain(`${url} did not respond within 0.05 s`);
    const twice = createTestClient(url, { timeoutMs: 50, attempts: 2 });
    const { message } = await failureOf(twice.call(getCurrentUser, {}));
    expect(message).toContain("within 0.05 s, the last of 2 attempts");
    expect(await errorCodeOf(client.call(createUserGroup, { body: { name: "a" } }))).toBe(
      "unknown_outcome",
    );
  });

  it("of a refused connection is unreachable, also for a create", async () => {
    const { url, server } = await startStubServer(() => {});
    await new Promise((resolve) => server.close(resolve));
    const client = createTestClient(url, { attempts: 2 });
    const failure = await failureOf(client.call(createUserGroup, { body: { name: "a" } }));
    expect(failure.code).toBe("unreachable");
    expect(failure.message).toBe(`cannot reach ${url}: the connection was refused`);
    expect(failure.remedy).toContain("Check the URL, and that the server is running");
    expect(client.stats.retries).toBe(1);
  });

  it("because of DNS or a certificate fails without retries, with the reason", async () => {
    const nowhere = createTestClient("https://nowhere.invalid");
    const failure = await failureOf(nowhere.call(getCurrentUser, {}));
    expect(failure.code).toBe("unreachable");
    expect(failure.message).toMatch(/^cannot reach https:\/\/nowhere.invalid: .*host/);
    const { url } = await startStubServer(() => {});
    const plain = await failureOf(
      createTestClient(url.replace("http:", "https:"), { attempts: 1 }).call(getCurrentUser, {}),
    );
    expect(plain.code).toBe("unreachable");
    expect(plain.message).toContain(
      "it does not use TLS; if that is intended, use http:// in the URL",
    );
  });

  it("of a server that speaks TLS says how to reach and how to trust it", async () => {
    const authority = await makeAuthority();
    const server = createServer(await authority.issue(["127.0.0.1"]), (_, response) =>
      response.end("{}"),
    );
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const origin = `127.0.0.1:${port}`;
    const failing = (url: string) =>
      failureOf(createTestClient(url, { attempts: 1 }).call(getCurrentUser, {}));
    const plain = await failing(`http://${origin}`);
    expect(plain.code).toBe("unreachable");
    expect(plain.remedy).toBe(
      `Try again. If the server speaks TLS, use https://${origin} as its URL.`,
    );
    const untrusted = await failing(`https://${origin}`);
    expect(untrusted.message).toMatch(/its TLS certificate is/u);
    expect(untrusted.remedy).toMatch(/set NODE_EXTRA_CA_CERTS to a PEM file/u);
  });

  it("completes a write in flight when the run is canceled, and aborts a read", async () => {
    const { url, seen } = await startStubServer(({ method }, response) => {
      if (method === "POST") setTimeout(() => respondJson(response, group), 100);
    });
    const stop = new AbortController();
    const client = createTestClient(url, { signal: stop.signal });
    const write = client.call(createUserGroup, { body: { name: "viewers" } });
    const read = failureOf(client.call(getCurrentUser, {}));
    await expect.poll(() => seen.length).toBe(2);
    stop.abort();
    expect((await read).code).toBe("aborted");
    expect(await write).toEqual(group);
    expect(await errorCodeOf(client.call(createUserGroup, { body: { name: "b" } }))).toBe(
      "aborted",
    );
    expect(seen).toHaveLength(2);
  });
});
