// Tests a controller over real Git repositories: it follows pushes, is safe from untrusted content, and recovers from
// failures.
import { once } from "node:events";
import { existsSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControllerFixture, groupDocument, openControllerFixture } from "./fixture.ts";
import { makeAuthority } from "../support/certificates.ts";
import { spawnSvc } from "../support/svc-program.ts";
import { lfsPointer } from "../support/git-remotes.ts";
import { gitServer, secureGitServer } from "../support/git-server.ts";

let fixture: ControllerFixture;
let repository: string;
beforeEach(async () => {
  fixture = await openControllerFixture();
  repository = join(fixture.home, "repository");
  fixture.stack("repository/stacks/northwind", [groupDocument("north")]);
  fixture.git(repository, "init", "--quiet", "--initial-branch=main");
  commit("begin");
});
afterEach(() => fixture.close());

const minute = 60_000;
const source = () => ({ git: { url: repository, branch: "main", path: "stacks/northwind" } });

function commit(message: string, ...how: readonly string[]): string {
  fixture.git(repository, "add", "--all");
  fixture.git(repository, "commit", "--quiet", "--allow-empty", "-m", message, ...how);
  return fixture.git(repository, "rev-parse", "HEAD").trim();
}

describe("a repository", () => {
  it("is followed: a pushed commit is applied, and the history names it", async () => {
    const running = await fixture.start([source()]);
    expect(running.events[1]).toMatchObject({ result: "applied" });
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "unchanged" });
    fixture.stack("repository/stacks/northwind", [groupDocument("north"), groupDocument("south")]);
    const pushed = commit("south");
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "applied",
      commit: pushed,
    });
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
    // One checkout, the inventory outside of it, and no files of Git.
    const own = join(fixture.home, "state/sources/northwind");
    expect(readdirSync(join(own, "checkouts"))).toEqual([pushed]);
    expect(readdirSync(join(own, "kept/.svc"))).toEqual(["northwind.inventory.json"]);
  });

  it("has the places of its errors from its root on", async () => {
    fixture.stack("repository/stacks/northwind", [{ ...groupDocument("north"), spec: { nam: 1 } }]);
    commit("typo");
    const [invalid] = await fixture.reconcileOnce([source()]);
    expect(invalid?.result).toBe("invalid");
    const folders = invalid?.diagnostics?.map(({ place = "" }) => dirname(place));
    expect(new Set(folders)).toEqual(new Set(["stacks/northwind"]));
  });

  it("is fetched again if its checkout was removed", async () => {
    const running = await fixture.start([source()]);
    rmSync(join(fixture.home, "state/sources/northwind/checkouts"), { recursive: true });
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "unchanged",
      unchanged: 1,
    });
  });

  it("may be followed by a tag, also an annotated one", async () => {
    fixture.git(repository, "tag", "-a", "v1", "-m", "One.");
    const at = fixture.git(repository, "rev-parse", "HEAD").trim();
    const { git } = source();
    const tagged = { git: { ...git, branch: undefined, ref: "refs/tags/v1" } };
    const running = await fixture.start([tagged]);
    expect(running.events[1]).toMatchObject({ result: "applied", commit: at });
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "unchanged", commit: at });
  });

  it("may be force-pushed", async () => {
    const running = await fixture.start([source()]);
    fixture.stack("repository/stacks/northwind", [groupDocument("north", "Rewritten.")]);
    const pushed = commit("rewritten", "--amend");
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "applied",
      commit: pushed,
    });
  });

  it("with invalid manifests changes nothing until the next commit", async () => {
    const running = await fixture.start([source()]);
    fixture.write("repository/stacks/northwind/documents.yaml", "kind: UserGruop\n");
    const wrong = commit("wrong");
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "invalid",
      commit: wrong,
    });
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "invalid" });
    expect(await fixture.groupNames()).toEqual(["north"]);
    fixture.stack("repository/stacks/northwind", [groupDocument("north"), groupDocument("south")]);
    commit("right");
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "applied" });
  });

  it("that is missing is retried with growing delays, and followed again", async () => {
    const running = await fixture.start([{ ...source(), interval: "10m" }]);
    renameSync(repository, `${repository}-away`);
    const pauses: number[] = [];
    let pause = 10 * minute;
    for (let round = 0; round < 6; round++) {
      const reconciliation = await running.advanceAndWait(pause);
      expect(reconciliation).toMatchObject({ result: "failed", failure: { code: "unavailable" } });
      pause = Date.parse(reconciliation.next ?? "") - Date.parse(reconciliation.time);
      pauses.push(pause / 1000);
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 600]);
    renameSync(`${repository}-away`, repository);
    expect(await running.advanceAndWait(15 * minute)).toMatchObject({ result: "unchanged" });
    expect(await fixture.groupNames()).toEqual(["north"]);
  });

  it("without its branch or folder fails with a clear message", async () => {
    const { git } = source();
    const [reconciliation] = await fixture.reconcileOnce([{ git: { ...git, branch: "release" } }]);
    expect(reconciliation?.failure?.message).toBe("the repository has no refs/heads/release");
    const [other] = await fixture.reconcileOnce([{ git: { ...git, path: "stacks/nowhere" } }]);
    expect(other?.failure?.message).toContain("has no folder stacks/nowhere");
  });

  it("keeps its last commit in the status while it is away, with the failure and its start", async () => {
    const at = fixture.git(repository, "rev-parse", "HEAD").trim();
    const running = await fixture.start([source()], { listen: { port: 0 } });
    const status = async () => {
      const answer = await fetch(`${running.url()}/status`);
      return ((await answer.json()) as { sources: readonly object[] }).sources[0];
    };
    expect(await status()).toMatchObject({ commit: at });
    expect(await status()).not.toHaveProperty("failingSince");
    renameSync(repository, `${repository}-away`);
    const first = await running.advanceAndWait(minute);
    await running.advanceAndWait(minute);
    expect(await status()).toMatchObject({
      commit: at,
      failingSince: first.time,
      lastReconciliation: { result: "failed", failures: 2, failure: { code: "unavailable" } },
    });
    expect(await status()).not.toHaveProperty("failure");
    renameSync(`${repository}-away`, repository);
    await running.advanceAndWait(15 * minute);
    expect(await status()).toMatchObject({ commit: at });
    expect(await status()).not.toHaveProperty("lastReconciliation.failure");
    expect(await status()).not.toHaveProperty("failingSince");
  });

  it("has no inventory of its own, and hidden links are not followed", async () => {
    const outside = fixture.stack("outside", [groupDocument("stolen")]);
    symlinkSync(outside, join(repository, "stacks/northwind/.svc"));
    fixture.write("repository/stacks/.svc/x", "x");
    commit("links");
    const [reconciliation] = await fixture.reconcileOnce([source()]);
    expect(reconciliation).toMatchObject({ result: "applied" });
    expect(await fixture.groupNames()).toEqual(["north"]);
    expect(readdirSync(outside).toSorted()).toEqual(["documents.yaml", "stack.yaml"]);
  });
  it("with a submodule or a Git LFS pointer changes nothing, and names the file", async () => {
    const running = await fixture.start([source()]);
    const files = "stacks/northwind/model";
    for (const [add, what] of [
      [
        () => {
          fixture.write(`repository/${files}/orders.csv`, lfsPointer);
          fixture.git(repository, "add", "stacks");
        },
        `${files}/orders.csv is a Git LFS pointer`,
      ],
      [
        (at: string) =>
          fixture.git(repository, "update-index", "--add", "--cacheinfo", `160000,${at},${files}`),
        `${files} is a submodule`,
      ],
    ] as const) {
      fixture.stack("repository/stacks/northwind", []);
      const at = commit("before");
      add(at);
      fixture.git(repository, "commit", "--quiet", "-m", "unfollowed");
      expect(await running.advanceAndWait(minute)).toMatchObject({
        result: "failed",
        failure: { code: "refused", message: expect.stringContaining(what) },
      });
      expect(await fixture.groupNames()).toEqual(["north"]);
      fixture.git(repository, "reset", "--quiet", "--hard", "HEAD~2");
    }
  });

  it("runs nothing: neither hooks, nor filters, nor submodules", async () => {
    fixture.write("repository/stacks/northwind/.gitattributes", "*.yaml filter=evil\n");
    const mark = join(fixture.home, "it-ran");
    fixture.git(repository, "config", "filter.evil.smudge", `touch ${mark}`);
    fixture.write("repository/.githooks/post-checkout", `#!/bin/sh\ntouch ${mark}\n`);
    fixture.write(
      "repository/.gitmodules",
      `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch ${mark}"\n`,
    );
    commit("evil");
    expect(await fixture.reconcileOnce([source()])).toMatchObject([{ result: "applied" }]);
    expect(existsSync(mark)).toBe(false);
  });
});

describe("a remote repository", () => {
  it("over HTTPS is trusted by the authority of `ca`, and the failure without it has the reason", async () => {
    const authority = await makeAuthority();
    const certificate = await authority.issue(["127.0.0.1"]);
    await using server = await secureGitServer(fixture.home, certificate, "t0ken");
    const token = { file: fixture.write("token", "t0ken") };
    const url = `${server.url}/repository/.git`;
    const git = { url, branch: "main", path: "stacks/northwind", token };
    const [refused] = await fixture.reconcileOnce([{ git }]);
    expect(refused).toMatchObject({ result: "failed", failure: { code: "unavailable" } });
    expect(refused?.failure?.message).toMatch(/unable to access .*certificate/iu);
    const ca = fixture.write("authority.pem", authority.cert);
    expect(await fixture.reconcileOnce([{ git: { ...git, ca } }])).toMatchObject([
      { result: "applied" },
    ]);
  });
});

describe("a failed reconciliation", () => {
  it("is retried with growing delays; a new commit is reconciled immediately", async () => {
    const running = await fixture.start([{ ...source(), retry: { first: "10m" } }]);
    fixture.proxy.armAnyCall(1, "html", 10_000);
    const reconciliation = await running.advanceAndWait(minute);
    expect(reconciliation).toMatchObject({ result: "failed", failures: 1 });
    fixture.proxy.arm();
    // During its pause, the commit is not retried, regardless of the number of reconciliations.
    await running.advanceClock(minute);
    await running.advanceClock(minute);
    expect(running.events.at(-1)).toBe(reconciliation);
    fixture.stack("repository/stacks/northwind", [groupDocument("north"), groupDocument("south")]);
    commit("south");
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "applied" });
  });

  it("counts for its commit even before the fetch, and the next commit is reconciled immediately", async () => {
    const running = await fixture.start([{ ...source(), retry: { first: "10m" } }]);
    renameSync(join(repository, "stacks/northwind"), join(repository, "stacks/moved"));
    const wrong = commit("moved");
    const reconciliation = await running.advanceAndWait(minute);
    expect(reconciliation).toMatchObject({
      result: "failed",
      commit: wrong,
      failure: { code: "not_found" },
    });
    await running.advanceClock(minute);
    await running.advanceClock(minute);
    expect(running.events.at(-1)).toBe(reconciliation);
    renameSync(join(repository, "stacks/moved"), join(repository, "stacks/northwind"));
    const movedBack = commit("moved back");
    expect(await running.advanceAndWait(minute)).toMatchObject({
      result: "unchanged",
      commit: movedBack,
    });
  });

  it("is retried at its time although the clock was set back, and a success resets the count", async () => {
    const running = await fixture.start([{ ...source(), retry: { first: "3m" } }]);
    fixture.proxy.armAnyCall(1, "html", 10_000);
    await running.advanceAndWait(minute);
    fixture.proxy.arm();
    running.setDateBack(60 * minute);
    await running.advanceClock(minute);
    await running.advanceClock(minute);
    expect(await running.advanceAndWait(minute)).toMatchObject({ result: "unchanged" });
    expect(running.events.at(-1)).not.toHaveProperty("failures");
  });
});

it("ends the pause after a failure by a webhook, and reconciles the same commit", async () => {
  const webhook = { file: fixture.write("hook-secret", "s") };
  const paused = { ...source(), interval: "1h", retry: { first: "1h", max: "1h" }, webhook };
  const running = await fixture.start([paused], { listen: { port: 0 } });
  const hook = async () => {
    const headers = { "x-gitlab-token": "s" };
    const answer = await fetch(`${running.url()}/hook/northwind`, { method: "POST", headers });
    expect(answer.status).toBe(202);
  };
  fixture.proxy.armAnyCall(1, "html", 10_000);
  fixture.stack("repository/stacks/northwind", [groupDocument("north"), groupDocument("south")]);
  const wrong = commit("south");
  await hook();
  const failed = await running.advanceAndWait(minute);
  expect(failed).toMatchObject({ result: "failed", commit: wrong, failures: 1 });
  fixture.proxy.arm();
  await running.advanceClock(minute);
  expect(running.events.at(-1)).toBe(failed);
  await hook();
  expect(await running.advanceAndWait(minute)).toMatchObject({ result: "applied", commit: wrong });
  expect(await fixture.groupNames()).toContain("south");
});

it("triggers every source of a repository by one webhook", async () => {
  const webhook = { file: fixture.write("hook-secret", "s") };
  const { git } = source();
  const sources = [
    { ...source(), interval: "1h", webhook },
    {
      name: "other",
      stack: "northwind",
      mode: "plan",
      git: { ...git, url: `${git.url}/` },
      interval: "1h",
    },
  ];
  const running = await fixture.start(sources, { listen: { port: 0 } });
  const headers = { "x-gitlab-token": "s" };
  const answer = await fetch(`${running.url()}/hook/northwind`, { method: "POST", headers });
  expect(answer.status).toBe(202);
  const triggered = running.events.flatMap((one) => (one.event === "webhook" ? one.source : []));
  expect(triggered).toEqual(["northwind", "other"]);
});

describe("two controllers", () => {
  it("cannot share a state folder", async () => {
    await fixture.start([source()]);
    await expect(fixture.start([source()])).rejects.toMatchObject({
      code: "locked",
      message: expect.stringContaining("another controller uses"),
    });
  });

  it("with one inventory never write at the same time", async () => {
    const folder = fixture.stack(
      "shared",
      ["a", "b", "c", "d"].map((name) => groupDocument(name)),
    );
    const twice = ["one", "two"].map((state) =>
      fixture.start([{ folder }], { state }).then(({ events }) => events[1]),
    );
    const results = (await Promise.all(twice)).map(
      (event) => event?.event === "reconciliation" && event.result,
    );
    expect(results).toContain("applied");
    expect(await fixture.groupNames()).toEqual(["a", "b", "c", "d"]);
  });
});

it("that is killed continues in the next run, and creates nothing twice", async () => {
  fixture.stack(
    "repository/stacks/northwind",
    ["a", "b", "c"].map((name) => groupDocument(name)),
  );
  commit("three");
  const args = ["controller", "--config", fixture.config([source()])];
  const child = await spawnSvc(args, { env: fixture.env, stdio: "ignore" });
  // One call creates the three groups.
  fixture.proxy.arm(1, async () => {
    child.kill("SIGKILL");
    return "pass";
  });
  await once(child, "close");
  await fixture.proxy.idle();
  fixture.proxy.arm();
  expect(child.signalCode).toBe("SIGKILL");
  expect(await fixture.reconcileOnce([source()])).toMatchObject([{ result: "applied" }]);
  expect(await fixture.groupNames()).toEqual(["a", "b", "c"]);
  expect(await fixture.reconcileOnce([source()])).toMatchObject([
    { result: "unchanged", unchanged: 3 },
  ]);
});

describe("a token", () => {
  it("is sent to its own server only, and never shown", async () => {
    const token = "glpat-not-to-be-seen";
    await using server = await gitServer(fixture.home, token);
    const file = fixture.write("token", `${token}\n`);
    const git = { url: `${server.url}/repository/.git`, path: "stacks/northwind", token: { file } };
    const running = await fixture.start([{ git }], { listen: { port: 0 } });
    expect(running.events[1]).toMatchObject({ result: "applied" });
    fixture.write("token", "another-that-is-wrong");
    const failed = await running.advanceAndWait(minute);
    expect(failed).toMatchObject({ result: "failed", failure: { code: "unavailable" } });
    const shown = [JSON.stringify(running.events)];
    for (const path of ["/status", "/metrics"]) {
      shown.push(await (await fetch(`${running.url()}${path}`)).text());
    }
    for (const secret of [token, "another-that-is-wrong", fixture.service.adminKey]) {
      const encoded = Buffer.from(`x-access-token:${secret}`).toString("base64");
      expect(shown.filter((text) => text.includes(secret) || text.includes(encoded))).toEqual([]);
    }
    rmSync(file);
  });
});
