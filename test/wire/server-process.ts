// Starts the real server in a separate process and calls it with plain fetch, without importing code of the project.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSvc } from "../support/svc-program.ts";

const startMs = 60_000;

/** An answer: its status, its headers, and its body as JSON if it is JSON, otherwise as text. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ResponseBody;
  /** The body again, for callers who know its type. */
  readonly json: unknown;
}

/** A body that is inspected without knowing its type. */
export interface ResponseBody {
  readonly [member: string]: unknown;
  readonly items: readonly ListItem[];
  readonly sessionId: string;
  readonly token: string;
  readonly id: number;
  readonly error: string;
  readonly message: string;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string };
}

/** An item of a list. */
export interface ListItem {
  readonly [member: string]: unknown;
  readonly id: number;
  readonly name: string;
}

/** Options of a request in addition to method and path. */
export interface RequestOptions {
  readonly body?: unknown;
  /** The whole `Authorization` header; by default the operator's key, and none for `null`. */
  readonly authorization?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A process of `svc serve` that is ready. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly apiKey: string;
}

/** A running server. */
export interface Server {
  readonly url: string;
  readonly apiKey: string;
  call(method: string, path: string, sent?: RequestOptions): Promise<ApiResponse>;
  stop(): Promise<void>;
}

/** Starts `svc serve` on an empty folder and waits until it reports its address. */
export async function startServer(options: readonly string[] = []): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "svc-wire-"));
  const { child, url, apiKey } = await spawnServer(folder, { options });
  return {
    url,
    apiKey,
    call: (method, path, sent = {}) => sendRequest(`${url}${path}`, method, { apiKey, ...sent }),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs `svc serve` on the data in a folder, and returns once it is ready. Fails after a minute. */
export async function spawnServer(
  folder: string,
  {
    options = [],
    env = process.env,
  }: { readonly options?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ServerProcess> {
  const ready = join(folder, "ready.json");
  rmSync(ready, { force: true });
  const places = ["--data", join(folder, "data"), "--port", "0", "--ready-file", ready];
  const child = await spawnSvc(["serve", ...places, ...options], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return { child, ...(await waitUntilReady(child, ready)) };
}

async function waitUntilReady(
  child: ChildProcess,
  file: string,
): Promise<{ url: string; apiKey: string }> {
  let output = "";
  child.stderr?.on("data", (text) => (output += String(text)));
  const until = Date.now() + startMs;
  while (!existsSync(file)) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${output}`);
    if (Date.now() > until) {
      child.kill("SIGKILL");
      throw new Error(`the server did not get ready: ${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { url, apiKey } = JSON.parse(readFileSync(file, "utf8")) as { url: string; apiKey: string };
  return { url, apiKey };
}

async function sendRequest(
  url: string,
  method: string,
  sent: RequestOptions & { apiKey: string },
): Promise<ApiResponse> {
  const headers: Record<string, string> = { ...sent.headers };
  if (sent.authorization !== null) {
    headers["Authorization"] = sent.authorization ?? `Api-Key ${sent.apiKey}`;
  }
  const body = typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body);
  if (body !== undefined) headers["Content-Type"] ??= "application/json";
  const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") === true && text !== "";
  const json: unknown = isJson ? JSON.parse(text) : { text };
  return { status: answer.status, headers: answer.headers, body: json as ResponseBody, json };
}
