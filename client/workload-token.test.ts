// Tests when a client exchanges OIDC tokens again, and how it continues if it cannot.
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { getCurrentUser } from "../api/users.ts";
import {
  createTestClient,
  errorCodeOf,
  failureOf,
  respondJson,
  startStubServer,
  type StubHandler,
} from "../test/support/stub-server.ts";
import { Secret } from "../core/secret.ts";
import { workloadCredential } from "./workload-token.ts";

const me = { id: 1, email: "a@example.com", username: "a", isAdmin: true };
const token = (seconds: number) => ({ access_token: "first", expires_in: seconds });

/** Starts a server with an answer to the exchanges of tokens. Its clients share an OIDC token. */
async function startExchange(exchange: StubHandler) {
  let exchanges = 0;
  const { url } = await startStubServer((request, response) => {
    if (request.url === "/auth/oauth2/token") exchange(request, response, ++exchanges);
    else respondJson(response, me);
  });
  const oidcToken = new Secret(`e30.${randomUUID()}.`);
  const connect = (options: { attempts?: number; signal?: AbortSignal } = {}) => {
    const renewCredential = workloadCredential(url, async () => oidcToken, {});
    return createTestClient(url, { credential: undefined, renewCredential, ...options });
  };
  return { connect, exchanges: () => exchanges };
}

describe("a client with an OIDC token", () => {
  it("keeps what it has until it expires, if the exchange before that fails", async () => {
    const server = await startExchange((_, response, count) =>
      count === 1
        ? respondJson(response, token(30))
        : respondJson(response, { error: "invalid_request" }, { status: 400 }),
    );
    for (let runs = 0; runs < 2; runs++) {
      expect(await server.connect().call(getCurrentUser, {})).toEqual(me);
    }
    // The token ends within a minute, so that the second client asks for another one.
    expect(server.exchanges()).toBe(2);
    const expired = await startExchange((_, response, count) =>
      count === 1
        ? respondJson(response, token(0))
        : respondJson(response, { error: "invalid_request" }, { status: 400 }),
    );
    await expired.connect().call(getCurrentUser, {});
    expect(await errorCodeOf(expired.connect().call(getCurrentUser, {}))).toBe("unauthenticated");
  });

  it("names the issuer, audience and subject of a token that no trust accepts", async () => {
    const { url } = await startStubServer((_, response) =>
      respondJson(response, { error_description: "no workload trust accepts" }, { status: 400 }),
    );
    const claims = { iss: "https://ci.example", aud: ["acme", "other"], sub: "job:1", email: "no" };
    const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
    const read = async () => new Secret(`e30.${payload}.signature`);
    const renewCredential = workloadCredential(url, read, {});
    const client = createTestClient(url, { credential: undefined, renewCredential });
    const { message, remedy } = await failureOf(client.call(getCurrentUser, {}));
    expect(remedy).toBe(
      "The token has iss https://ci.example, aud acme, other, sub job:1. `svc workload-trusts list` shows the issuers, audiences and claims that are accepted.",
    );
    expect(message).not.toContain(payload);
  });

  it("waits when it exchanges too often, as for other requests, up to its number of attempts", async () => {
    const server = await startExchange((_, response, count) =>
      count < 3
        ? respondJson(response, { error: "rate_limited" }, { status: 429 })
        : respondJson(response, token(600)),
    );
    expect(await errorCodeOf(server.connect({ attempts: 2 }).call(getCurrentUser, {}))).toBe(
      "rate_limited",
    );
    expect(server.exchanges()).toBe(2);
    expect(await server.connect().call(getCurrentUser, {})).toEqual(me);
    const busy = await startExchange((_, response) =>
      respondJson(response, {}, { status: 429, headers: { "retry-after": "3600" } }),
    );
    const failure = await failureOf(busy.connect().call(getCurrentUser, {}));
    expect(failure).toMatchObject({ code: "rate_limited", retryAfter: 3600 });
    expect(busy.exchanges()).toBe(1);
  });

  it("stops waiting for an exchange when it is canceled, and others that share it do not", async () => {
    let answer: (() => void) | undefined;
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const server = await startExchange((_, response, count) => {
      response.on("close", close);
      if (count === 2) answer = () => respondJson(response, token(600));
    });
    const lone = new AbortController();
    const first = server.connect({ signal: lone.signal }).call(getCurrentUser, {});
    await expect.poll(server.exchanges).toBe(1);
    lone.abort();
    expect(await errorCodeOf(first)).toBe("aborted");
    // No client waits any more, so that the request ends.
    await closed;
    const one = new AbortController();
    const canceled = server.connect({ signal: one.signal }).call(getCurrentUser, {});
    const other = server.connect().call(getCurrentUser, {});
    await expect.poll(() => answer).toBeDefined();
    one.abort();
    expect(await errorCodeOf(canceled)).toBe("aborted");
    answer?.();
    expect(await other).toEqual(me);
    expect(server.exchanges()).toBe(2);
  });
});
