// Starts a real server in a separate process, so that the bench does not share its event loop.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const here = import.meta.dirname;
const readyWithinMs = 120_000;

/** A server under measurement. */
export interface Served {
  readonly pid: number;
  readonly url: string;
  readonly apiKey: string;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** Starts `svc serve` on a fresh data folder, or on the store that the options name. */
export async function serve(
  store?: readonly string[],
  { isLimited = false }: { readonly isLimited?: boolean } = {},
): Promise<Served> {
  // Rate limits are off by default, because a bench measures the service.
  const unlimited = ["--rate-limit", "0", "--account-rate-limit", "0"];
  return startProcess((data) => [
    join(here, "..", "cli", "main.ts"),
    "serve",
    ...(store ?? ["--data", data]),
    "--port=0",
    "--external-users=1000000",
    ...(isLimited ? [] : unlimited),
  ]);
}

/** Starts the bare server that sessions are checked against, on a fresh data folder. */
export async function serveBare(): Promise<Served> {
  return startProcess((data) => [join(here, "bare-server.ts"), data]);
}

async function startProcess(command: (data: string) => readonly string[]): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
  const readyFile = join(folder, "ready.json");
  const flags = (process.env["BENCH_NODE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
  const args = [...flags, ...command(join(folder, "data")), "--ready-file", readyFile];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ready = await waitFor(readyFile, child);
  return {
    ...ready,
    pid: child.pid ?? 0,
    stop: async () => {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function waitFor(file: string, child: ChildProcess): Promise<Omit<Served, "stop" | "pid">> {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline && child.exitCode === null) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return JSON.parse(text) as Omit<Served, "stop" | "pid">;
    await sleep(5);
  }
  child.kill();
  throw new Error("the server did not start");
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
