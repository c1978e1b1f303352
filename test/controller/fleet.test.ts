// Tests a controller of many sources: they share what their repository and their servers can give, and stop no other.
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readControllerConfig } from "../../controller/read-config.ts";
import { savedOverviews } from "../../controller/overview.ts";
import { runController } from "../../controller/controller.ts";
import { limits } from "../../core/limits/limits.ts";
import { kinds } from "../../resources/index.ts";
import { type ControllerFixture, groupDocument, openControllerFixture } from "./fixture.ts";
import { gitServer } from "../support/git-server.ts";
import { listen } from "../support/listen.ts";

let fixture: ControllerFixture;
let repository: string;
beforeEach(async () => {
  fixture = await openControllerFixture();
  repository = join(fixture.home, "repository");
});
afterEach(() => fixture.close());

const minute = 60_000;

function commit(message: string): void {
  fixture.git(repository, "add", "--all");
  fixture.git(repository, "commit", "--quiet", "-m", message);
}

it("fetches a repository once, whatever number of sources reads it", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `stack-${index}`);
  for (const name of names)
    fixture.stack(`repository/stacks/${name}`, [groupDocument(name)], {}, name);
  fixture.git(repository, "init", "--quiet", "--initial-branch=main");
  commit("begin");
  await using server = await gitServer(fixture.home, "t0ken");
  const requests: string[] = [];
  server.server.on("request", ({ url = "" }) => requests.push(url));
  const token = { file: fixture.write("token", "t0ken") };
  const url = `${server.url}/repository/.git`;
  const running = await fixture.start(
    names.map((name) => ({ name, mode: "plan", git: { url, path: `stacks/${name}`, token } })),
  );
  const resultsOf = (): readonly string[] =>
    running.events.flatMap((event) => (event.event === "reconciliation" ? event.result : []));
  expect(resultsOf()).toEqual(names.map(() => "changes"));
  // Git asks for the references twice and for the commit once, each time first without and then with the service it needs.
  const first = requests.length;
  expect(first).toBeLessThanOrEqual(5);

  // The source that finds a new commit wakes the others.
  fixture.stack("repository/stacks/stack-0", [], {}, "stack-0");
  commit("empty");
  const reconciled = names.map((name) => running.nextReconciliation(name));
  await running.advanceClock(minute);
  const events = await Promise.all(reconciled);
  expect(new Set(events.map((event) => event.commit))).toEqual(
    new Set([fixture.git(repository, "rev-parse", "HEAD").trim()]),
  );
  expect(requests.length - first).toBeLessThanOrEqual(5);
  // Each reconciles it once, also those that were looking for it at the same time.
  const count = running.events.length;
  await running.advanceClock(limits.hookPauseMs);
  await running.advanceClock(limits.hookPauseMs);
  expect(running.events).toHaveLength(count);
});

it("says that the credentials were refused, not what Git could not ask", async () => {
  fixture.stack("repository/stacks/northwind", []);
  fixture.git(repository, "init", "--quiet", "--initial-branch=main");
  commit("begin");
  await using server = await gitServer(fixture.home, "t0ken");
  const git = { url: `${server.url}/repository/.git`, path: "stacks/northwind" };
  const wrong = { ...git, token: { file: fixture.write("token", "wrong") } };
  for (const place of [git, wrong]) {
    const [event] = await fixture.reconcileOnce([{ git: place }]);
    expect(event?.failure?.message).toContain("refuses the credentials, or the access without any");
  }
});

it("is not stopped by a repository whose fetches hang, also at the same Git host", async () => {
  for (const name of ["hung", "healthy"]) {
    const folder = join(fixture.home, name);
    fixture.stack(`${name}/stacks/northwind`, [groupDocument(name)]);
    fixture.git(folder, "init", "--quiet", "--initial-branch=main");
    fixture.git(folder, "add", "--all");
    fixture.git(folder, "commit", "--quiet", "-m", "begin");
    for (const branch of ["next", "last"]) fixture.git(folder, "branch", branch);
  }
  await using server = await gitServer(fixture.home, "t0ken");
  const hanging = server.hangFetches("/hung/");
  const token = { file: fixture.write("token", "t0ken") };
  const git = { path: "stacks/northwind", token };
  const hung = ["main", "next", "last"].map((branch) => ({
    name: branch,
    git: { ...git, url: `${server.url}/hung/.git`, branch },
  }));
  const healthy = { git: { ...git, url: `${server.url}/healthy/.git` } };
  const reconciled: string[] = [];
  const stop = new AbortController();
  const ended = runController({
    config: readControllerConfig(fixture.config([...hung, healthy])),
    kinds,
    env: fixture.env,
    signal: stop.signal,
    onEvent: (event) => {
      if (event.event === "reconciliation") reconciled.push(`${event.source} ${event.result}`);
    },
  });
  await expect.poll(() => reconciled, { timeout: 30_000 }).toEqual(["northwind applied"]);
  expect(hanging()).toBe(1);
  stop.abort();
  await ended;
});

it("is not stopped by four servers that do not respond", async () => {
  const hung = Array.from({ length: 4 }, () => createServer(() => undefined));
  const urls = await Promise.all(hung.map((server) => listen(server)));
  // More of each than may run at the same time.
  const names = Array.from({ length: 20 }, (_, index) => `hung-${index}`);
  const sources = [
    ...names.map((name, index) => {
      const server = { url: urls[index % urls.length], apiKey: { env: "SVC_API_KEY" } };
      return { name, folder: fixture.stack(name, [], {}, name), server };
    }),
    { folder: fixture.stack("healthy", [groupDocument("north")]) },
  ];
  const reconciled: string[] = [];
  const stop = new AbortController();
  const ended = runController({
    config: readControllerConfig(fixture.config(sources, { concurrency: { total: 17 } })),
    kinds,
    env: fixture.env,
    signal: stop.signal,
    onEvent: (event) => {
      if (event.event === "reconciliation") reconciled.push(`${event.source} ${event.result}`);
    },
  });
  await expect.poll(() => reconciled, { timeout: 20_000 }).toEqual(["northwind applied"]);
  stop.abort();
  for (const server of hung) server.closeAllConnections();
  await ended;
  for (const server of hung) server.close();
});

it("says what a reconciliation in progress waits for, before its time is over", async () => {
  const hung = createServer(() => undefined);
  const server = { url: await listen(hung), apiKey: { env: "SVC_API_KEY" } };
  fixture.env["VERA"] = "viewer-token-not-to-be-seen";
  const listening = {
    port: 0,
    tokens: [{ name: "vera", role: "viewer", secret: { env: "VERA" } }],
  };
  const file = fixture.config([{ folder: fixture.stack("northwind", []), server }], {
    listen: listening,
  });
  let url = "";
  const stop = new AbortController();
  const ended = runController({
    config: readControllerConfig(file),
    kinds,
    env: fixture.env,
    signal: stop.signal,
    onEvent: (event) => {
      if (event.event === "started") url = event.listening ?? "";
    },
  });
  const begin = Date.now();
  const get = async (path: string): Promise<string> => {
    const headers = { authorization: `Bearer ${fixture.env["VERA"]}` };
    return (await fetch(`${url}${path}`, { headers })).text();
  };
  const running = {
    since: expect.stringMatching(/^\d{4}-/u),
    phase: "plan",
    host: new URL(server.url).host,
  };
  await expect
    .poll(async () => (url === "" ? {} : JSON.parse(await get("/api/sources"))), {
      timeout: 20_000,
    })
    .toMatchObject({ sources: [{ name: "northwind", health: "unknown", running }] });
  expect(JSON.parse(await get("/status"))).toMatchObject({ sources: [{ running }] });
  // One source that hangs does not take the page and the webhooks of all from a load balancer.
  expect(JSON.parse(await get("/readyz"))).toEqual({ status: "ready" });
  const metrics = await get("/metrics");
  expect(metrics).toContain("svc_controller_in_progress 1\n");
  const [, oldest] =
    /^svc_controller_oldest_in_progress_timestamp_seconds (\S+)/mu.exec(metrics) ?? [];
  expect(Math.abs(Number(oldest) * 1000 - begin)).toBeLessThan(60_000);
  // Another process sees it in the state, until the one that wrote it is gone for a while.
  const listed = (ms: number) =>
    savedOverviews(readControllerConfig(file), new Date(Date.now() + ms));
  expect(await listed(0)).toMatchObject([{ running }]);
  expect(await listed(120_000)).toMatchObject([{ running: undefined }]);
  stop.abort();
  hung.closeAllConnections();
  await ended;
  hung.close();
  expect(await listed(0)).toMatchObject([{ running: undefined }]);
});
