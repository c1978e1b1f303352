// Tests the HTTP endpoints of a controller: status, metrics, and webhooks that start an early reconciliation.
import { createHmac } from "node:crypto";
import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
  type RunningController,
} from "./fixture.ts";

const secret = "hook-secret-not-to-be-seen";
const folder = "stacks/northwind";
let fixture: ControllerFixture;
let running: RunningController;

beforeEach(async () => {
  fixture = await openControllerFixture();
  fixture.stack(folder, [groupDocument("north"), groupDocument("south")]);
  const file = fixture.write("hook-secret", secret);
  const suspend = { reason: "an incident", owner: "platform", expires: "2026-03-09" };
  const sources = [
    { folder, interval: "1h", webhook: { file } },
    { name: "bluewater", folder: "stacks/bluewater", interval: "1h", suspend },
  ];
  running = await fixture.start(sources, { listen: { port: 0 } });
});
afterEach(() => fixture.close());

async function get(path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${running.url()}${path}`);
  return { status: answer.status, text: await answer.text() };
}

async function sendWebhook(
  headers: Readonly<Record<string, string>>,
  { name = "northwind", body = '{"ref":"refs/heads/main"}' } = {},
): Promise<number> {
  const answer = await fetch(`${running.url()}/hook/${name}`, { method: "POST", headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

function signatureHeaders(body: string, key = secret): Readonly<Record<string, string>> {
  const digest = createHmac("sha256", key).update(body).digest("hex");
  return { "x-hub-signature-256": `sha256=${digest}` };
}

describe("a controller that listens", () => {
  it("answers health, readiness and status", async () => {
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/readyz")).status).toBe(200);
    expect((await get("/elsewhere")).status).toBe(404);
    const { sources } = JSON.parse((await get("/status")).text) as { sources: unknown[] };
    expect(sources).toMatchObject([
      {
        name: "northwind",
        mode: "apply",
        lastReconciliation: { result: "applied" },
        lastApplied: { changes: [{ address: "UserGroup/north" }, { address: "UserGroup/south" }] },
        next: "2026-03-02T10:00:00.000Z",
      },
      { name: "bluewater", waiting: { reason: "an incident", owner: "platform" } },
    ]);
    fixture.stack(folder, [groupDocument("north")]);
    await running.advanceAndWait(3_600_000);
    const after = JSON.parse((await get("/status")).text) as { sources: unknown[] };
    expect(after.sources[0]).toMatchObject({
      waiting: { for: "an approval", remedy: expect.stringContaining("svc controller approve") },
    });
  });

  it.each([
    ["POST", "/healthz", "GET, HEAD"],
    ["DELETE", "/readyz", "GET, HEAD"],
    ["PUT", "/status", "GET, HEAD"],
    ["POST", "/metrics", "GET, HEAD"],
    ["GET", "/hook/northwind", "POST"],
  ])("answers 405 for %s %s and lists the methods", async (method, path, allow) => {
    const answer = await fetch(`${running.url()}${path}`, { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
    expect(await answer.json()).toMatchObject({ error: { code: "method_not_allowed" } });
    const absent = await fetch(`${running.url()}/hook/unknown`, { method });
    expect([absent.status, absent.headers.get("allow")]).toEqual([404, null]);
  });

  it("refuses requests of browser pages under another host name", async () => {
    const statusOf = (host: string, path = "/status") =>
      new Promise<number | undefined>((resolve, reject) => {
        const one = request(`${running.url()}${path}`, { headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        one.on("error", reject).end();
      });
    const { port } = new URL(running.url());
    expect(await statusOf(`rebound.example:${port}`)).toBe(403);
    expect(await statusOf(`rebound.example:${port}`, "/metrics")).toBe(403);
    expect(await statusOf(`localhost:${port}`, "/metrics")).toBe(200);
    expect(await statusOf(`localhost:${port}`)).toBe(200);
    expect(await statusOf(`[::1]:${port}`)).toBe(200);
  });

  it("measures reconciliations, drift, held plans and failures", async () => {
    fixture.stack(folder, [groupDocument("north")]);
    await running.advanceAndWait(3_600_000);
    const pending = 'svc_controller_drift{source="northwind",direction="pending"}';
    expect((await get("/metrics")).text).toContain(`${pending} 1`);
    fixture.write(`${folder}/documents.yaml`, "kind: UserGruop\n");
    await running.advanceAndWait(3_600_000);
    const { text } = await get("/metrics");
    expect(text).toContain('svc_controller_reconcile_duration_seconds_count{result="applied"} 1');
    expect(text).toContain('svc_controller_reconcile_duration_seconds_count{result="held"} 1');
    // The differences of an invalid commit are unknown.
    expect(text).not.toContain(pending);
    expect(text).toContain('svc_controller_suspended{source="bluewater"} 1');
    expect(text).toContain('svc_controller_failures_total{code="invalid"} 1');
    const succeeded = Date.parse("2026-03-02T09:00:00Z") / 1000;
    expect(text).toContain(
      `svc_controller_last_success_timestamp_seconds{source="northwind"} ${succeeded}`,
    );
  });
});

it("does not begin where a webhook has no secret", async () => {
  const webhook = { file: "nowhere" };
  const more = { listen: { port: 0 }, state: "another" };
  await expect(fixture.start([{ folder, webhook }], more)).rejects.toMatchObject({
    code: "unauthenticated",
    message: expect.stringContaining("nowhere contains no secret"),
  });
});

describe("a webhook", () => {
  it.each([
    ["a signature", signatureHeaders('{"ref":"refs/heads/main"}')],
    ["a token", { "x-gitlab-token": secret }],
  ])(
    "with %s that is valid starts a reconciliation early, and no second one soon after",
    async (_, headers) => {
      fixture.stack(folder, [
        groupDocument("north"),
        groupDocument("south"),
        groupDocument("east"),
      ]);
      const reconciliation = running.nextReconciliation();
      expect(await sendWebhook(headers)).toBe(202);
      expect(await sendWebhook(headers)).toBe(202);
      await running.advanceClock(limits.hookPauseMs);
      expect(await reconciliation).toMatchObject({ result: "applied" });
      expect(await fixture.groupNames()).toEqual(["east", "north", "south"]);
    },
  );

  it("reconciles a source that failed before its retry time", async () => {
    fixture.proxy.armAnyCall(1, "html", 10_000);
    expect(await running.advanceAndWait(3_600_000)).toMatchObject({ result: "failed" });
    fixture.proxy.arm();
    const next = running.nextReconciliation();
    expect(await sendWebhook({ "x-gitlab-token": secret })).toBe(202);
    await running.advanceClock(limits.hookPauseMs);
    expect(await next).toMatchObject({ result: "unchanged" });
  });

  it("with a wrong signature or for an unknown source changes nothing", async () => {
    const body = '{"ref":"refs/heads/main"}';
    expect(await sendWebhook(signatureHeaders(body, "another"))).toBe(401);
    expect(await sendWebhook(signatureHeaders(`${body} `))).toBe(401);
    expect(await sendWebhook({ "x-gitlab-token": "another" })).toBe(401);
    expect(await sendWebhook({})).toBe(401);
    expect(await sendWebhook(signatureHeaders(body), { name: "unknown" })).toBe(404);
    expect(await sendWebhook(signatureHeaders(body), { name: "bluewater" })).toBe(404);
    expect(running.events.filter(({ event }) => event === "webhook")).toEqual([]);
    expect(JSON.stringify(running.events)).not.toContain(secret);
  });

  it("is limited in size and rate, also after the clock was set back", async () => {
    const long = "x".repeat(limits.hookBytes + 1);
    expect(await sendWebhook(signatureHeaders(long), { body: long }).catch(() => 413)).toBe(413);
    const all = await Promise.all(Array.from({ length: limits.hooks }, () => sendWebhook({})));
    expect(all.filter((status) => status === 429)).toHaveLength(1);
    running.setDateBack(3_600_000);
    // Signed requests are still accepted.
    const reconciliation = running.nextReconciliation();
    expect(await sendWebhook({ "x-gitlab-token": secret })).toBe(202);
    await running.advanceClock(limits.hookPauseMs);
    await reconciliation;
    await running.advanceClock(limits.hookWindowMs);
    expect(await sendWebhook({})).toBe(401);
  });
});
