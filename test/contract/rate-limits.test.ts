// Tests rate limits of users, accounts and addresses, the standard headers that announce them, and that the client respects
// them.
import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../client/client.ts";
import { loadQuery } from "../../api/data-plane.ts";
import { operations } from "../../api/index.ts";
import type { Binding } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { itemsPerCost } from "../../core/operation/operation-cost.ts";
import { Secret } from "../../core/secret.ts";
import { kinds } from "../../resources/index.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Quotas } from "../../service/http/request/quotas.ts";
import {
  defaultRateLimits,
  makeRateLimiter,
  type RateLimits,
} from "../../service/http/request/rate-limit.ts";
import { embedSessions } from "../support/embed-sessions.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;
let time = Date.parse("2026-01-01T00:00:00.000Z");
const path = "/api/v1/regions";

afterEach(async () => service.close());

async function start(rates: Partial<RateLimits>): Promise<void> {
  service = await startService({ rates, monotonicNow: () => time, trustedProxies: ["127.0.0.1"] });
}

async function status(key?: string | null, headers = {}): Promise<number> {
  return (await service.send("GET", path, { ...(key === undefined ? {} : { key }), headers }))
    .status;
}

const from = (address: string) => ({
  "x-forwarded-for": address,
  "x-forwarded-proto": "https",
});

const windowSeconds = limits.rateWindowMs / 1000;

describe("a user", () => {
  it("has a quota that refills, and sees what is left and when to retry", async () => {
    await start({ perUser: 4, perAccount: 0, perAddress: 0 });
    for (const [left, seconds] of [
      [3, 3],
      [2, 5],
      [1, 8],
      [0, 3],
    ]) {
      const { status: code, headers } = await service.send("GET", path);
      expect([code, headers["ratelimit"], headers["ratelimit-policy"]]).toEqual([
        200,
        `"user";r=${left};t=${seconds}`,
        `"user";q=4;w=${windowSeconds}`,
      ]);
    }
    time += 1000;
    const refused = await service.send("GET", path);
    expect(refused.body).toMatchObject({
      statusCode: 429,
      code: "rate_limited",
      message: "this call costs 1, and the user may use 4 in 10 seconds; retry after 2 s",
    });
    expect([refused.headers["retry-after"], refused.headers["ratelimit"]]).toEqual([
      "2",
      '"user";r=0;t=2',
    ]);
    time += 1500;
    expect([await status(), await status()]).toEqual([200, 429]);
    time += limits.rateWindowMs;
    expect([await status(), await status()]).toEqual([200, 200]);
  });

  it("is counted apart from others, and over all keys", async () => {
    await start({ perUser: 4, perAccount: 0, perAddress: 0 });
    const other = await service.key({ admin: false });
    const second = await service.key({});
    time += limits.rateWindowMs;
    expect([await status(), await status(second), await status(), await status()]).toEqual([
      200, 200, 200, 200,
    ]);
    expect([await status(second), await status()]).toEqual([429, 429]);
    expect(await status(other)).toBe(200);
  });

  it("changes nothing with a refused request", async () => {
    await start({ perUser: 1, perAccount: 0, perAddress: 0 });
    await status();
    const body = { name: "too often" };
    expect((await service.send("POST", "/api/v1/user-groups", { body })).status).toBe(429);
    time += limits.rateWindowMs;
    const list = await service.send("GET", "/api/v1/user-groups");
    expect(list.body).toMatchObject({ items: [] });
  });
});

describe("a call", () => {
  const leftAfter = async (method: string, at: string, body?: unknown) => {
    time += limits.rateWindowMs;
    const { headers } = await service.send(method, at, body === undefined ? {} : { body });
    return Number(/;r=(\d+)/.exec(String(headers["ratelimit"]))?.[1]);
  };

  it("costs what its operation declares and 1 for each ten items, also of a refused body", async () => {
    await start({ perUser: 200, perAccount: 0, perAddress: 0 });
    expect(await leftAfter("GET", path)).toBe(199);
    const groups = Array.from({ length: 100 }, (_, at) => ({ name: `group ${at}` }));
    expect(await leftAfter("POST", "/api/v1/user-groups/bulk", { groups })).toBe(189);
    expect(
      await leftAfter("POST", "/api/v1/user-groups/bulk", { groups: groups.slice(0, 9) }),
    ).toBe(199);
    expect(await leftAfter("GET", "/api/v1/audit-logs/export")).toBe(180);
  });

  it("may take more than is left for its items, which the next call waits for", async () => {
    await start({ perUser: 10, perAccount: 0, perAddress: 0 });
    const groups = Array.from({ length: 100 }, (_, at) => ({ name: `group ${at}` }));
    const created = await service.send("POST", "/api/v1/user-groups/bulk", { body: { groups } });
    expect([created.status, created.headers["ratelimit"]]).toEqual([200, '"user";r=0;t=2']);
    expect(await status()).toBe(429);
    time += 2000;
    expect(await status()).toBe(200);
  });

  it("owes at most a whole quota, and waits for the quota that takes longest", async () => {
    await start({ perUser: 10, perAccount: 4, perAddress: 0 });
    const groups = Array.from({ length: 100 }, (_, at) => ({ name: `group ${at}` }));
    await service.send("POST", "/api/v1/user-groups/bulk", { body: { groups } });
    const { headers } = await service.send("GET", path);
    expect([headers["ratelimit"], headers["retry-after"]]).toEqual(['"account";r=0;t=13', "13"]);
    time += 12_500;
    expect(await status()).toBe(200);
  });

  it("that costs more than a whole quota runs when the quota is full", async () => {
    await start({ perUser: 10, perAccount: 0, perAddress: 0 });
    const send = async () => (await service.send("GET", "/api/v1/audit-logs/export")).status;
    expect([await send(), await send()]).toEqual([200, 429]);
    time += 2 * limits.rateWindowMs;
    expect(await send()).toBe(200);
  });

  it("has its cost in the description of the server", async () => {
    await start({});
    const { body } = await service.send("GET", "/api/v1/spec");
    const { paths } = body as { paths: Record<string, Record<string, object>> };
    expect(paths["/api/v1/regions"]?.["get"]).toMatchObject({ "x-cost": 1 });
    expect(paths["/api/v1/user-groups/bulk"]?.["post"]).toMatchObject({
      "x-cost": 1,
      "x-cost-items": 10,
    });
  });
});

describe("an account", () => {
  it("has a quota for all its users, and a refusal takes nothing from the user's own", async () => {
    await start({ perUser: 4, perAccount: 6, perAddress: 0 });
    const other = await service.key({ admin: false });
    time += limits.rateWindowMs;
    const mine = [await status(), await status(), await status()];
    const theirs = [await status(other), await status(other), await status(other)];
    expect([...mine, ...theirs]).toEqual([200, 200, 200, 200, 200, 200]);
    const refused = await service.send("GET", path);
    expect([refused.status, refused.headers["ratelimit-policy"]]).toEqual([
      429,
      `"account";q=6;w=${windowSeconds}`,
    ]);
    time += limits.rateWindowMs / 2;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 200]);
  });
});

describe("an embed session", () => {
  const refusedBy = (headers: Readonly<Record<string, unknown>>) =>
    /"(\w+)"/u.exec(String(headers["ratelimit-policy"]))?.[1];

  /** Sends requests of a session until one is refused. Returns how many were not, and which quota refused it. */
  async function sent(key: string): Promise<readonly [number, string | undefined]> {
    for (let count = 0; ; count++) {
      const answer = await service.send("GET", "/api/v1/users/me", { key });
      if (answer.status === 429) return [count, refusedBy(answer.headers)];
      expect(answer.status).toBe(200);
    }
  }

  it("cannot exhaust the quota of its tenant, nor a tenant that of the deployment or the account", async () => {
    await start({ perSession: 3, perUser: 0, perTenant: 5, perDeployment: 8, perAddress: 0 });
    const { tokenOf } = embedSessions(() => service);
    const session = async (embedTenantName: string) => tokenOf({ embedTenantName });
    const [first, second, third] = [
      await session("tenant-a"),
      await session("tenant-a"),
      await session("tenant-a"),
    ];
    const [other, last] = [await session("tenant-b"), await session("tenant-c")];
    expect(await sent(first)).toEqual([3, "session"]);
    expect(await sent(second)).toEqual([2, "tenant"]);
    expect(await sent(third)).toEqual([0, "tenant"]);
    expect(await sent(other)).toEqual([3, "session"]);
    expect(await sent(last)).toEqual([0, "deployment"]);
    expect(await status()).toBe(200);
  });

  it("leaves a tenth of the account's quota to API keys, with all other sessions and data tokens", async () => {
    await start({ perUser: 0, perAccount: 20, perAddress: 0 });
    const { tokenOf } = embedSessions(() => service);
    const viewer = await tokenOf({});
    time += limits.rateWindowMs;
    expect(await sent(viewer)).toEqual([18, "viewers"]);
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  });

  it("is charged for the data tokens that it creates, and an API key is not", async () => {
    await start({ perSession: 25, perUser: 0, perAccount: 0, perAddress: 0 });
    const { tokenOf } = embedSessions(() => service);
    const session = await tokenOf({ externalId: undefined, internalId: "admin" });
    for (const [key, expected] of [
      [session, "session"],
      [service.adminKey, undefined],
    ] as const) {
      const made = await service.send("POST", "/api/v1/deployments/1/token", { key, body: {} });
      const { svcApiToken: authorization } = made.body as { svcApiToken: string };
      const load = "/deployments/main/svcjs-api/v1/load?query=%7B%7D";
      const send = () => service.send("GET", load, { key: null, headers: { authorization } });
      const answers = [await send(), await send(), await send()];
      expect(answers.map(({ headers }) => refusedBy(headers))).toContain(expected ?? "deployment");
      expect(answers.map(({ status: code }) => code === 429)).toEqual([
        false,
        false,
        expected === "session",
      ]);
    }
  });

  it("has a quota for many loads of a large dashboard, with its many viewers too", () => {
    const ofDashboard = 50 * loadQuery.cost;
    expect(limits.sessionCost).toBeGreaterThanOrEqual(10 * ofDashboard);
    expect(limits.deploymentCost).toBeGreaterThan(4 * 20 * ofDashboard);
    expect(limits.userCost).toBeLessThan(limits.tenantCost);
  });
});

describe("the default quota of a user", () => {
  it("lets an apply create 10,000 objects without a wait, but for those whose creation starts work", () => {
    const objects = 10_000;
    const costOf = ({ operation, batch }: Binding): number =>
      (objects / batch.max) * (operation.cost + batch.max / itemsPerCost);
    const waiting = kinds.filter(({ bindings }) =>
      bindings.create.some((binding) => costOf(binding) > limits.userCost),
    );
    expect(waiting.map(({ name }) => name)).toEqual(["Branch", "DataModel", "GitConnection"]);
  });
});

describe("a change of the system time", () => {
  it("neither blocks nor frees a client", async () => {
    let clock = Date.now();
    const rates = { perUser: 2, perAccount: 0, perAddress: 0 };
    service = await startService({ rates, now: () => clock, monotonicNow: () => time });
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    clock -= 3_600_000;
    time += limits.rateWindowMs;
    expect(await status()).toBe(200);
  });
});

describe("an address without a valid credential", () => {
  it("has a limit for all its requests, which does not reduce the quotas of users", async () => {
    await start({ perUser: 100, perAddress: 4 });
    expect([await status(null), await status("sk-wrong")]).toEqual([401, 401]);
    expect((await service.send("GET", "/nope", { key: null })).status).toBe(404);
    expect((await service.send("PATCH", path, { key: null })).status).toBe(405);
    const refused = await service.send("GET", path, { key: null });
    expect([refused.status, refused.headers["ratelimit-policy"]]).toEqual([
      429,
      `"address";q=4;w=${limits.rateWindowMs / 1000}`,
    ]);
    expect(await status()).toBe(200);
    expect((await service.send("GET", "/livez", { key: null })).status).toBe(200);
  });

  it("identifies the client before a trusted proxy, and all of an IPv6 network", async () => {
    await start({ perUser: 100, perAddress: 1 });
    const ask = async (address: string) => status(null, from(address));
    expect(await ask("203.0.113.1")).toBe(401);
    expect(await ask("203.0.113.1")).toBe(429);
    expect(await ask("::ffff:203.0.113.1")).toBe(429);
    expect(await ask("203.0.113.2")).toBe(401);
    expect(await ask("2001:db8:1:2::1")).toBe(401);
    expect(await ask("2001:db8:1:2:ffff::9")).toBe(429);
    expect(await ask("2001:db8:1:3::1")).toBe(401);
  });
});

describe("a preflight of a page of another origin", () => {
  it("takes no quota of its address, unless it asks for an unknown path", async () => {
    await start(defaultRateLimits);
    const headers = { "access-control-request-method": "POST", origin: "https://portal.example" };
    const ask = async (url: string) =>
      (await service.send("OPTIONS", url, { key: null, headers })).status;
    const load = "/deployments/main/svcjs-api/v1/load";
    const asked = new Set<number>();
    for (let count = 0; count <= limits.addressCost; count++) {
      asked.add(await ask(load)).add(await ask("/api/v1/embed/session/token"));
    }
    expect([...asked]).toEqual([204]);
    const { status: code, headers: left } = await service.send("OPTIONS", "/deployments/main/no", {
      key: null,
      headers,
    });
    expect([code, left["ratelimit"]]).toEqual([
      404,
      expect.stringContaining(`r=${limits.addressCost - 1};`),
    ]);
  });
});

describe("quotas in memory", () => {
  it("are dropped by the time of their last use", () => {
    const quotas = new Quotas(() => 0, limits.rateWindowMs);
    quotas.take("busy", 1, 1);
    quotas.take("idle", 1, 1);
    for (let count = 0; count < limits.rateWindows; count++) {
      expect(quotas.take("busy", 1, 1).isGranted).toBe(false);
      quotas.take(`other ${count}`, 1, 1);
    }
    expect(quotas.take("idle", 1, 1).isGranted).toBe(true);
  });

  it("of sessions do not displace those of deployments", () => {
    const none = { perUser: 0, perTenant: 0, perAccount: 0, perAddress: 0, windowMs: 1000 };
    const limiter = makeRateLimiter({ ...none, perSession: 1, perDeployment: 1 }, () => 0);
    const reply = { header: () => reply } as unknown as FastifyReply;
    const isGranted = (session: number, deployment: number): boolean => {
      const principal = {
        credentialType: "embed-token",
        credentialId: `session:${session}`,
        session: { id: session },
        limits: { deployments: [deployment] },
      };
      const request = { principal, requestContext: { accountId: 1 }, ip: "" };
      try {
        limiter.count(request as unknown as FastifyRequest, reply, 1);
        return true;
      } catch {
        return false;
      }
    };
    expect(isGranted(1, 1)).toBe(true);
    for (let count = 2; count <= limits.rateWindows + 2; count++) isGranted(count, 2);
    expect(isGranted(0, 1)).toBe(false);
  });
});

describe("the client", () => {
  it("keeps to the limit, so that no request is rejected or lost", async () => {
    time = Date.now();
    service = await startService({ rates: { perUser: 5, perAddress: 5, windowMs: 1000 } });
    const statuses: (number | undefined)[] = [];
    const client = createClient({
      url: service.url,
      credential: new Secret(service.adminKey),
      concurrency: 1,
      onRequest: (event) => statuses.push(event.status),
    });
    const list = operations.find(({ id }) => id === "listRegions");
    if (!list) throw new Error("there is no such operation");
    const began = Date.now();
    for (let count = 0; count < 7; count++) await client.request("GET", list.path);
    await client.close();
    expect(statuses).toEqual(Array.from({ length: 7 }, () => 200));
    expect(Date.now() - began).toBeGreaterThan(800);
  });

  it("waits for Retry-After when it is rejected, and continues", async () => {
    service = await startService({ rates: { perUser: 3, perAddress: 0, windowMs: 2000 } });
    const waits: number[] = [];
    const statuses: (number | undefined)[] = [];
    const client = createClient({
      url: service.url,
      credential: new Secret(service.adminKey),
      concurrency: 8,
      onRequest: (event) => statuses.push(event.status),
      onWait: ({ seconds, serverRequested }) => serverRequested && waits.push(seconds),
    });
    const bodies = Array.from({ length: 6 }, (_, at) => ({ name: `group ${at}` }));
    await Promise.all(
      bodies.map((body) => client.request("POST", "/api/v1/user-groups", { body })),
    );
    await client.close();
    expect(statuses).toContain(429);
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(1);
    const rows = await service.db.selectFrom("user_groups").select("name").execute();
    expect(rows.map(({ name }) => name).toSorted()).toEqual(bodies.map(({ name }) => name));
  });
});
