// A server that is killed, or that cannot say where it is: nothing it acknowledged is lost, and nothing is left behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { afterEach, beforeEach, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const rounds = 3;
const writesAtOnce = 4;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-serve-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function serve(readyFile: string) {
  const places = ["--data", join(folder, "data"), "--port", "0", "--ready-file", readyFile];
  return spawn(process.execPath, ["cli/main.ts", "serve", ...places], {
    cwd: root,
    stdio: "ignore",
  });
}

async function startServer() {
  const file = join(folder, "ready.json");
  rmSync(file, { force: true });
  const child = serve(file);
  while (!existsSync(file)) {
    if (child.exitCode !== null) throw new Error("the server did not start");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { url, apiKey } = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
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
    for (let round = 0; round < rounds; round++) {
      const { child, call } = await startServer();
      const killed = once(child, "exit");
      const write = async (writer: number): Promise<void> => {
        for (let count = 0; child.exitCode === null && !child.killed; count++) {
          const name = `${round}-${writer}-${count}`;
          const made = await call("POST", { name }).catch(() => undefined);
          if (made !== undefined) acknowledged.push(name);
          if (writer === 0 && count === 10) child.kill("SIGKILL");
        }
      };
      await Promise.all(Array.from({ length: writesAtOnce }, (_, writer) => write(writer)));
      await killed;
    }
    const { child, call } = await startServer();
    const { items } = (await call("GET")) as { items: { name: string }[] };
    const kept = new Set(items.map(({ name }) => name));
    expect(acknowledged.length).toBeGreaterThan(rounds * 10);
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  },
);

it("ends when its ready file cannot be written", { timeout: 30_000 }, async () => {
  const [code] = await once(serve(join(folder, "no", "such", "folder", "ready.json")), "exit");
  expect(code).toBeGreaterThan(0);
});
