// Starts several `svc serve` processes on one PostgreSQL database and combines their responses.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { request } from "undici";
import { spawnSvc, svcProgram } from "../support/svc-program.ts";
import { createTestDatabase } from "../support/test-database.ts";

const startMs = 20_000;

/** A response of a replica. */
export interface ReplicaResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The process of a replica. */
export interface Replica {
  readonly url: string;
  readonly apiKey: string;
  readonly child: ChildProcess;
  /** Returns its standard output and standard error. */
  output(): string;
  send(method: string, path: string, body?: unknown): Promise<ReplicaResponse>;
}

/** Replicas of one service. */
export interface Cluster {
  /** The URL of their database. */
  readonly database: string;
  readonly replicas: readonly Replica[];
  /** Sends one request many times, to the replicas in turn, all concurrently. */
  sendMany(times: number, one: ReplicaRequest): Promise<readonly ReplicaResponse[]>;
  /** Starts another replica, optionally with its own database address or key. */
  start(more?: {
    readonly env?: NodeJS.ProcessEnv;
    readonly options?: readonly string[];
  }): Promise<Replica>;
  stop(): Promise<void>;
}

/** One request. */
export interface ReplicaRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Starts this number of replicas concurrently on an empty schema. */
export async function startCluster(count: number): Promise<Cluster> {
  // The first call of a run builds the program. The first replica may start in a test, whose time this would take.
  await svcProgram();
  const place = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), "svc-replicas-"));
  const replicas: Replica[] = [];
  let number = 0;
  const start: Cluster["start"] = async ({ env = {}, options = [] } = {}) => {
    const ready = join(folder, `ready-${number++}.json`);
    const places = ["--secret-key-file", join(folder, "secret.key")];
    const flags = [...places, "--port", "0", "--ready-file", ready, ...options];
    const child = await spawnSvc(["serve", ...flags], {
      env: { ...process.env, SVC_DATABASE_URL: place.data, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const replica = await readyReplica(child, ready);
    replicas.push(replica);
    return replica;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(replicas.map(({ child }) => stopProcess(child)));
    rmSync(folder, { recursive: true, force: true });
    await place.drop();
  };
  try {
    await Promise.all(Array.from({ length: count }, () => start()));
  } catch (error) {
    await stop();
    throw error;
  }
  const hammer: Cluster["sendMany"] = (times, { method, path, body }) => {
    const to = (at: number) => replicas[at % replicas.length] as Replica;
    return Promise.all(Array.from({ length: times }, (_, at) => to(at).send(method, path, body)));
  };
  return { database: place.data, replicas, sendMany: hammer, start, stop };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}

async function readyReplica(child: ChildProcess, file: string): Promise<Replica> {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (part) => (text += String(part)));
  }
  const until = Date.now() + startMs;
  while (!existsSync(file)) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${text}`);
    if (Date.now() > until) {
      child.kill("SIGKILL");
      throw new Error(`the server did not get ready: ${text}`);
    }
    await pause(20);
  }
  const { url, apiKey } = JSON.parse(readFileSync(file, "utf8")) as Replica;
  const send: Replica["send"] = async (method, path, body) => {
    const answer = await request(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const reported = await answer.body.text();
    return { status: answer.statusCode, body: reported === "" ? {} : JSON.parse(reported) };
  };
  return { url, apiKey, child, output: () => text, send };
}

/** Counts the responses by status. */
export function countByStatus(
  answers: readonly ReplicaResponse[],
): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
