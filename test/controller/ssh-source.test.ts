// Tests a controller whose repository is on a real SSH server: which keys it offers, which host it trusts, and the reasons of
// failures.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { hasSshServer, type SshServer, startSshServer, whyNoSsh } from "../support/ssh-server.ts";
import { type ControllerFixture, groupDocument, openControllerFixture } from "./fixture.ts";

describe.skipIf(!hasSshServer)(`a repository over SSH${whyNoSsh}`, () => {
  let fixture: ControllerFixture;
  let server: SshServer;
  let repository: string;
  beforeEach(async () => {
    fixture = await openControllerFixture();
    server = await startSshServer();
    repository = join(fixture.home, "repository");
    fixture.stack("repository/stacks/northwind", [groupDocument("north")]);
    fixture.git(repository, "init", "--quiet", "--initial-branch=main");
    commit("begin");
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await fixture.close();
  });

  function commit(message: string): string {
    fixture.git(repository, "add", "--all");
    fixture.git(repository, "commit", "--quiet", "-m", message);
    return fixture.git(repository, "rev-parse", "HEAD").trim();
  }

  const source = (more: object = {}) => ({
    git: {
      url: server.url(repository),
      branch: "main",
      path: "stacks/northwind",
      knownHosts: fixture.write("hosts", `${server.knownHosts}\n`),
      sshKey: server.key,
      ...more,
    },
  });

  async function reasonOf(more: object): Promise<string> {
    const [event] = await fixture.reconcileOnce([source(more)]);
    expect(event).toMatchObject({ result: "failed", failure: { code: "unavailable" } });
    expect(await fixture.groupNames()).toEqual([]);
    return event?.failure?.message ?? "";
  }

  it("is followed with the key and the host keys of the source", async () => {
    const running = await fixture.start([source()]);
    expect(running.events[1]).toMatchObject({ result: "applied" });
    fixture.stack("repository/stacks/northwind", [groupDocument("north"), groupDocument("south")]);
    const pushed = commit("south");
    expect(await running.advanceAndWait(60_000)).toMatchObject({
      result: "applied",
      commit: pushed,
    });
    expect(await fixture.groupNames()).toEqual(["north", "south"]);
  });

  it("is offered no other key than that of the source, also if an agent has it", async () => {
    const agent = execFileSync("ssh-agent", ["-s"], { encoding: "utf8" });
    const [, socket = ""] = /SSH_AUTH_SOCK=([^;]+)/u.exec(agent) ?? [];
    const [, pid = ""] = /SSH_AGENT_PID=(\d+)/u.exec(agent) ?? [];
    try {
      fixture.env["SSH_AUTH_SOCK"] = socket;
      const env = { ...process.env, SSH_AUTH_SOCK: socket };
      execFileSync("ssh-add", ["-q", server.key], { env, stdio: "ignore" });
      expect(await reasonOf({ sshKey: server.otherKey })).toMatch(
        /^git ls-remote failed: \S+@127\.0\.0\.1: Permission denied \(publickey\)\.$/u,
      );
      // Without one, the keys of the user are offered.
      expect(await fixture.reconcileOnce([source({ sshKey: undefined })])).toMatchObject([
        { result: "applied" },
      ]);
    } finally {
      process.kill(Number(pid));
    }
  });

  it("is not read with a key that others can read, and the reason says so", async () => {
    const sshKey = join(fixture.home, "open-key");
    copyFileSync(server.key, sshKey);
    chmodSync(sshKey, 0o644);
    expect(await reasonOf({ sshKey })).toContain(`Load key "${sshKey}": bad permissions`);
  });

  it("is not read from a host whose key is unknown or has changed, and the reason tells them apart", async () => {
    const other = server.knownHosts.replace(/^\S+/u, "other.example");
    expect(await reasonOf({ knownHosts: fixture.write("hosts-2", `${other}\n`) })).toMatch(
      /: No ED25519 host key is known for \[127\.0\.0\.1\]:\d+ .*; Host key verification failed\.$/u,
    );
    const changed = fixture.write("hosts-3", `${server.changedHosts}\n`);
    expect(await reasonOf({ knownHosts: changed })).toMatch(
      /: Host key for \[127\.0\.0\.1\]:\d+ has changed .*; Host key verification failed\.$/u,
    );
  });

  it("fails in time if the server hangs", { timeout: 4 * limits.gitResolveMs }, async () => {
    server.hang();
    const startedMs = performance.now();
    expect(await reasonOf({})).toMatch(/: (?:it took too long|Connection .* timed out)/u);
    expect(performance.now() - startedMs).toBeLessThan(2 * limits.gitResolveMs);
  });
});
