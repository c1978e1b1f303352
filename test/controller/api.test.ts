// Tests the HTTP API of a controller: who may do what, what operators decide, and that it lasts.
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import type { SourceOverview } from "../../controller/api-types.ts";
import { savedOverviews } from "../../controller/overview.ts";
import { readControllerConfig } from "../../controller/read-config.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
  type RunningController,
  startTime,
} from "./fixture.ts";

const folder = "stacks/northwind";
const secrets = {
  vera: "viewer-token-not-to-be-seen",
  otto: "operator-token-not-to-be-seen",
  anna: "approver-token-not-to-be-seen",
} as const;
type Person = keyof typeof secrets;
const hour = 3_600_000;

let fixture: ControllerFixture;
let running: RunningController;

beforeEach(async () => {
  fixture = await openControllerFixture();
  fixture.stack(folder, [groupDocument("north"), groupDocument("south")]);
  fixture.env["OTTO_TOKEN"] = secrets.otto;
  fixture.write("vera", `${secrets.vera}\n`);
  fixture.write("anna", secrets.anna);
  running = await start();
});
afterEach(() => fixture.close());

const tokens = [
  { name: "vera", role: "viewer", secret: { file: "vera" } },
  { name: "otto", role: "operator", secret: { env: "OTTO_TOKEN" } },
  { name: "anna", role: "approver", secret: { file: "anna" } },
];
const sources = [
  { folder, interval: "1h" },
  { name: "bluewater", folder: "stacks/bluewater", interval: "1h", mode: "plan" },
];

function start(): Promise<RunningController> {
  return fixture.start(sources, { listen: { port: 0, tokens } });
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(person: Person, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${running.url()}/api/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${secrets[person]}` },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

async function northwind(): Promise<SourceOverview> {
  const { body } = await call("vera", "sources");
  const [first] = body["sources"] as SourceOverview[];
  if (first === undefined) throw new Error("there is no source");
  return first;
}

/** Removes a group of the stack, whose delete is held, and returns the id of the plan. */
async function holdPlan(): Promise<string> {
  fixture.stack(folder, [groupDocument("north")]);
  const event = await running.advanceAndWait(hour);
  expect(event.result).toBe("held");
  return event.held?.plan ?? "";
}

/** Acts on northwind, and returns the reconciliation that follows. */
async function act(person: Person, action: string, body: object) {
  const next = running.nextReconciliation();
  const answer = await call(person, `sources/northwind/${action}`, body);
  expect([answer.status, answer.body["error"]]).toEqual([
    action === "reconcile" ? 202 : 200,
    undefined,
  ]);
  await running.advanceClock(limits.hookPauseMs);
  return next;
}

async function metrics(): Promise<string> {
  return (await fetch(`${running.url()}/metrics`)).text();
}

describe("the API of a controller", () => {
  it("says why a state cannot be read, and the sources are reconciled", async () => {
    fixture.write("state/sources/northwind/suspension.json/file", "");
    const { status, body } = await call("vera", "sources");
    expect([status, body["error"]]).toEqual([
      503,
      expect.objectContaining({
        code: "unavailable",
        message: expect.stringContaining("suspension.json cannot be read"),
      }),
    ]);
    const stream = await fetch(`${running.url()}/api/events`, {
      headers: { authorization: `Bearer ${secrets.vera}` },
    });
    for (let times = 0; times < 2; times++)
      expect(await running.advanceAndWait(hour)).toMatchObject({ result: "failed" });
    await stream.body?.cancel();
  });

  it("counts the other changes of a held plan, without the live edits that are only reported", async () => {
    await running.stop();
    const reported = [{ folder, interval: "1h", mode: "report-drift" }];
    running = await fixture.start(reported, { listen: { port: 0, tokens } });
    fixture.stack(folder, [groupDocument("north", "declared"), groupDocument("south")]);
    expect((await running.advanceAndWait(hour)).result).toBe("applied");
    const listed = await fixture.service.send("GET", "/api/v1/user-groups?first=1000");
    const { items } = listed.body as { items: readonly { id: number; name: string }[] };
    const id = items.find(({ name }) => name === "north")?.id;
    const body = { description: "edited by hand" };
    await fixture.service.send("PATCH", `/api/v1/user-groups/${id}`, { body });
    fixture.stack(folder, [groupDocument("north", "declared"), groupDocument("west")]);
    expect((await running.advanceAndWait(hour)).drift).toMatchObject({ drifted: 1 });
    expect((await northwind()).held).toMatchObject({
      changes: ["delete UserGroup/south"],
      others: 1,
    });
  });

  it("lists sources with their health, and shows the plan and the history of one", async () => {
    const { status, body } = await call("vera", "sources");
    expect([status, body["token"]]).toEqual([200, { name: "vera", role: "viewer" }]);
    expect(body["sources"]).toMatchObject([
      { name: "northwind", health: "ok", result: "applied", next: "2026-03-02T10:00:00.000Z" },
      { name: "bluewater", health: "failing", failure: { code: "file-unreadable" } },
    ]);
    const plan = await holdPlan();
    expect(await northwind()).toMatchObject({
      health: "waiting",
      since: "2026-03-02T10:00:00.000Z",
      held: { plan, deletes: 1, changes: ["delete UserGroup/south"] },
      failure: {
        remedy: expect.stringContaining(
          `page of the controller or with \`svc controller plan northwind --url URL\`, then approve it there or with \`svc controller approve northwind ${plan} --url URL\``,
        ),
      },
    });
    const details = await call("vera", "sources/northwind");
    expect(details.body).toMatchObject({ lastReconciliation: { result: "held" } });
    const recorded = await call("vera", "sources/northwind/plan");
    expect(recorded.body).toMatchObject({
      time: "2026-03-02T10:00:00.000Z",
      report: { report: "plan", changes: [{ address: "UserGroup/south", action: "delete" }] },
    });
    // Nothing new happens, and nothing is recorded.
    await running.advanceAndWait(hour);
    const history = await call("vera", "sources/northwind/history");
    expect(history.body["entries"]).toMatchObject([{ result: "held" }, { result: "applied" }]);
    expect((await call("vera", "sources/bluewater/plan")).status).toBe(204);
  });

  it("permits what the role of the token includes, and names who acted", async () => {
    const plan = await holdPlan();
    const reconcile = await call("vera", "sources/northwind/reconcile", {});
    expect(reconcile).toMatchObject({
      status: 403,
      body: { error: { code: "forbidden", remedy: "Act as someone with the role operator." } },
    });
    expect((await call("otto", "sources/northwind/approve", { plan })).status).toBe(403);
    expect((await call("otto", "sources/northwind/reject", { plan, reason: "no" })).status).toBe(
      403,
    );
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
    const event = await act("anna", "approve", { plan, reason: "they left" });
    expect(event).toMatchObject({
      result: "applied",
      approved: { by: "anna", reason: "they left" },
    });
    expect(await fixture.groupNames()).toEqual(["north"]);
    expect(running.events).toContainEqual(
      expect.objectContaining({ event: "action", action: "approve", by: "anna", plan }),
    );
    const { body } = await call("vera", "sources/northwind/history");
    expect(body["entries"]).toMatchObject([
      { event: "reconciliation", result: "applied" },
      { event: "action", action: "approve", by: "anna", reason: "they left" },
      { result: "held" },
      { result: "applied" },
    ]);
  });

  it("suspends until the end or a resume, also after a restart", async () => {
    const suspended = await act("otto", "suspend", { reason: "a migration", expires: "3h" });
    const suspension = { by: "otto", reason: "a migration", configured: false };
    expect(suspended).toMatchObject({ result: "suspended", suspension });
    const status = await (await fetch(`${running.url()}/status`)).text();
    expect(status).toContain('"by":"otto"');
    expect(await metrics()).toContain('svc_controller_suspended{source="northwind"} 1');
    await running.stop();
    fixture.stack(folder, [groupDocument("north"), groupDocument("east")]);
    // The clock of a test begins at the same moment.
    running = await start();
    expect(await northwind()).toMatchObject({ health: "suspended", suspension });
    const refused = await call("otto", "sources/northwind/reconcile", {});
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain("northwind is suspended by otto until");
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
    const twice = await call("otto", "sources/northwind/resume", {});
    expect(twice.status).toBe(200);
    expect((await call("otto", "sources/northwind/resume", {})).status).toBe(404);
    await act("otto", "suspend", { reason: "once more", expires: "2026-03-02" });
    await running.advanceAndWait(hour);
    expect(await northwind()).toMatchObject({
      suspension: { expires: "2026-03-03T00:00:00.000Z" },
    });
    const after = await running.advanceAndWait(24 * hour);
    expect(after).toMatchObject({ result: "held" });
    expect((await northwind()).suspension).toBeUndefined();
  });

  it("rejects a held plan until a week has passed, or an approval replaces it", async () => {
    const plan = await holdPlan();
    await call("anna", "sources/northwind/approve", { plan });
    const event = await act("anna", "reject", { plan, reason: "still in use" });
    expect(event).toMatchObject({
      result: "held",
      held: { plan, rejected: { by: "anna", reason: "still in use" } },
    });
    const status = await (await fetch(`${running.url()}/status`)).text();
    expect(JSON.parse(status)).toMatchObject({
      sources: [{ waiting: { for: "another plan", rejected: { by: "anna" } } }, {}],
    });
    expect(await metrics()).toContain('svc_controller_rejected{source="northwind"} 1');
    expect(await metrics()).toContain('svc_controller_held{source="northwind"} 0');
    await running.stop();
    running = await start();
    expect(await northwind()).toMatchObject({ held: { decision: { verdict: "rejected" } } });
    expect(await running.advanceAndWait(8 * 24 * hour)).toMatchObject({ result: "held" });
    expect((await northwind()).held?.decision).toBeUndefined();
    await call("anna", "sources/northwind/reject", { plan, reason: "no" });
    expect(await act("anna", "approve", { plan })).toMatchObject({ result: "applied" });
    const stale = await call("anna", "sources/northwind/approve", { plan });
    expect(stale).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  });

  it("answers nothing without a token, and refuses what it does not know by name", async () => {
    for (const authorization of ["", "Bearer ", "Bearer wrong", `Basic ${secrets.anna}`]) {
      const answer = await fetch(`${running.url()}/api/sources`, { headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(await answer.text()).toContain("Authorization: Bearer TOKEN");
    }
    // A cookie is no token: a page elsewhere cannot act for who has this page open.
    const cookie = `token=${secrets.anna}; authorization=Bearer ${secrets.anna}`;
    expect((await fetch(`${running.url()}/api/sources`, { headers: { cookie } })).status).toBe(401);
    const paths = [
      "sources/unknown",
      "sources/northwind/delete",
      "elsewhere",
      "sources/northwind/plan/x",
    ];
    for (const path of paths) expect((await call("anna", path)).status).toBe(404);
    expect((await call("anna", "sources", {})).status).toBe(405);
    expect((await call("anna", "sources/northwind/approve")).status).toBe(405);
    const wrong: readonly [action: string, body: unknown, message: RegExp][] = [
      ["suspend", { reason: "r", expires: "1h", until: 1 }, /until/u],
      ["suspend", { expires: "1h" }, /reason/u],
      ["suspend", { reason: " ", expires: "1h" }, /reason must not be blank/u],
      ["suspend", { reason: "r", expires: "soon" }, /soon is not the end/u],
      ["suspend", { reason: "r", expires: "2026-03-01" }, /ended before/u],
      ["suspend", { reason: "r", expires: "2028-03-01" }, /at most/u],
      ["reject", { plan: "p" }, /reason/u],
      ["approve", "{", /not JSON/u],
      ["approve", "[]", /the body must be/u],
    ];
    for (const [action, body, message] of wrong) {
      const answer = await call("anna", `sources/northwind/${action}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: { message: expect.stringMatching(message) } });
    }
    const long = { reason: "r".repeat(limits.controllerRequestBytes), expires: "1h" };
    expect((await call("anna", "sources/northwind/suspend", long)).status).toBe(413);
    expect((await northwind()).suspension).toBeUndefined();
    // A removed file revokes its token.
    fixture.write("vera", "");
    expect((await call("vera", "sources")).status).toBe(401);
    expect((await call("otto", "sources")).status).toBe(200);
    const all = JSON.stringify([running.events, await metrics(), await call("anna", "sources")]);
    for (const secret of Object.values(secrets)) expect(all).not.toContain(secret);
  });

  it("tells the open streams about each reconciliation and action", async () => {
    const abort = new AbortController();
    const response = await fetch(`${running.url()}/api/events`, {
      headers: { authorization: `Bearer ${secrets.vera}` },
      signal: abort.signal,
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    let text = "";
    const read = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString("utf8");
    })().catch(() => undefined);
    await act("otto", "suspend", { reason: "a migration", expires: "3h" });
    while (!text.includes('"result":"suspended"')) await turn();
    expect(text).toMatch(/^data: \{"name":"northwind",.*"health":"suspended"/mu);
    abort.abort();
    await read;
  });

  it("is off without tokens, and refuses tokens that are short or have one name", async () => {
    await running.stop();
    running = await fixture.start(sources, { listen: { port: 0 } });
    expect((await fetch(`${running.url()}/api/sources`)).status).toBe(404);
    expect((await fetch(`${running.url()}/`)).status).toBe(404);
    await running.stop();
    fixture.write("anna", "short");
    await expect(start()).rejects.toThrow("the token anna is too short");
    const twice = [tokens[0], { ...tokens[1], name: "vera" }];
    const file = fixture.config(sources, { listen: { port: 0, tokens: twice } });
    expect(() => readControllerConfig(file)).toThrow("another token is called vera");
  });

  it("keeps its state where commands read it without a controller", async () => {
    await holdPlan();
    await running.stop();
    const config = readControllerConfig(fixture.config(sources));
    expect(await savedOverviews(config, startTime)).toMatchObject([
      { name: "northwind", health: "waiting", held: { deletes: 1 } },
      { name: "bluewater", health: "failing" },
    ]);
  });
});
