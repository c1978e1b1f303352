// Tests the order of sources: a source waits until those that it depends on are applied and healthy.
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readControllerConfig } from "../../controller/read-config.ts";
import type { Source } from "../../controller/config.ts";
import { waitOf } from "../../controller/dependencies.ts";
import type { ControllerEvent } from "../../controller/events.ts";
import { type ControllerFixture, groupDocument, openControllerFixture } from "./fixture.ts";
import { listen } from "../support/listen.ts";

let fixture: ControllerFixture;
beforeEach(async () => {
  fixture = await openControllerFixture();
});
afterEach(() => fixture.close());

const minute = 60_000;
const folder = (name: string): string => fixture.stack(name, [groupDocument(name)], {}, name);

function commit(repository: string, message: string): void {
  fixture.git(repository, "add", "--all");
  fixture.git(repository, "commit", "--quiet", "-m", message);
}

describe("a configuration", () => {
  const read = (dependencies: Readonly<Record<string, readonly string[]>>) => () =>
    readControllerConfig(
      fixture.config(
        Object.entries(dependencies).map(([name, dependsOn]) => ({
          name,
          folder: name,
          ...(dependsOn.length > 0 && { dependsOn }),
        })),
      ),
    );

  it("has no cycle, and names only sources", () => {
    expect(read({ a: ["b"], b: ["c"], c: ["a"] })).toThrow(/wait for each other: a → b → c → a/u);
    expect(read({ a: ["a"] })).toThrow(/a → a/u);
    expect(read({ a: ["team-*"], "team-1": ["a"] })).toThrow(/a → team-1 → a/u);
    expect(read({ a: ["bb"], b: [] })).toThrow(/no source is called bb/u);
    expect(read({ a: ["b*"], b: [], "b-2": ["b"] })().sources).toHaveLength(3);
  });

  it("has no cycle between patterns", () => {
    const git = (name: string) => ({ url: join(fixture.home, name), path: "stacks/*" });
    const config = fixture.config([
      { name: "a", git: git("x"), dependsOn: ["b"] },
      { name: "b", git: git("y"), dependsOn: ["a-*"] },
    ]);
    expect(() => readControllerConfig(config)).toThrow(/a-\* → b-\* → a-\*/u);
  });
});

it("runs once in order, and not what waits for a failure", async () => {
  const broken = fixture.stack(
    "base",
    [{ kind: "UserGroup", name: "x", spec: { nam: 1 } }],
    {},
    "base",
  );
  const sources = [
    { name: "app", folder: folder("app"), dependsOn: ["db"] },
    { name: "db", folder: folder("db"), dependsOn: ["b*"] },
    { name: "base", folder: broken },
  ];
  const events = await fixture.reconcileOnce(sources);
  expect(events.map(({ source, result }) => `${source} ${result}`)).toEqual([
    "base invalid",
    "db waiting",
    "app waiting",
  ]);
  expect(events[1]).toMatchObject({
    waitsFor: { sources: ["base"] },
    failure: { code: "refused", message: "waits for base: it is invalid" },
  });
  expect(await fixture.groupNames()).toEqual([]);
  folder("base");
  const after = await fixture.reconcileOnce(sources);
  expect(after.map(({ source, result }) => `${source} ${result}`)).toEqual([
    "base applied",
    "db applied",
    "app applied",
  ]);
});

it("goes on when the dependency has the same commit, at once", async () => {
  const repository = join(fixture.home, "repository");
  const stack = (name: string, fields: object = { name }): void =>
    void fixture.stack(
      `repository/${name}`,
      [{ kind: "UserGroup", name, spec: { ...fields } }],
      {},
      name,
    );
  stack("base", { nam: 1 });
  stack("app");
  fixture.git(repository, "init", "--quiet", "--initial-branch=main");
  commit(repository, "begin");
  const git = (path: string) => ({ name: path, git: { url: repository, path } });
  fixture.env["TOKEN"] = "0123456789abcdef";
  const running = await fixture.start([{ ...git("app"), dependsOn: ["base"] }, git("base")], {
    listen: { port: 0, tokens: [{ name: "ada", role: "viewer", secret: { env: "TOKEN" } }] },
  });
  const headers = { authorization: "Bearer 0123456789abcdef" };
  const overview = (await (
    await fetch(`${running.url()}/api/sources/app`, { headers })
  ).json()) as object;
  expect(overview).toMatchObject({
    health: "waiting",
    result: "waiting",
    failure: { message: expect.stringContaining("waits for base") },
  });
  const status = (await (await fetch(`${running.url()}/status`)).json()) as { sources: object[] };
  expect(status.sources[0]).toMatchObject({ waiting: { for: "other sources" } });

  stack("base");
  commit(repository, "repair");
  const applied = running.nextReconciliation("base");
  await running.advanceClock(minute);
  expect(await applied).toMatchObject({ result: "applied" });
  const results = (): readonly string[] =>
    running.events.flatMap((one) =>
      one.event === "reconciliation" && one.source === "app" ? one.result : [],
    );
  await expect.poll(results, { timeout: 20_000 }).toContain("applied");
  expect(await fixture.groupNames()).toEqual(["app", "base"]);
});

const log = (events: readonly ControllerEvent[]): readonly string[] =>
  events.flatMap((one) =>
    one.event === "reconciliation" ? `${one.source} ${one.result} ${one.failure?.message}` : [],
  );

it("waits for a pattern, which runs once", async () => {
  const git = { url: join(fixture.home, "missing"), path: "stacks/*" };
  const events = await fixture.reconcileOnce([
    { name: "app", folder: folder("app"), dependsOn: ["tenants"] },
    { name: "tenants", git },
  ]);
  expect(events.map(({ source, result }) => `${source} ${result}`)).toEqual([
    "tenants failed",
    "app waiting",
  ]);
  expect(await fixture.groupNames()).toEqual([]);
});

it("waits for the folders of its commit", async () => {
  const repository = join(fixture.home, "repository");
  fixture.stack("repository/stacks/acme", [groupDocument("acme")], {}, "acme");
  fixture.stack("repository/app", [groupDocument("app")], {}, "app");
  fixture.git(repository, "init", "--quiet", "--initial-branch=main");
  commit(repository, "begin");
  const running = await fixture.start([
    { name: "app", git: { url: repository, path: "app" }, dependsOn: ["tenants-*"] },
    { name: "tenants", git: { url: repository, path: "stacks/*" } },
  ]);
  const seen = () => log(running.events);
  await expect.poll(seen, { timeout: 20_000 }).toContain("app applied undefined");
  const broken = { kind: "UserGroup", name: "x", spec: { nam: 1 } };
  fixture.stack("repository/stacks/zed", [broken], {}, "zed");
  fixture.stack("repository/app", [groupDocument("app"), groupDocument("app-2")], {}, "app");
  commit(repository, "next");
  await running.advanceClock(minute);
  await expect.poll(seen, { timeout: 20_000 }).toContain("tenants-zed invalid undefined");
  await running.advanceAndWait(minute, "app");
  expect(seen()).toContain("app waiting waits for tenants-zed: it is invalid");
  expect(await fixture.groupNames()).toEqual(["acme", "app"]);
});

it("waits for a pattern at its commit, although the sources that it had are settled", () => {
  const git = (path: string) => ({ url: join(fixture.home, "repository"), path });
  const { sources } = readControllerConfig(
    fixture.config([
      { name: "app", git: git("app"), dependsOn: ["tenants-*"] },
      { name: "tenants", git: git("stacks/*") },
    ]),
  );
  const [app, tenants] = sources as [Source, Source];
  const acme = { ...tenants, name: "tenants-acme", git: app.git, pattern: "tenants" };
  const commits: Record<string, string> = { tenants: "a", "tenants-acme": "b" };
  const wait = () =>
    waitOf(app, {
      commit: "b",
      sources: [...sources, acme],
      lastOf: (source) => ({
        time: "2026-03-02T09:00:00Z",
        event: "reconciliation",
        source,
        mode: "apply",
        result: "unchanged",
        seconds: 1,
        commit: commits[source] ?? "",
      }),
      since: undefined,
      now: new Date("2026-03-02T09:00:00Z"),
    });
  expect(wait()).toMatchObject({ sources: ["tenants"] });
  commits["tenants"] = "b";
  expect(wait()).toBeUndefined();
});

it("does not trust what was before the start", async () => {
  const base = { name: "base", folder: folder("base") };
  await fixture.reconcileOnce([base]);
  fixture.stack("base", [{ kind: "UserGroup", name: "x", spec: { nam: 1 } }], {}, "base");
  const app = { name: "app", folder: folder("app"), dependsOn: ["base"] };
  const running = await fixture.start([app, base]);
  const waits = "app waiting waits for base: it is invalid";
  await running.advanceAndWait(minute, "app");
  expect(log(running.events)).toContain(waits);
  expect(await fixture.groupNames()).toEqual(["base"]);
});

it("fails after an hour of waiting, and still goes on afterwards", async () => {
  fixture.stack("base", [groupDocument("base")], {}, "other-name");
  const running = await fixture.start([
    { name: "app", folder: folder("app"), dependsOn: ["base"], interval: "30m" },
    { name: "base", folder: join(fixture.home, "base"), interval: "30m" },
  ]);
  const results: string[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const event = await running.advanceAndWait(31 * minute, "app");
    results.push(`${event.result} ${event.failure?.code}`);
  }
  expect(results).toEqual(["waiting refused", "failed timeout", "failed timeout"]);
  folder("base");
  const applied = running.nextReconciliation("app");
  await running.advanceClock(31 * minute);
  const first = await applied;
  const last = first.result === "applied" ? first : await running.nextReconciliation("app");
  expect(last.result).toBe("applied");
});

it("names the suspension that it waits for", async () => {
  const suspend = { owner: "ada", reason: "a move", expires: "2099-01-01" };
  const running = await fixture.start([
    { name: "base", folder: folder("base"), suspend },
    { name: "app", folder: folder("app"), dependsOn: ["base"] },
  ]);
  const last = () =>
    running.events.findLast((one) => one.event === "reconciliation" && one.source === "app");
  const message = expect.stringMatching(/for base: it is suspended by ada until .*: a move/u);
  await expect.poll(last).toMatchObject({ result: "waiting", failure: { message } });
});

it("is unhealthy while a check fails, and lets others wait", async () => {
  let status = 500;
  const server = createServer((_, response) => void response.writeHead(status).end());
  const url = `${await listen(server)}/health`;
  const running = await fixture.start([
    { name: "base", folder: folder("base"), healthChecks: [{ http: { url } }] },
    { name: "app", folder: folder("app"), dependsOn: ["base"] },
  ]);
  const base = running.events.find(
    (one) => one.event === "reconciliation" && one.source === "base",
  );
  expect(base).toMatchObject({
    result: "unhealthy",
    checks: [{ check: `GET ${url}`, passed: false, message: "answered 500, expected 200" }],
    failure: { message: `GET ${url} answered 500, expected 200` },
    changes: [{ result: "done" }],
  });
  expect(await fixture.groupNames()).toEqual(["base"]);
  status = 200;
  const waited = running.nextReconciliation("app");
  expect(await running.advanceAndWait(minute, "base")).toMatchObject({ result: "unchanged" });
  const next = await waited;
  const app = next.result === "applied" ? next : await running.nextReconciliation("app");
  expect(app).toMatchObject({ result: "applied" });
  server.close();
});

it("asks the API about the build of its deployments, and queries them", async () => {
  const deployment = { name: "shop", region: "aws-us-east-1", release: { channel: "latest" } };
  const documents = [{ kind: "Deployment", name: "shop", spec: deployment }];
  const query = { load: { measures: ["orders.count"] }, expect: { rows: { min: 1 } } };
  const [event] = await fixture.reconcileOnce([
    {
      name: "base",
      folder: fixture.stack("base", documents, {}, "base"),
      healthChecks: [{ api: "build" }, { query }],
    },
  ]);
  expect(event).toMatchObject({
    result: "unhealthy",
    checks: [
      { check: "build of Deployment/shop", passed: true },
      { check: "query of Deployment/shop", passed: false },
    ],
    failure: { message: expect.stringContaining("'orders' not found") },
  });
});

it("needs a deployment for a check of deployments", async () => {
  const [event] = await fixture.reconcileOnce([
    { name: "base", folder: folder("base"), healthChecks: [{ api: "build" }] },
  ]);
  expect(event).toMatchObject({
    result: "unhealthy",
    failure: { message: "deployments the stack declares no deployment" },
  });
});

it("applies commits and leaves live edits in the mode report-drift", async () => {
  const write = (...names: readonly string[]): string =>
    fixture.stack(
      "stack",
      names.map((name) => groupDocument(name, "as declared")),
    );
  const running = await fixture.start([{ folder: write("north", "south"), mode: "report-drift" }]);
  const { body } = await fixture.service.send("GET", "/api/v1/user-groups?first=1000");
  const { items } = body as { items: readonly { id: string; name: string }[] };
  const north = items.find(({ name }) => name === "north");
  const path = `/api/v1/user-groups/${north?.id}`;
  await fixture.service.send("PATCH", path, { body: { description: "edited" } });
  expect(await running.advanceAndWait(minute)).toMatchObject({
    result: "changes",
    drift: { drifted: 1 },
  });
  write("north", "south", "west");
  expect(await running.advanceAndWait(minute)).toMatchObject({
    result: "applied",
    drift: { drifted: 1, pending: 1 },
  });
  expect(await running.advanceAndWait(minute)).toMatchObject({ result: "changes" });
  expect(await fixture.groupNames()).toEqual(["north", "south", "west"]);
  const after = await fixture.service.send("GET", path);
  expect(after.body).toMatchObject({ description: "edited" });
});

it("applies a commit to an object with a live edit in the mode report-drift", async () => {
  const attribute = (name: string, displayName: string) => ({
    kind: "UserAttribute",
    name,
    spec: { name, type: "string", displayName, description: "as declared" },
  });
  const write = (name: string): string => fixture.stack("stack", [attribute("region", name)]);
  const source = { folder: write("Region"), mode: "report-drift", failOn: "info" };
  const running = await fixture.start([source]);
  const all = "/api/v1/user-attributes";
  const read = async () => {
    const { body } = await fixture.service.send("GET", `${all}?first=1000`);
    const { items } = body as { items: readonly { id: string; name: string }[] };
    return items.find(({ name }) => name === "region");
  };
  const body = { description: "edited" };
  const edited = await fixture.service.send("PUT", `${all}/${(await read())?.id}`, { body });
  expect(edited.status).toBe(200);
  write("Area");
  expect(await running.advanceAndWait(minute)).toMatchObject({
    result: "applied",
    drift: { drifted: 1 },
  });
  expect(await read()).toMatchObject({ displayName: "Area", description: "edited" });
  // The edit is still known as one.
  for (let turn = 0; turn < 2; turn++)
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "changes",
      drift: { drifted: 1, pending: 0 },
    });
  expect(await read()).toMatchObject({ displayName: "Area", description: "edited" });
});
