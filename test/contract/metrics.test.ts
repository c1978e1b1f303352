// Tests what a server shows to its operator: metrics, readiness, and how it stops.
import { sql } from "kysely";
import { request } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService | undefined;

afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function metrics(of: TestService): Promise<string> {
  const answer = await request(of.metricsUrl ?? "");
  expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  return answer.body.text();
}

/** Returns the number in a line that begins with the text. */
function count(text: string, line: string): number {
  const found = text.split("\n").find((one) => one.startsWith(`${line} `));
  return Number(found?.split(" ").at(-1) ?? 0);
}

const requests = (operation: string, status: number) =>
  `svc_http_request_duration_seconds_count{operation="${operation}",status="${status}"}`;

describe("the metrics", () => {
  it("count requests by operation and status, and statements by their verb", async () => {
    service = await startService({ metricsPort: 0 });
    await service.send("POST", "/api/v1/user-groups", { body: { name: "counted" } });
    await service.send("GET", "/api/v1/user-groups/1");
    await service.send("GET", "/api/v1/user-groups/77");
    await service.send("GET", "/api/v1/user-groups/1", { key: null });
    await service.send("GET", "/made-up/path-7");
    const text = await metrics(service);
    expect(count(text, requests("createUserGroup", 200))).toBe(1);
    expect(count(text, requests("getUserGroup", 200))).toBe(1);
    expect(count(text, requests("getUserGroup", 404))).toBe(1);
    expect(count(text, requests("getUserGroup", 401))).toBe(1);
    expect(count(text, requests("none", 404))).toBe(1);
    const inserts = 'svc_store_statement_duration_seconds_count{statement="insert"}';
    expect(count(text, inserts)).toBeGreaterThan(0);
    expect(count(text, "process_cpu_seconds_total")).toBeGreaterThan(0);
  });

  it("are refused to browser pages under another host name", async () => {
    service = await startService({ metricsPort: 0 });
    const { port, href } = new URL(service.metricsUrl ?? "");
    const statusFor = async (host: string) => {
      const { statusCode, body } = await request(href, { headers: { host } });
      return [statusCode, (await body.text()).includes("svc_http_request_duration_seconds")];
    };
    expect(await statusFor(`rebound.example:${port}`)).toEqual([403, false]);
    expect(await statusFor(`localhost:${port}`)).toEqual([200, true]);
    expect(await statusFor(`127.0.0.1:${port}`)).toEqual([200, true]);
  });

  it("contain no path, name or credential of a request", async () => {
    service = await startService({ metricsPort: 0 });
    await service.send("GET", "/api/v1/embed-tenants/secret-tenant/groups?search=secret-search");
    await service.send("GET", "/secret-path", { key: "sk-secret-key" });
    expect(await metrics(service)).not.toContain("secret");
  });

  it("are at one address of loopback, and nowhere on the API", async () => {
    service = await startService({ metricsPort: 0 });
    expect(service.metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect((await service.send("GET", "/metrics")).status).toBe(404);
    const other = await request((service.metricsUrl ?? "").replace("/metrics", "/"));
    await other.body.dump();
    expect(other.statusCode).toBe(404);
    const { metricsUrl = "" } = service;
    const { statusCode, headers, body } = await request(metricsUrl, { method: "POST" });
    expect([statusCode, headers["allow"]]).toEqual([405, "GET, HEAD"]);
    expect(await body.text()).toContain("does not support POST; use GET, HEAD");
    await service.close();
    await expect(request(metricsUrl)).rejects.toThrow();
  });

  it("are off by default", async () => {
    service = await startService();
    expect(service.metricsUrl).toBeUndefined();
  });
});

describe("a server that is stopping", () => {
  it("reports that it is not ready, and keeps answering during the stop delay", async () => {
    service = await startService({ stopDelayMs: 600 });
    const ended = service.close();
    const ready = await service.send("GET", "/readyz", { key: null });
    expect(ready.body).toMatchObject({ statusCode: 503, code: "unavailable" });
    expect((await service.send("GET", "/livez", { key: null })).status).toBe(200);
    const answer = await service.send("GET", "/api/v1/regions");
    expect([answer.status, answer.headers["connection"]]).toEqual([200, "close"]);
    await ended;
    await expect(request(`${service.url}/livez`)).rejects.toThrow();
  });

  it("looks at its stores once for all who ask within a second", async () => {
    let time = Date.parse("2026-01-01T00:00:00.000Z");
    const started = await startService({ monotonicNow: () => time });
    service = started;
    const ready = async () => (await started.send("GET", "/readyz", { key: null })).status;
    expect(await ready()).toBe(200);
    await started.db.destroy();
    time += limits.probeMs - 1;
    expect(await ready()).toBe(200);
    time += 1;
    expect(await ready()).toBe(503);
  });

  it("counts readiness requests by address, and does not count health requests", async () => {
    const time = Date.parse("2026-01-01T00:00:00.000Z");
    const started = await startService({
      monotonicNow: () => time,
      rates: { perUser: 0, perAddress: 2 },
    });
    service = started;
    const status = async (path: string) => (await started.send("GET", path, { key: null })).status;
    const statuses = [await status("/readyz"), await status("/readyz"), await status("/readyz")];
    expect(statuses).toEqual([200, 200, 429]);
    expect(await status("/livez")).toBe(200);
  });

  it("is not ready while the store can be read but not written", async () => {
    service = await startService();
    await sql`create trigger full_disk before update on account begin select raise(abort, 'full'); end`.execute(
      service.db,
    );
    const ready = await service.send("GET", "/readyz", { key: null });
    expect(ready.body).toMatchObject({ statusCode: 503 });
    expect((await service.send("GET", "/api/v1/regions")).status).toBe(200);
  });

  it("is not ready without its store either", async () => {
    service = await startService();
    await service.db.destroy();
    const ready = await service.send("GET", "/readyz", { key: null });
    expect(ready.body).toMatchObject({ statusCode: 503 });
    expect((await service.send("GET", "/livez", { key: null })).status).toBe(200);
  });
});
