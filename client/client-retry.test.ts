// When the client asks again, how long it waits, and what it says of a write whose end nobody knows.
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
  it("outlives two failures of the server", async () => {
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

  it("waits as long as it is asked to, and so does everybody else", async () => {
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

  it("holds back before it has to be refused, once the allowance is spent", async () => {
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

  it("does not repeat what a used-up account limit refused", async () => {
    const body = { error: "full", code: "limit_reached" };
    const { url, seen } = await startStubServer((_, response) =>
      respondJson(response, body, { status: 429 }),
    );
    expect(
      await errorCodeOf(createTestClient(url).call(createUserGroup, { body: { name: "a" } })),
    ).toBe("limit_reached");
    expect(seen).toHaveLength(1);
  });

  it("gives up after its attempts", async () => {
    const { url, seen } = await startStubServer((_, response) =>
      respondJson(response, { error: "down" }, { status: 503 }),
    );
    expect(await errorCodeOf(createTestClient(url, { attempts: 2 }).call(getCurrentUser, {}))).toBe(
      "unavailable",
    );
    expect(seen).toHaveLength(2);
  });

  it("tells of a wait that is long enough to wonder about", async () => {
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

  it("fails at once where the server asks for more than we would wait", async () => {
    const { url, seen } = await startStubServer((_, response) =>
      respondJson(response, {}, { status: 429, headers: { "retry-after": "3600" } }),
    );
    const told = await failureOf(createTestClient(url).call(getCurrentUser, {}));
    expect([told.code, told.retryAfter, seen.length]).toEqual(["rate_limited", 3600, 1]);
  });

  it("stops when told to", async () => {
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
  ])("repeats a create that was certainly not carried out (%i, %j)", async (status, refusal) => {
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
      // What may be repeated still is.
      expect(await client.call(getCurrentUser, {})).toEqual(me);
      expect(seen).toHaveLength(2);
    },
  );

  it("repeats no create that may have been carried out", async () => {
    const failing = await startStubServer((_, response) =>
      respondJson(response, { error: "oops" }, { status: 500 }),
    );
    const told = await failureOf(
      createTestClient(failing.url).call(createUserGroup, { body: { name: "a" } }),
    );
    expect(told.code).toBe("unknown_outcome");
    expect(told.message).toMatch(/may or may not have been carried out/);
    expect(failing.seen).toHaveLength(1);
  });

  it("meets an answer that is dropped after the work: repeats what may be repeated, else says that it does not know", async () => {
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

  it("does not call a write undone that was sent without an answer, whatever cannot be reached after", async () => {
    const { url, server } = await startStubServer((_, response) => {
      server.close();
      response.destroy();
    });
    const told = await failureOf(
      createTestClient(url).call(deleteUserGroup, { params: { id: 1 } }),
    );
    expect(told.code).toBe("unknown_outcome");
    expect(told.message).toContain("may or may not have been carried out");
  });

  it("lets a later answer settle a write that was sent without one", async () => {
    const { url } = await startStubServer((_, response, count) =>
      count === 1
        ? void response.destroy()
        : respondJson(response, { code: "not_found" }, { status: 404 }),
    );
    expect(
      await errorCodeOf(createTestClient(url).call(deleteUserGroup, { params: { id: 1 } })),
    ).toBe("not_found");
  });

  it("takes an answer that is cut off for none", async () => {
    const { url } = await startStubServer((_, response, count) => {
      if (count > 1) return respondJson(response, me);
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id":1', () => response.destroy());
    });
    expect(await createTestClient(url).call(getCurrentUser, {})).toEqual(me);
  });
});

describe("a write that is stopped between its attempts", () => {
  const stopped = async (behave: StubHandler): Promise<Failure> => {
    const { url } = await startStubServer(behave);
    const stop = new AbortController();
    const client = createTestClient(url, { signal: stop.signal, onRequest: () => stop.abort() });
    return failureOf(client.call(deleteUserGroup, { params: { id: 1 } }));
  };
  const asked = { "retry-after": "30" };

  it("may have been carried out, where no answer or a failing one came", async () => {
    const failed = await stopped((_, response) =>
      respondJson(response, {}, { status: 500, headers: asked }),
    );
    const lost = await stopped((_, response) => void response.destroy());
    for (const told of [failed, lost]) {
      expect(told.code).toBe("unknown_outcome");
      expect(told.message).toContain("may or may not have been carried out");
    }
  });

  it("was not, where it was not let through", async () => {
    const told = await stopped((_, response) =>
      respondJson(response, {}, { status: 429, headers: asked }),
    );
    expect(told.code).toBe("aborted");
  });
});
