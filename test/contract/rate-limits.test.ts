// How often callers may ask, as the standard headers tell it; and that our own client keeps to it.
import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../client/client.ts";
import { operations } from "../../api/index.ts";
import { limits } from "../../core/limits.ts";
import { Secret } from "../../core/secret.ts";
import type { RateLimits } from "../../service/http/rate-limit.ts";
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

describe("a user", () => {
  it("has a limit per window, and sees what is left and when to retry", async () => {
    await start({ perUser: 3, perAddress: 0 });
    for (const left of [2, 1, 0]) {
      const { status: code, headers } = await service.send("GET", path);
      expect([code, headers["ratelimit"], headers["ratelimit-policy"]]).toEqual([
        200,
        `"user";r=${left};t=${limits.rateWindowMs / 1000}`,
        `"user";q=3;w=${limits.rateWindowMs / 1000}`,
      ]);
    }
    time += 4000;
    const refused = await service.send("GET", path);
    expect(refused.body).toMatchObject({ statusCode: 429, code: "rate_limited" });
    expect([refused.headers["retry-after"], refused.headers["ratelimit"]]).toEqual([
      "6",
      '"user";r=0;t=6',
    ]);
    time += 6000;
    expect(await status()).toBe(200);
  });

  it("is counted apart from others, and over all keys", async () => {
    await start({ perUser: 4, perAddress: 0 });
    const other = await service.key({ admin: false });
    const second = await service.key({});
    time += limits.rateWindowMs;
    expect([await status(), await status(second), await status(), await status()]).toEqual([
      200, 200, 200, 200,
    ]);
    expect([await status(second), await status()]).toEqual([429, 429]);
    expect(await status(other)).toBe(200);
  });

  it("who is refused has changed nothing", async () => {
    await start({ perUser: 1, perAddress: 0 });
    await status();
    const body = { name: "too often" };
    expect((await service.send("POST", "/api/v1/user-groups", { body })).status).toBe(429);
    time += limits.rateWindowMs;
    const list = await service.send("GET", "/api/v1/user-groups");
    expect(list.body).toMatchObject({ items: [] });
  });
});

describe("a change of the system time", () => {
  it("neither blocks nor frees a client", async () => {
    let clock = Date.now();
    const rates = { perUser: 2, perAddress: 0 };
    service = await startService({ rates, now: () => clock, monotonicNow: () => time });
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    clock -= 3_600_000;
    time += limits.rateWindowMs;
    expect(await status()).toBe(200);
  });
});

describe("an address without a valid credential", () => {
  it("may ask so often, whatever it asks, and does not use up what users may", async () => {
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

  it("is that of the client before a trusted proxy, and all of an IPv6 network", async () => {
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
      onWait: ({ seconds, serverRequested: asked }) => asked && waits.push(seconds),
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
