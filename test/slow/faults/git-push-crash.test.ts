// Tests a server that is killed during a push to a Git remote: the commit is pushed once, and nothing is lost.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createRemote, remotesFolder } from "../../support/git-remotes.ts";
import { spawnServer } from "../../wire/server-process.ts";

const model = "model/cubes/orders.yml";
const build = "/build/api/v1/deployments/1";
let folder: string;
let server: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-push-"));
});
afterEach(() => {
  server?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function startServer() {
  const { child, url, apiKey } = await spawnServer(folder, {
    options: ["--git-folder", remotesFolder],
    // The files of the killed server are removed with the folder.
    env: { ...process.env, TMPDIR: folder },
  });
  server = child;
  return {
    child,
    call: async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const answer = await fetch(`${url}${build}${path}`, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      const value = (await answer.json()) as Record<string, unknown>;
      expect([path, answer.status, value]).toEqual([path, 200, value]);
      return value;
    },
  };
}

it(
  "a server that is killed before the remote answers pushes the commit once",
  { timeout: 120_000 },
  async () => {
    const remote = createRemote();
    remote.commit({ [model]: "cubes: []\n" }, "Begin");
    const { child, call } = await startServer();
    await call("POST", "/git/connect", { remoteUrl: remote.path });
    const began = join(folder, "began");
    const script = join(remote.path, "hooks/post-receive");
    mkdirSync(dirname(script));
    writeFileSync(script, `#!/bin/sh\ntouch "${began}"\nsleep 60\n`);
    chmodSync(script, 0o755);
    await call("POST", "/dev-mode", { branchName: "main" });
    const files = [{ path: model, content: "cubes: [] # pushed\n" }];
    await call("PUT", "/data-model/files", { files });
    const committed = call("POST", "/commit", { message: "Pushed" }).catch(() => undefined);
    const killed = once(child, "exit");
    await expect.poll(() => existsSync(began), { timeout: 30_000 }).toBe(true);
    child.kill("SIGKILL");
    await killed;
    await committed;
    rmSync(script);
    const restarted = await startServer();
    await restarted.call("POST", "/pull", { branchName: "main" });
    expect(remote.log()).toEqual(["Pushed", "Begin"]);
    expect(remote.files()).toEqual({ [model]: "cubes: [] # pushed\n" });
    expect(await restarted.call("GET", "/git")).toMatchObject({ status: "synced" });
  },
);
