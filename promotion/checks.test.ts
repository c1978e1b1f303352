// Tests when a check decides about a version, and when it is inconclusive: with real commands, and a slow site.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AskApi, type CheckOptions, runChecks } from "./checks.ts";
import type { Check } from "./pipeline.ts";

let folder: string;
let site: Server;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-checks-"));
  // Answers only /sick, with a failure.
  site = createServer((request, response) => {
    if (request.url === "/sick") response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => {
    site.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  site.closeAllConnections();
  site.close();
});

function script(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
}

/** Returns whether a process runs. A zombie counts as ended. */
function isRunning(pid: string): boolean {
  try {
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

function check(
  checks: readonly Check[],
  commands: Record<string, string> = {},
  askApi: AskApi = async () => undefined,
) {
  const how: CheckOptions = {
    askApi,
    mask: (text) => text.replaceAll("s3cr3t", "•••"),
    grants: { origins: [url], commands },
    timeouts: { httpMs: 500, commandMs: 700 },
    env: { PATH: process.env["PATH"] },
    now: () => new Date(0),
    signal: undefined,
  };
  const objects = [
    {
      address: "Thing/a",
      key: "a",
      exists: true,
      version: "1.0.0",
      pinned: undefined,
      channel: undefined,
      url: undefined,
    },
  ];
  return runChecks({ stage: { name: "dev", checks }, version: "1.0.0", objects }, how);
}

const page = (path: string, timeoutMs?: number): Check => ({
  of: "http",
  url: `${url}${path}`,
  status: 200,
  contains: undefined,
  timeoutMs,
});
const command = (timeoutMs?: number): Check => ({ of: "command", name: "smoke", timeoutMs });

describe("an inconclusive check", () => {
  it("fails with timeout if a command reaches the default limit, and kills its child processes", async () => {
    const pid = join(folder, "pid");
    const smoke = script("slow", `sleep 60 &\necho $! > ${pid}\nwait`);
    await expect(check([command()], { smoke })).rejects.toMatchObject({
      code: "timeout",
      message: "not verified: command smoke did not end within 0 s, so the check is inconclusive",
    });
    const started = readFileSync(pid, "utf8").trim();
    await vi.waitFor(() => expect(isRunning(started)).toBe(false));
  });

  it("fails with timeout if a command is killed from outside or a page reaches the default limit", async () => {
    const smoke = script("killed", "kill -9 $$");
    await expect(check([command()], { smoke })).rejects.toThrow("was killed by SIGKILL");
    await expect(check([page("/slow")])).rejects.toMatchObject({ code: "timeout" });
  });

  it("does not hide another check that failed", async () => {
    const evidence = await check([page("/slow"), page("/sick")]);
    expect(evidence).toMatchObject([{ passed: false, message: "answered 500, expected 200" }]);
  });
});

describe("a timeout in the pipeline", () => {
  it("fails the version if a check takes longer", async () => {
    const smoke = script("late", "sleep 60");
    const evidence = await check([page("/slow", 50), command(50)], { smoke });
    expect(evidence.map(({ passed, message }) => [passed, message])).toEqual([
      [false, "no response in time"],
      [false, "did not end within 0 s"],
    ]);
  });

  it("does not wait for the output of a process that the command leaves behind", async () => {
    const smoke = script("daemon", "sleep 60 &\necho no\nexit 1");
    const started = performance.now();
    expect(await check([command(20_000)], { smoke })).toMatchObject([
      { passed: false, message: "ended with 1", output: "no" },
    ]);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it("is not needed by a command with a lot of output", async () => {
    const smoke = script("loud", "head -c 3000000 /dev/zero");
    expect(await check([command(20_000)], { smoke })).toMatchObject([{ passed: true }]);
  });
});

describe("the output of a command", () => {
  it("is kept if it failed: the end of both streams, without secrets and colors", async () => {
    const lines = "i=0; while [ $i -lt 500 ]; do echo line $i s3cr3t; i=$((i+1)); done";
    const smoke = script("sick", `${lines}\nprintf '\\033[31mred\\033[0m\\n' >&2\nexit 3`);
    const [result] = await check([command(20_000)], { smoke });
    expect(result).toMatchObject({ passed: false, message: "ended with 3" });
    expect(result?.output).toMatch(/line 499 •••\nred$/u);
    expect(result?.output).not.toMatch(/s3cr3t|line 1 /u);
    expect(result?.output?.length).toBeLessThanOrEqual(1000);
  });

  it("is not kept if it passed", async () => {
    const smoke = script("well", "echo fine");
    const [result] = await check([command(20_000)], { smoke });
    expect(result).toMatchObject({ passed: true });
    expect(result).not.toHaveProperty("output");
  });
});

describe("a question to the API", () => {
  const build = (timeoutMs?: number): Check => ({ of: "api", name: "build", timeoutMs });

  it("is repeated until it is decided", async () => {
    const answers = [undefined, { passed: true, message: "built on 1.0.0" }];
    const calls: string[] = [];
    const evidence = await check([build(60_000)], {}, async (one, { address }, { version }) => {
      calls.push(`${one.of === "api" ? one.name : "query"} ${address} ${version}`);
      return answers[calls.length - 1];
    });
    expect(evidence).toMatchObject([
      { check: "build of Thing/a", passed: true, message: "built on 1.0.0" },
    ]);
    expect(calls).toEqual(["build Thing/a 1.0.0", "build Thing/a 1.0.0"]);
  });

  it("that stays open fails after its timeout, and is inconclusive without one", async () => {
    expect(await check([build(1)])).toMatchObject([{ passed: false }]);
    await expect(check([build()])).rejects.toMatchObject({ code: "timeout" });
  });
});
