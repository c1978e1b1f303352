// Tests the status of commits that a controller sets at a Git host: what is set, once, over a restart, and what is tried again.
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readControllerConfig } from "../../controller/read-config.ts";
import type { ReconciliationEvent } from "../../controller/events.ts";
import { openNotifier } from "../../controller/notifier.ts";
import type { DeadLetter } from "../../controller/notification-outbox.ts";
import {
  type GitHostServer,
  hostRepository,
  hostToken,
  startGitHost,
} from "../support/git-host-server.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
  startTime,
} from "./fixture.ts";

const hour = 3_600_000;
const commit = "0123456789abcdef0123456789abcdef01234567";
let fixture: ControllerFixture;
let server: GitHostServer;

beforeEach(async () => {
  fixture = await openControllerFixture();
  server = await startGitHost("gitea");
  fixture.env["FORGE_TOKEN"] = hostToken;
});
afterEach(async () => {
  await fixture.close();
  await server.close();
  expect(server.unknown).toEqual([]);
});

const target = () => ({
  name: "forge",
  type: "gitea",
  host: "https://git.example.com/",
  api: server.api,
  token: { env: "FORGE_TOKEN" },
  link: "https://gitops.example.com/",
});
const git = { url: `https://git.example.com/${hostRepository}.git` };
const event: ReconciliationEvent = {
  time: startTime.toISOString(),
  event: "reconciliation",
  source: "northwind",
  mode: "apply",
  result: "applied",
  seconds: 1,
  commit,
};

/** Opens the notifier of a source at the host; its own clock counts the pauses. */
function open(more: object = {}, ofTarget: object = {}) {
  const sources = [{ folder: undefined, git, ...more }];
  const statuses = [{ ...target(), ...ofTarget }];
  const config = readControllerConfig(fixture.config(sources, { statuses }));
  const pauses: number[] = [];
  const dead: DeadLetter[] = [];
  const clock = {
    now: () => startTime,
    monotonicMs: () => 0,
    wait: async (ms: number) => {
      pauses.push(ms);
      await turn();
    },
  };
  const { env } = fixture;
  const notifier = openNotifier({ config, env, clock, onFailed: (one) => dead.push(one) });
  return { notifier, pauses, dead };
}

describe("the status of a commit", () => {
  it("is set once for each result, with a link to the source", async () => {
    const { notifier } = open();
    const held = { plan: "p1", deletes: 3, allowed: 0 };
    const failure = { code: "unreachable", message: "the server\ncannot be reached" };
    const results = [
      event,
      event,
      { ...event, result: "suspended" },
      { ...event, result: "held", held },
      { ...event, result: "failed", failure },
      { ...event, result: "failed", failure },
      { ...event, result: "changes", mode: "plan" },
      { ...event, commit: undefined, result: "failed" },
    ] as readonly ReconciliationEvent[];
    for (const one of results) {
      await notifier.notify(one);
      await notifier.flush();
    }
    const link = "https://gitops.example.com/#/northwind";
    expect(server.statuses).toEqual([
      {
        sha: commit,
        state: "success",
        context: "svc/northwind",
        description: "Applied",
        target_url: link,
      },
      expect.objectContaining({
        state: "pending",
        description: "Waits for an approval of plan p1",
      }),
      expect.objectContaining({ state: "failure", description: "the server cannot be reached" }),
      expect.objectContaining({ state: "success" }),
    ]);
  });

  it("is tried again as the host asks, and a refusal for good is a dead letter that stops no other", async () => {
    const { notifier, pauses, dead } = open();
    server.disturbances.push(
      { status: 503 },
      { status: 429, headers: { "retry-after": "600" } },
      { status: 404, body: { message: "no such repository" } },
    );
    notifier.start("forge");
    await notifier.notify(event);
    await notifier.notify({ ...event, commit: commit.replace("0", "f"), result: "failed" });
    while (server.statuses.length === 0) await turn();
    expect(pauses).toEqual([5000, 600_000]);
    expect(dead).toMatchObject([{ target: "forge", type: "status", attempts: 3 }]);
    expect(dead[0]?.error).toContain("no such repository");
    expect(server.statuses).toMatchObject([{ state: "failure" }]);
    await notifier.stop();
    expect(JSON.stringify(await notifier.status())).not.toContain(hostToken);
  });

  it("has the description of a template", async () => {
    const { notifier } = open({}, { template: "{{source}}: {{result}}" });
    await notifier.notify(event);
    await notifier.flush();
    expect(server.statuses).toMatchObject([{ description: "northwind: applied" }]);
  });

  it("that waits is replaced by the next one of its commit", async () => {
    const { notifier } = open();
    await notifier.notify(event);
    await notifier.notify({ ...event, result: "failed" });
    expect((await notifier.status()).pending).toBe(1);
    await notifier.flush();
    expect(server.statuses).toMatchObject([{ state: "failure" }]);
  });

  it("that the host refuses for good is set again with the next start only", async () => {
    const { notifier, dead } = open();
    server.disturbances.push({ status: 404, body: {} });
    for (let turns = 0; turns < 2; turns++) {
      await notifier.notify(event);
      await notifier.flush();
    }
    expect([dead.length, (await notifier.status()).dead.length]).toEqual([1, 1]);
    fixture.write("state/sources/northwind/history.json", JSON.stringify([event]));
    const { notifier: restarted } = open();
    for (let turns = 0; turns < 2; turns++) {
      await restarted.notify(event);
      await restarted.flush();
    }
    expect(server.statuses).toMatchObject([{ state: "success" }]);
    expect(await restarted.status()).toEqual({ pending: 0, dead: [] });
  });

  it("is set for the sources of a pattern", async () => {
    fixture.stack(`${hostRepository}/stacks/acme`, [groupDocument("acme")], {}, "acme");
    const repository = path.join(fixture.home, hostRepository);
    fixture.git(repository, "init", "--quiet");
    fixture.git(repository, "add", "--all");
    fixture.git(repository, "commit", "--quiet", "--message", "begin");
    const more = { statuses: [{ ...target(), host: `${fixture.home}/` }] };
    await fixture.start([{ name: "tenants", git: { url: repository, path: "stacks/*" } }], more);
    const contexts = () => server.statuses.map(({ context }) => context);
    await expect.poll(contexts, { timeout: 20_000 }).toEqual(["svc/tenants", "svc/tenants-acme"]);
  });

  it("is not set for a repository elsewhere", async () => {
    const { notifier } = open({ git: { url: "https://other.example.com/acme/platform" } });
    await notifier.notify(event);
    await notifier.flush();
    expect(server.requests).toEqual([]);
  });

  it("follows the commits of a repository, and is not set again after a restart", async () => {
    fixture.stack(`${hostRepository}/stack`, [groupDocument("north")]);
    const repository = path.join(fixture.home, hostRepository);
    const commitAll = (): string => {
      fixture.git(repository, "add", "--all");
      fixture.git(repository, "commit", "--quiet", "--message", "a change");
      return fixture.git(repository, "rev-parse", "HEAD").trim();
    };
    fixture.git(repository, "init", "--quiet");
    const first = commitAll();
    const more = { statuses: [{ ...target(), host: `${fixture.home}/` }] };
    const sources = [{ git: { url: repository, path: "stack" }, interval: "1h" }];
    const running = await fixture.start(sources, more);
    fixture.write(`${hostRepository}/stack/documents.yaml`, "kind: UserGruop\n");
    const second = commitAll();
    await running.advanceAndWait(hour);
    await running.advanceAndWait(hour);
    while (server.statuses.length < 2) await turn();
    await running.stop();
    const again = await fixture.start(sources, more);
    await again.advanceAndWait(hour);
    expect(server.statuses.map(({ sha, state }) => [sha, state])).toEqual([
      [first, "success"],
      [second, "failure"],
    ]);
  });
});
