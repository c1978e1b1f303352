// Tests what the API of a controller shows of the pipelines of a source, and what people do to their stages there.
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { relative } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RecordedPromotions } from "../../controller/api-types.ts";
import { limits } from "../../core/limits/limits.ts";
import { approve, pipelineStatus, withdraw } from "../../promotion/index.ts";
import { newestVersion, olderVersion } from "../promotion/fixture.ts";
import { gitServer } from "../support/git-server.ts";
import { listen } from "../support/listen.ts";
import { loginOf } from "../support/sign-in.ts";
import { makePlatform, type Platform } from "./platform.ts";

const hour = 3_600_000;
const secrets = {
  vera: "viewer-token-not-to-be-seen",
  otto: "operator-token-not-to-be-seen",
  bo: "approver-token-without-address",
  anna: "approver-token-not-to-be-seen",
} as const;
type Person = keyof typeof secrets;
const tokens = [
  { name: "vera", role: "viewer", secret: { env: "VERA" } },
  { name: "otto", role: "operator", secret: { env: "OTTO" } },
  { name: "bo", role: "approver", secret: { env: "BO" } },
  { name: "anna", role: "approver", email: "anna@example.com", secret: { env: "ANNA" } },
];

let platform: Platform;

beforeEach(() => open());

async function open(inventory?: "service"): Promise<void> {
  platform = await makePlatform(inventory);
  for (const [name, secret] of Object.entries(secrets))
    platform.fixture.env[name.toUpperCase()] = secret;
}
afterEach(() => platform.fixture.close());

async function start(source: object = { folder: platform.folder }) {
  const sources = [{ name: "platform", interval: "1h", mode: "plan", ...source }];
  const running = await platform.fixture.start(sources, { listen: { port: 0, tokens } });
  const call = async (person: Person, path: string, body?: object) => {
    const response = await fetch(`${running.url()}/api/sources/platform/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${secrets[person]}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answered = await response.text();
    const answer = (answered === "" ? {} : JSON.parse(answered)) as Record<string, unknown>;
    return { status: response.status, body: answer };
  };
  const promotions = async (): Promise<RecordedPromotions> =>
    (await call("vera", "promotions")).body as object as RecordedPromotions;
  return { running, call, promotions };
}

function commitAll(): void {
  const { git } = platform.fixture;
  git(platform.folder, "init", "--quiet", "--initial-branch=main");
  git(platform.folder, "add", "--all");
  git(platform.folder, "commit", "--quiet", "-m", "begin");
}

describe("the pipelines of a source", () => {
  it("are those of `svc promote status`, after each reconciliation", async () => {
    const { running, call, promotions } = await start();
    const before = await promotions();
    expect(before.pipelines).toMatchObject([
      {
        pipeline: "platform",
        stages: [
          {
            stage: "dev",
            candidate: newestVersion,
            step: { action: "verify" },
            deployed: [{ address: "Deployment/dev", version: olderVersion }],
          },
          {
            stage: "production",
            deployed: [{ address: "Deployment/prod", version: olderVersion }],
          },
        ],
      },
    ]);
    await platform.promote();
    const { result } = await running.advanceAndWait(hour, "platform");
    expect(result).toBe("unchanged");
    const { time, pipelines } = await promotions();
    const status = await pipelineStatus({ ...platform.options, now: () => new Date(time) });
    if (!status.ok) throw new Error("the manifests have errors");
    const { history, manualActions } = status;
    expect(pipelines).toEqual(
      JSON.parse(JSON.stringify([{ ...status.status, history, manualActions }])),
    );
    const cells = pipelines[0]?.cells ?? [];
    expect(cells.find(({ stage, running: on }) => stage === "dev" && on === 1)).toMatchObject({
      version: newestVersion,
      verification: "passed",
      soak: { since: expect.any(String), ends: expect.any(String), nextCheck: expect.any(String) },
      checks: [{ passed: true, at: expect.any(String) }],
    });
    // A stack without pipelines has none.
    platform.writePipeline(undefined);
    await running.advanceAndWait(hour, "platform");
    expect((await call("vera", "promotions")).status).toBe(204);
  });

  it("tell once that a version waits for an approval, without an API, also over a restart", async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      void text(request).then((body) => {
        received.push((JSON.parse(body) as { readonly text: string }).text);
        response.end();
      });
    });
    platform.fixture.env["CHAT"] = await listen(receiver);
    const notify = [{ name: "chat", type: "slack", url: { env: "CHAT" }, on: ["approval"] }];
    const sources = [{ name: "platform", interval: "1h", mode: "plan", folder: platform.folder }];
    const waits = `platform waits for a person: ${newestVersion} is not approved for production (pipeline platform)`;
    platform.writePipeline({});
    const first = await platform.fixture.start(sources, { notify });
    await platform.promote();
    await first.advanceAndWait(hour, "platform");
    await expect.poll(() => received).toEqual([waits]);
    await first.advanceAndWait(hour, "platform");
    await first.stop();
    const again = await platform.fixture.start(sources, { notify });
    const stage = { ...platform.options, stage: "production", version: newestVersion };
    await approve({ ...stage, by: "anna@example.com", vouchedBy: "controller" });
    const { approvals } = await again.advanceAndWait(hour, "platform");
    expect(approvals).toEqual([]);
    await withdraw({ ...stage, by: "anna@example.com", vouchedBy: "controller" });
    await again.advanceAndWait(hour, "platform");
    await expect.poll(() => received).toEqual([waits, waits]);
    receiver.closeAllConnections();
    receiver.close();
  });

  it("are approved, held and released as the role of the token and the stage permit", async () => {
    platform.writePipeline({});
    await platform.promote();
    const { running, call, promotions } = await start();
    const production = async () => (await promotions()).pipelines[0]?.stages[1];
    expect(await production()).toMatchObject({
      candidate: newestVersion,
      reasons: [{ code: "needs-approval" }],
    });
    const stage = { pipeline: "platform", stage: "production" };
    const approval = { ...stage, version: newestVersion, reason: "tested" };
    for (const [person, action, body] of [
      ["vera", "hold-stage", { ...stage, reason: "no" }],
      ["otto", "approve-version", approval],
    ] as const)
      expect(await call(person, action, body)).toMatchObject({ status: 403 });
    for (const [body, status] of [
      [stage, 400],
      [{ ...approval, stage: "prodution" }, 400],
      [{ ...approval, version: "9.9.9" }, 409],
    ] as const)
      expect(await call("anna", "approve-version", body)).toMatchObject({ status });
    expect(await call("bo", "approve-version", approval)).toMatchObject({
      status: 409,
      body: { error: { code: "refused", message: "bo is no approver of production" } },
    });
    expect(await production()).toMatchObject({ approvals: [] });

    expect(await call("otto", "hold-stage", { ...stage, reason: "a fair" })).toMatchObject({
      status: 200,
      body: { name: "platform" },
    });
    // At once, not after the next reconciliation.
    expect(await production()).toMatchObject({ hold: { by: "otto", reason: "a fair" } });
    expect(await call("anna", "approve-version", approval)).toMatchObject({
      status: 200,
      body: { version: newestVersion },
    });
    expect(await production()).toMatchObject({
      approvals: [{ version: newestVersion, by: "anna@example.com", vouchedBy: "controller" }],
      reasons: [{ code: "held" }],
    });
    expect(await call("anna", "approve-version", approval)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining("is already approved") } },
    });
    await platform.promote();
    expect(await platform.versions()).toMatchObject({ prod: olderVersion });
    expect((await call("otto", "release-stage", stage)).status).toBe(200);
    expect((await call("otto", "release-stage", stage)).status).toBe(404);
    await platform.promote();
    expect(await platform.versions()).toMatchObject({ prod: newestVersion });
    const actions = running.events.filter(({ event }) => event === "action");
    expect(actions).toMatchObject([
      { action: "hold-stage", by: "otto", ...stage, reason: "a fair" },
      { action: "approve-version", by: "anna", ...stage, version: newestVersion },
      { action: "release-stage", by: "otto", ...stage },
    ]);
  });

  it("are approved with the login of an approver, by name or by a group at the server of the source", async () => {
    await platform.promote();
    const { service, proxy } = platform.fixture;
    const users = ["anna", "bert", "carl"].map((name) => {
      return { email: `${name}@example.com`, role: "approver" };
    });
    const startWith = (server: string) =>
      platform.fixture.start(
        [{ name: "platform", folder: platform.folder, interval: "1h", mode: "plan" }],
        { listen: { port: 0, login: { server, users } } },
      );
    // Another address than that of the source.
    let running = await startWith(service.url);
    const login = (username: string) => loginOf(service, { username, isAdmin: false });
    const approveAs = async (token: string) => {
      const body = { pipeline: "platform", stage: "production", version: newestVersion };
      const response = await fetch(`${running.url()}/api/sources/platform/approve-version`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    };
    platform.writePipeline({}, { groups: ["release"] });
    const carl = await login("carl");
    const group = await service.send("POST", "/api/v1/user-groups", { body: { name: "release" } });
    const { id } = group.body as { id: number };
    const body = { members: [{ userId: carl.id }] };
    await service.send("POST", `/api/v1/user-groups/${id}/users`, { body });
    expect(await approveAs(carl.token)).toMatchObject({
      status: 409,
      text: expect.stringContaining("by name, and the controller does not know their groups"),
    });
    await running.stop();
    running = await startWith(proxy.url);
    expect(await approveAs((await login("bert")).token)).toMatchObject({
      status: 409,
      text: expect.stringContaining('bert@example.com is no approver of production"'),
    });
    expect((await approveAs(carl.token)).status).toBe(200);
    platform.writePipeline({});
    expect((await approveAs((await login("anna")).token)).status).toBe(200);
    await platform.promote();
    expect(await platform.versions()).toMatchObject({ prod: newestVersion });
  });

  it("change for no other stack, no suspended source and no pattern", async () => {
    const running = await platform.fixture.start(
      [
        { name: "platform", folder: platform.folder, mode: "plan" },
        { name: "other", folder: platform.folder, mode: "plan" },
        {
          name: "moving",
          stack: "platform",
          folder: platform.folder,
          server: { url: "http://127.0.0.1:9", apiKey: { env: "OTTO" } },
          suspend: { reason: "a move", owner: "ops", expires: "2027-01-01" },
        },
        { name: "all", git: { url: `${platform.fixture.home}/none`, path: "stacks/*" } },
      ],
      { listen: { port: 0, tokens } },
    );
    const hold = async (source: string): Promise<unknown> => {
      const body = { pipeline: "platform", stage: "production", reason: "a fair" };
      const response = await fetch(`${running.url()}/api/sources/${source}/hold-stage`, {
        method: "POST",
        headers: { authorization: `Bearer ${secrets.otto}` },
        body: JSON.stringify(body),
      });
      const { error } = (await response.json()) as { error: { message: string } };
      return [response.status, error.message];
    };
    expect(await hold("other")).toEqual([409, expect.stringContaining("expects the Stack other")]);
    expect(await hold("moving")).toEqual([409, expect.stringContaining("is suspended by ops")]);
    expect(await hold("all")).toEqual([400, expect.stringContaining("is a pattern")]);
    const status = await pipelineStatus(platform.options);
    expect(status).toMatchObject({ status: { stages: [{}, { hold: undefined }] } });
  });

  it("of a repository are changed from a checkout that does not stay", async () => {
    await platform.fixture.close();
    await open("service");
    platform.writePipeline({});
    await platform.promote();
    commitAll();
    const { call, promotions } = await start({ git: { url: platform.folder } });
    const stage = { pipeline: "platform", stage: "production" };
    const approval = { ...stage, version: newestVersion };
    const temporary = (): readonly string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith("svc-stage-"));
    const before = temporary();
    expect((await call("anna", "approve-version", approval)).status).toBe(200);
    expect((await promotions()).pipelines[0]?.stages[1]?.approvals).toMatchObject([
      { version: newestVersion, by: "anna@example.com", vouchedBy: "controller" },
    ]);
    expect(temporary()).toEqual(before);
    await platform.promote();
    expect(await platform.versions()).toMatchObject({ prod: newestVersion });
  });

  it("of a Git host that hangs delay no other", async () => {
    await platform.fixture.close();
    await open("service");
    commitAll();
    const { home } = platform.fixture;
    await using server = await gitServer(home, "t0ken");
    const token = { file: platform.fixture.write("token", "t0ken") };
    const url = `${server.url}/${relative(home, platform.folder)}/.git`;
    const ordinary = { stack: "platform", mode: "plan", interval: "1h" };
    const running = await platform.fixture.start(
      [
        { ...ordinary, name: "hung", git: { url, token } },
        { ...ordinary, name: "platform", folder: platform.folder },
      ],
      { listen: { port: 0, tokens } },
    );
    const hanging = server.hangFetches("/");
    const stage = { pipeline: "platform", stage: "production" };
    let ended = 0;
    const hold = (source: string, reason: string): Promise<number> =>
      fetch(`${running.url()}/api/sources/${source}/hold-stage`, {
        method: "POST",
        headers: { authorization: `Bearer ${secrets.otto}` },
        body: JSON.stringify({ ...stage, reason }),
      }).then(({ status }) => status);
    const { perHost } = limits.controllerActions;
    for (let count = 0; count <= perHost; count++) {
      const end = (): number => ended++;
      void hold("hung", "a fair").then(end, end);
    }
    await expect.poll(hanging, { timeout: 20_000 }).toBe(perHost);
    expect(await hold("platform", "a fair")).toBe(200);
    expect(ended).toBe(0);
  });

  it("of a repository are refused while their record is in a file of the checkout", async () => {
    commitAll();
    const { call, promotions } = await start({ git: { url: platform.folder } });
    expect(await promotions()).toMatchObject({
      pipelines: [],
      failure: { code: "refused", message: expect.stringContaining("in a file of a checkout") },
    });
    const body = { pipeline: "platform", stage: "production", reason: "a fair" };
    expect(await call("otto", "hold-stage", body)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining("in a file of a checkout") } },
    });
  });
});
