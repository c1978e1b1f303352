// Tests the replicas of a controller as processes on one database: they share the sources, and one that is killed or cut off
// loses its share to the others.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import type { SourceList, SourceOverview } from "../../../controller/api-types.ts";
import type { ControllerEvent } from "../../../controller/events.ts";
import { limits } from "../../../core/limits/limits.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
} from "../../controller/fixture.ts";
import { runSvc } from "../../golden/run-cli.ts";
import { findPostgres, runSql, startPostgres } from "../../support/postgres-server.ts";
import { spawnSvc, svcProgram } from "../../support/svc-program.ts";
import { createTestDatabase, type TestDatabase } from "../../support/test-database.ts";
import { documentText } from "../../support/test-stack.ts";

const token = "approver-token-of-this-test";
const stacks = ["s1", "s2", "s3", "s4"];
/** Until another replica has taken the leases of one that is gone. */
const takeoverMs = limits.controllerLeaseMs + 3 * limits.controllerPollMs;

let fixture: ControllerFixture;
let database: TestDatabase;
let running: Controller[];
beforeEach(async () => {
  // The first call of a run builds the program.
  await svcProgram();
  fixture = await openControllerFixture();
  database = await createTestDatabase();
  running = [];
  for (const name of stacks) writeStack(name, [name]);
  commit();
}, 300_000);
afterEach(async () => {
  for (const { child } of running) await stop(child, "SIGKILL");
  await database.drop();
  await fixture.close();
});

interface Controller {
  readonly child: ChildProcess;
  readonly url: string;
  readonly events: readonly ControllerEvent[];
  /** The sources that it works on. */
  works(): readonly string[];
  send<T>(method: string, path: string, body?: object): Promise<T>;
}

const repository = (): string => join(fixture.home, "repository");

function writeStack(name: string, groups: readonly string[]): void {
  const folder = join(repository(), "stacks", name);
  mkdirSync(folder, { recursive: true });
  const stack = { apiVersion: "svc/v1", kind: "Stack", metadata: { name } };
  const spec = { inventory: "service", policy: { prune: true } };
  writeFileSync(join(folder, "stack.yaml"), JSON.stringify({ ...stack, spec }));
  const documents = groups.map((group) => documentText(groupDocument(group)));
  writeFileSync(join(folder, "groups.yaml"), documents.join("\n---\n"));
}

function commit(): void {
  fixture.git(fixture.home, "init", "--quiet", "repository");
  fixture.git(repository(), "add", "--all");
  fixture.git(repository(), "commit", "--quiet", "--message", "stacks");
}

function pattern(more: object = {}): object {
  const git = { url: repository(), path: "stacks/*" };
  return { name: "all", git, webhook: { env: "HOOK" }, ...more };
}

/** Starts a replica with a state folder of its own. */
async function start(
  name: string,
  { more = {}, env = {} }: { readonly more?: object; readonly env?: object } = {},
): Promise<Controller> {
  const config = {
    state: `state-${name}`,
    database: { env: "DATABASE" },
    listen: { port: 0, tokens: [{ name: "anna", role: "approver", secret: { env: "TOKEN" } }] },
    defaults: { mode: "apply", interval: "1h", retry: { first: "1s", max: "2s" } },
    sources: [pattern()],
    ...more,
  };
  const file = fixture.write(`${name}.json`, JSON.stringify(config));
  const child = await spawnSvc(["controller", "--config", file], {
    env: {
      ...fixture.env,
      DATABASE: database.data,
      TOKEN: token,
      HOOK: token,
      SVC_FINGERPRINT_KEY: "the key of all replicas of this test",
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const events: ControllerEvent[] = [];
  let rest = "";
  child.stdout?.on("data", (part) => {
    const lines = (rest + String(part)).split("\n");
    rest = lines.pop() ?? "";
    events.push(...lines.map((line) => JSON.parse(line) as ControllerEvent));
  });
  await until(() => events.length > 0 || child.exitCode !== null);
  const [started] = events;
  const url = (started?.event === "started" && started.listening) || "";
  const controller: Controller = {
    child,
    url,
    events,
    works: () => events.findLast((event) => event.event === "shared")?.sources ?? [],
    send: async (method, path, body) => {
      const response = await get(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as never;
    },
  };
  running.push(controller);
  return controller;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

/** Fails after a time. */
async function until(isDone: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${String(isDone)}`);
    await pause(50);
  }
}

const all = ["all", ...stacks.map((name) => `all-${name}`)];

/** Starts two replicas, and waits until they have shared the sources and applied all. */
async function startTwo(...options: Parameters<typeof start>[1][]): Promise<readonly Controller[]> {
  const two = await Promise.all(["one", "two"].map((name, at) => start(name, options[at])));
  await until(
    () =>
      two.every((each) => each.works().length >= 2) &&
      two
        .flatMap((each) => each.works())
        .toSorted()
        .join() === all.join(),
  );
  for (const each of two) {
    await until(async () => {
      const { sources } = await each.send<SourceList>("GET", "/api/sources");
      return sources.length === all.length && sources.every(({ health }) => health === "ok");
    });
  }
  return two;
}

/** Requests over a new connection: the server may close an idle one at any moment. */
function get(url: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set("connection", "close");
  return fetch(url, { ...options, headers });
}

/** Returns the sources in the metrics of a replica. */
async function measuredSources({ url }: Controller): Promise<readonly string[]> {
  const text = await (await get(`${url}/metrics`)).text();
  const series = text.matchAll(/^svc_controller_failing\{source="([^"]+)"\}/gmu);
  return [...series].map(([, source = ""]) => source);
}

async function callHook({ url }: Controller, expected = 202): Promise<void> {
  const headers = { "x-gitlab-token": token };
  const { status } = await get(`${url}/hook/all`, { method: "POST", headers, body: "{}" });
  expect(status).toBe(expected);
}

function results(controllers: readonly Controller[], source: string): readonly string[] {
  return controllers
    .flatMap(({ events }) => events)
    .flatMap((event) =>
      event.event === "reconciliation" && event.source === source ? [event.result] : [],
    );
}

/** Receives notifications until the test ends. Returns the configuration of a replica that sends them. */
async function receiveMessages() {
  const messages: string[] = [];
  const receiver = createServer((request, response) => {
    void json(request).then((body) => {
      const { type, data } = body as { type: string; data: { source: string } };
      messages.push(`${type} ${data.source}`);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const { port } = receiver.address() as AddressInfo;
  const env = {
    HOOK_URL: `http://127.0.0.1:${port}/`,
    HOOK_SECRET: `whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`,
  };
  const target = { url: { env: "HOOK_URL" }, secret: { env: "HOOK_SECRET" } };
  return { messages, env, more: { notify: [{ name: "ops", type: "webhook", ...target }] } };
}

it("share the sources, and each answers for all", async () => {
  // Also what the other replica has reconciled lets a source go on.
  const more = { sources: [pattern({ dependsOn: ["all-s1"] })] };
  const [one, two] = await startTwo({ more }, { more });
  if (one === undefined || two === undefined) return;
  expect(await fixture.groupNames()).toEqual(stacks);
  for (const name of stacks)
    expect(results([one, two], `all-${name}`).filter((result) => result === "applied")).toEqual([
      "applied",
    ]);
  // Each lists all, and its metrics have its own sources only.
  await until(async () => {
    const counted = await Promise.all([one, two].map(measuredSources));
    return (
      counted
        .flat()
        .toSorted((left, right) => left.localeCompare(right))
        .join() === all.join()
    );
  });
  // A command at the other replica reaches the one that works, and all see it.
  const source = two.works().find((name) => name !== "all") ?? "";
  const body = { reason: "test", expires: "1h" };
  await one.send("POST", `/api/sources/${source}/suspend`, body);
  await until(() => results([two], source).includes("suspended"));
  await until(async () => {
    const { health } = await two.send<SourceOverview>("GET", `/api/sources/${source}`);
    return health === "suspended";
  }, 2000);
  await one.send("POST", `/api/sources/${source}/resume`, {});
  await until(() => results([two], source).at(-1) === "unchanged");
  // So does a new commit that a source at the other finds: also the folders that a replica finds are shared.
  writeStack("s5", ["s5"]);
  writeStack(source.slice(4), [source.slice(4), "more"]);
  commit();
  await one.send("POST", `/api/sources/${one.works()[0]}/reconcile`, {});
  await until(async () => (await fixture.groupNames()).join() === ["more", ...stacks, "s5"].join());
  expect(results([one], source)).toEqual([]);
  // A replica that stops leaves its sources to the other at once.
  await stop(one.child, "SIGTERM");
  expect(one.child.exitCode).toBe(0);
  await until(() => two.works().length === all.length + 1, 4000);
}, 180_000);

it("go on for one that is killed while it applies, and nothing happens twice", async () => {
  const { messages, env, more } = await receiveMessages();
  const two = await startTwo({ more, env }, { more, env });
  const killed = two.find((each) => each.works().some((name) => name !== "all"));
  const other = two.find((each) => each !== killed);
  const source = killed?.works().find((name) => name !== "all") ?? "";
  if (killed === undefined || other === undefined) throw new Error("nobody works");
  // Killed when its call creates the groups, before it knows.
  const stack = source.slice(4);
  writeStack(stack, [stack, "n1", "n2", "n3"]);
  commit();
  let creates = 0;
  fixture.proxy.arm(
    1,
    async ({ path }) => {
      if (!path.endsWith("/user-groups/bulk")) return "pass";
      if (++creates === 1) await stop(killed.child, "SIGKILL");
      return "pass";
    },
    1_000_000,
  );
  await callHook(other);
  await until(() => creates > 0);
  // It shows the source before its first reconciliation ends, which waits for the lock of the inventory.
  await until(() => other.works().includes(source), takeoverMs);
  expect(await measuredSources(other)).toContain(source);
  expect(results([other], source)).toEqual([]);
  await until(
    () => ["applied", "unchanged"].includes(results([other], source).at(-1) ?? ""),
    takeoverMs + limits.leaseMs,
  );
  expect(creates).toBe(1);
  expect(other.works().toSorted()).toEqual(all);
  expect(await fixture.groupNames()).toEqual(["n1", "n2", "n3", ...stacks]);
  // A failure is told once, whoever reconciles.
  fixture.proxy.arm();
  writeStack(stack, ["${unset}"]);
  commit();
  await callHook(other);
  await until(() => messages.length > 0);
  const third = await start("three", { more, env });
  await until(() => third.works().length > 0 && other.works().length < all.length);
  await callHook(third);
  await until(() => results([other, third], source).filter((one) => one === "invalid").length >= 2);
  await pause(2 * limits.controllerPollMs);
  expect(messages).toEqual([`source.failing ${source}`]);
}, 300_000);

it("refuse what the others would not see, and commands read the database", async () => {
  fixture.stack("manifests", [groupDocument("north")]);
  const source = { name: "northwind", folder: join(fixture.home, "manifests") };
  const one = await start("one", { more: { sources: [source] } });
  await until(() => results([one], "northwind").length > 0);
  const event = one.events.find((each) => each.event === "reconciliation");
  expect(event).toMatchObject({
    result: "failed",
    failure: {
      code: "refused",
      message:
        "the inventory of the Stack northwind is a file, which the replicas of a controller do not share",
    },
  });
  expect(await fixture.groupNames()).toEqual([]);
  const config = join(fixture.home, "one.json");
  const env = { ...fixture.env, DATABASE: database.data, TOKEN: token, HOOK: token };
  const list = await runSvc(["controller", "list", "--config", config, "--json"], { env });
  const { sources } = JSON.parse(list.out) as SourceList;
  expect(sources).toMatchObject([{ name: "northwind", health: "failing", result: "failed" }]);
  await stop(one.child, "SIGTERM");
  const single = await runSvc(["controller", "--config", config, "--once"], { env });
  expect(single.err).toContain("--once is for a controller without replicas");
  const keyless = await runSvc(["controller", "--config", config], { env });
  expect(keyless.err).toContain("replicas need SVC_FINGERPRINT_KEY, the same for all");
}, 120_000);

it("say that the database hangs, stop their work, and go on when it answers", async () => {
  const source = findPostgres();
  if (source === undefined || "url" in source) return;
  const server = await startPostgres(source);
  let stopped: readonly number[] = [];
  try {
    const { messages, env, more } = await receiveMessages();
    const one = await start("one", {
      more: { ...more, defaults: { mode: "apply", interval: "1s" } },
      env: { ...env, DATABASE: server.url },
    });
    await until(() => one.works().length === all.length);
    await until(async () => (await get(`${one.url}/readyz`)).status === 200);
    stopped = await serverProcesses(server.url);
    for (const id of stopped) signalIfRunning(id, "SIGSTOP");
    await until(() => one.events.some(({ event }) => event === "state-failed"), 20_000);
    const [live, ready] = await Promise.all(
      ["healthz", "readyz"].map((path) => get(`${one.url}/${path}`)),
    );
    expect([live?.status, ready?.status]).toEqual([200, 503]);
    expect(await live?.json()).toMatchObject({ status: expect.stringContaining("state") });
    await callHook(one, 503);
    expect(one.events.filter(({ event }) => event === "webhook")).toEqual([]);
    await pause(limits.controllerLeaseMs + 2000);
    const count = one.events.filter(({ event }) => event === "reconciliation").length;
    await pause(3000);
    expect(one.events.filter(({ event }) => event === "reconciliation")).toHaveLength(count);
    for (const id of stopped) signalIfRunning(id, "SIGCONT");
    await until(() => one.events.some(({ event }) => event === "state-restored"));
    await until(
      () => one.events.filter(({ event }) => event === "reconciliation").length > count + 4,
    );
    expect((await get(`${one.url}/readyz`)).status).toBe(200);
    // Nothing failed but the database of the controller.
    const ends = all.flatMap((name) => results([one], name));
    expect(new Set(ends)).toEqual(new Set(["applied", "unchanged", "stopped"]));
    expect(messages).toEqual([]);
  } finally {
    for (const id of stopped) signalIfRunning(id, "SIGCONT");
    for (const { child } of running) await stop(child, "SIGKILL");
    await server.stop();
  }
}, 180_000);

/** Returns the processes of a server, with those of its connections. */
async function serverProcesses(url: string): Promise<readonly number[]> {
  // The process of a connection ends with it.
  const query = "select pid from pg_stat_activity where backend_type = 'checkpointer'";
  const [row] = (await runSql(url, query)) as { pid: number }[];
  const status = readFileSync(`/proc/${row?.pid}/status`, "utf8");
  const parent = /^PPid:\s+(\d+)$/mu.exec(status)?.[1] ?? "";
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8");
  return [parent, ...children.trim().split(" ")].map(Number);
}

function signalIfRunning(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // The process of a connection that was closed.
  }
}
