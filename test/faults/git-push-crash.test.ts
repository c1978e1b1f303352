// A server that is killed in the middle of a push to a Git remote: the commit is pushed once, and nothing is lost.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createRemote, remotesFolder } from "../support/git-remotes.ts";

const root = join(import.meta.dirname, "../..");
const model = "model/cubes/orders.yml";
const build = "/build/api/v1/deployments/1";
let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-push-"));
});
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20);
}

async function startServer() {
  const ready = join(folder, "ready.json");
  rmSync(ready, { force: true });
  const places = ["--data", join(folder, "data"), "--port", "0", "--ready-file", ready];
  const args = ["cli/main.ts", "serve", ...places, "--git-folder", remotesFolder];
  // What the killed server leaves is removed with the folder.
  const env = { ...process.env, TMPDIR: folder };
  const server = spawn(process.execPath, args, { cwd: root, stdio: "ignore", env });
  child = server;
  await until(() => existsSync(ready) || server.exitCode !== null);
  const { url, apiKey } = JSON.parse(readFileSync(ready, "utf8")) as Record<string, string>;
  return {
    server,
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
  "killed after the remote has the commit and before its answer",
  { timeout: 120_000 },
  async () => {
    const remote = createRemote();
    remote.commit({ [model]: "cubes: []\n" }, "Begin");
    const { server, call } = await startServer();
    await call("POST", "/git/connect", { remoteUrl: remote.path });
    const began = join(folder, "began");
    const script = join(remote.path, "hooks/post-receive");
    writeFileSync(script, `#!/bin/sh\ntouch "${began}"\nsleep 60\n`);
    chmodSync(script, 0o755);
    await call("POST", "/dev-mode", { branchName: "main" });
    const files = [{ path: model, content: "cubes: [] # pushed\n" }];
    await call("PUT", "/data-model/files", { files });
    const committed = call("POST", "/commit", { message: "Pushed" }).catch(() => undefined);
    await until(() => existsSync(began));
    server.kill("SIGKILL");
    await once(server, "exit");
    await committed;
    rmSync(script);
    const restarted = await startServer();
    await restarted.call("POST", "/pull", { branchName: "main" });
    expect(remote.log()).toEqual(["Pushed", "Begin"]);
    expect(remote.files()).toEqual({ [model]: "cubes: [] # pushed\n" });
    expect(await restarted.call("GET", "/git")).toMatchObject({ status: "synced" });
  },
);
