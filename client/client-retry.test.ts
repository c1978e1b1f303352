// Tests when the client retries, how long it waits, and its report on a write with an unknown outcome.
import { describe, expect, it } from "vitest";
import { createUserGroup, deleteUserGroup } from "../api/user-groups.ts";
import { generateSession } from "../api/embed.ts";
import { getCurrentUser } from "../api/users.ts";
import type { Failure } from "../core/errors.ts";
import type { RequestEvent, WaitEvent } from "./types.ts";
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

describe("a retry", () => {
  it("succeeds after two failures of the server", async () => {
    const { url } = await startStubServer((_, response, count) =>
      count < 3
        ? respondJson(response, { error: "oops" }, { status: 500 })
        : respondJson(response, me),
    );
    const events: RequestEvent[] = [];
    const client = createTestClient(url, { onRequest: (event) => events.push(event) });
    expect(await client.call(getCurrentUser, {})).toEqual(me);
    expect(client.stats).toMatchObject({ calls: 3, retries: 2 });
    expect(events.map(({ attempt, status, failure: code }) => [attempt, status, code])).toEqual([
      [1, 500, "internal"],
      [2, 500, "internal"],
      [3, 200, undefined],
    ]);
  });

  it("waits as long as the server requests, and so do all other calls", async () => {
    const times: number[] = [];
    const { url } = await startStubServer((_, response, count) => {
      times.push(performance.now());
      if (count === 1)
        respondJson(response, { error: "slow" }, { status: 429, headers: { "retry-after": "1" } });
      else respondJson(response, me);
    });
    const client = createTestClient(url);
    const first = client.call(getCurrentUser, {});
    await expect.poll(() => client.stats.calls).toBe(1);
    await Promise.all([first, client.call(getCurrentUser, {})]);
    const start = times[0] ?? 0;
    expect(times.slice(1).every((time) => time - start >= 990)).toBe(true);
  });

  it("waits when the rate limit is exhausted, before a request is rejected", async () => {
    const times: number[] = [];
    const { url } = await startStubServer((_, response) => {
      times.push(performance.now());
      respondJson(response, me, {
        headers: { "ratelimit-remaining": "0", "ratelimit-reset": "0.2" },
      });
    });
    const client = createTestClient(url);
    await client.call(getCurrentUser, {});
    await client.call(getCurrentUser, {});
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(190);
  });

  it("does not repeat a request that exceeded an account limit", async () => {
    const body = { error: "full", code: "limit_reached" };
    const { url, seen } = await startStubServer((_, response) =>
      respondJson(response, body, { status: 429 }),
    );
    expect(
      await errorCodeOf(createTestClient(url).call(createUserGroup, { body: { name: "a" } })),
    ).toBe("limit_reached");
    expect(seen).toHaveLength(1);
  });

  it("fails after the last attempt", async () => {
    const { url, seen } = await startStubServer((_, response) =>
      respondJson(response, { error: "down" }, { status: 503 }),
    );
    expect(await errorCodeOf(createTestClient(url, { attempts: 2 }).call(getCurrentUser, {}))).toBe(
      "unavailable",
    );
    expect(seen).toHaveLength(2);
  });

  it("reports a long wait", async () => {
    const { url } = await startStubServer((_, response, count) =>
      count === 1
        ? respondJson(response, {}, { status: 429, headers: { "retry-after": "1" } })
        : respondJson(response, me),
    );
    const waits: WaitEvent[] = [];
    await createTestClient(url, { onWait: (event) => waits.push(event) }).call(getCurrentUser, {});
    expect(waits).toEqual([
      { seconds: 1, serverRequested: true, status: 429, attempt: 2, attempts: 5 },
    ]);
  });

  it("fails immediately when the server requests more than the maximum wait", async () => {
    const { url, seen } = await startStubServer((_, response) =>
      respondJson(response, {}, { status: 429, headers: { "retry-after": "3600" } }),
    );
    const failure = await failureOf(createTestClient(url).call(getCurrentUser, {}));
    expect([failure.code, failure.retryAfter, seen.length]).toEqual(["rate_limited", 3600, 1]);
  });

  it("stops when canceled", async () => {
    const { url } = await startStubServer((_, response) =>
      respondJson(response, {}, { status: 429, headers: { "retry-after": "30" } }),
    );
    const stop = new AbortController();
    const client = createTestClient(url);
    const call = client.call(getCurrentUser, {}, { signal: stop.signal });
    await expect.poll(() => client.stats.calls).toBe(1);
    stop.abort();
    expect(await errorCodeOf(call)).toBe("aborted");
  });

  it.each([
    [503, { code: "unavailable" }],
    [429, { message: "slow down" }],
  ])("repeats a create that was certainly not executed (%i, %j)", async (status, refusal) => {
    const { url } = await startStubServer((_, response, count) =>
      count === 1
        ? respondJson(response, refusal, { status, headers: { "retry-after": "0" } })
        : respondJson(response, group),
    );
    expect(
      await createTestClient(url).call(createUserGroup, { body: { name: "viewers" } }),
    ).toEqual(group);
  });

  it.each([{}, { message: "upstream timed out" }, { code: "internal" }])(
    "does not take 503 of something in front of the API for one that says so (%j)",
    async (body) => {
      const { url, seen } = await startStubServer((_, response, count) =>
        count % 2 === 1
          ? respondJson(response, body, { status: 503, headers: { "retry-after": "0" } })
          : respondJson(response, me),
      );
      const client = createTestClient(url);
      const create = client.call(createUserGroup, { body: { name: "a" } });
      expect(await errorCodeOf(create)).toBe("unknown_outcome");
      expect(seen).toHaveLength(1);
      seen.length = 0;
      // Requests that may be repeated still are.
      expect(await client.call(getCurrentUser, {})).toEqual(me);
      expect(seen).toHaveLength(2);
    },
  );

  it("does not repeat a create that may have been executed", async () => {
    const failing = await startStubServer((_, response) =>
      respondJson(response, { error: "oops" }, { status: 500 }),
    );
    const failure = await failureOf(
      createTestClient(failing.url).call(createUserGroup, { body: { name: "a" } }),
    );
    expect(failure.code).toBe("unknown_outcome");
    expect(failure.message).toMatch(/may or may not have been executed/);
    expect(failing.seen).toHaveLength(1);
  });

  it("after a lost response repeats repeatable requests, and reports an unknown outcome for others", async () => {
    const { url, seen } = await startStubServer((_, response, count) => {
      if (count % 2 === 1) response.destroy();
      else respondJson(response, { sessionId: "0123456789abcdef0123456789abcdef" });
    });
    const client = createTestClient(url);
    await client.call(generateSession, { body: { deploymentId: 1 } });
    expect(seen).toHaveLength(2);
    expect(await errorCodeOf(client.call(createUserGroup, { body: { name: "a" } }))).toBe(
      "unknown_outcome",
    );
    expect(seen).toHaveLength(3);
  });

  it("reports an unknown outcome when a write had no response and the server is unreachable afterwards", async () => {
    const { url, server } = await startStubServer((_, response) => {
      server.close();
      response.destroy();
    });
    const failure = await failureOf(
      createTestClient(url).call(deleteUserGroup, { params: { id: 1 } }),
    );
    expect(failure.code).toBe("unknown_outcome");
    expect(failure.message).toContain("may or may not have been executed");
  });

  it("uses a later response as the outcome of a write without a response", async () => {
    const { url } = await startStubServer((_, response, count) =>
      count === 1
        ? void response.destroy()
        : respondJson(response, { code: "not_found" }, { status: 404 }),
    );
    expect(
      await errorCodeOf(createTestClient(url).call(deleteUserGroup, { params: { id: 1 } })),
    ).toBe("not_found");
  });

  it("does not use a conflict as the outcome, because the attempt without a response may cause it", async () => {
    const { url } = await startStubServer((_, response, count) =>
      count === 1
        ? void response.destroy()
        : respondJson(response, { code: "conflict" }, { status: 409 }),
    );
    expect(
      await errorCodeOf(createTestClient(url).call(deleteUserGroup, { params: { id: 1 } })),
    ).toBe("unknown_outcome");
  });

  it("treats a truncated response as missing", async () => {
    const { url } = await startStubServer((_, response, count) => {
      if (count > 1) return respondJson(response, me);
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id":1', () => response.destroy());
    });
    expect(await createTestClient(url).call(getCurrentUser, {})).toEqual(me);
  });
});

describe("a write that is canceled between attempts", () => {
  const stopped = async (behave: StubHandler): Promise<Failure> => {
    const { url } = await startStubServer(behave);
    const stop = new AbortController();
    const client = createTestClient(url, { signal: stop.signal, onRequest: () => stop.abort() });
    return failureOf(client.call(deleteUserGroup, { params: { id: 1 } }));
  };
  const headers = { "retry-after": "30" };

  it("has an unknown outcome after no response or a server error", async () => {
    const failed = await stopped((_, response) =>
      respondJson(response, {}, { status: 500, headers }),
    );
    const lost = await stopped((_, response) => void response.destroy());
    for (const failure of [failed, lost]) {
      expect(failure.code).toBe("unknown_outcome");
      expect(failure.message).toContain("may or may not have been executed");
    }
  });

  it("was not executed after a rate limit response", async () => {
    const failure = await stopped((_, response) =>
      respondJson(response, {}, { status: 429, headers }),
    );
    expect(failure.code).toBe("aborted");
  });
});
