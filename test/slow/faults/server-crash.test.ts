// Tests a server that is killed or cannot announce its address: no acknowledged write is lost, and no file remains.
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { request } from "undici";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { sampled } from "../../support/sampling.ts";
import { spawnSvc, svcProgram } from "../../support/svc-program.ts";
import { spawnServer } from "../../wire/server-process.ts";

const concurrentWrites = 4;
let folder: string;

// The first file that needs the packages bundles them.
beforeAll(() => svcProgram());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-serve-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function startServer() {
  const { child, url, apiKey } = await spawnServer(folder);
  const call = async (method: "GET" | "POST", body?: object): Promise<unknown> => {
    const answer = await request(`${url}/api/v1/user-groups`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, ...((await answer.body.json()) as object) };
  };
  return { child, call };
}

it(
  "keeps every acknowledged write when it is killed at work, and starts again",
  { timeout: 60_000 },
  async () => {
    const acknowledged: string[] = [];
    const first = await startServer();
    const killed = once(first.child, "exit");
    const write = async (writer: number): Promise<void> => {
      for (let count = 0; first.child.exitCode === null && !first.child.killed; count++) {
        const name = `${writer}-${count}`;
        const created = await first.call("POST", { name }).catch(() => undefined);
        if (created !== undefined) acknowledged.push(name);
        if (writer === 0 && count === 10) first.child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: concurrentWrites }, (_, writer) => write(writer)));
    await killed;
    const { child, call } = await startServer();
    const { items } = (await call("GET")) as { items: { name: string }[] };
    const kept = new Set(items.map(({ name }) => name));
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  },
);

it.each(["SIGTERM", "SIGKILL"] as const)(
  "starts again after %s at any moment of its first start",
  { timeout: 120_000 },
  async (signal) => {
    const data = join(folder, "data");
    for (const delayMs of sampled([60, 0, 20, 120, 250], 2)) {
      rmSync(data, { recursive: true, force: true });
      const child = await spawnSvc(["serve", "--data", data, "--port", "0"], { stdio: "ignore" });
      const ended = once(child, "exit");
      while (!existsSync(join(data, "account.db")) && child.exitCode === null) await pause(1);
      await pause(delayMs);
      child.kill(signal);
      await ended;
      const again = await spawnServer(folder);
      const endedAgain = once(again.child, "exit");
      again.child.kill("SIGTERM");
      expect(await endedAgain).toEqual([0, null]);
    }
  },
);

it("ends when its ready file cannot be written", { timeout: 30_000 }, async () => {
  const readyFile = join(folder, "no", "such", "folder", "ready.json");
  const places = ["--data", join(folder, "data"), "--port", "0", "--ready-file", readyFile];
  const child = await spawnSvc(["serve", ...places], { stdio: "ignore" });
  const [code] = await once(child, "exit");
  expect(code).toBeGreaterThan(0);
});
