// Runs the real service in this process, on SQLite in memory or on PostgreSQL, with keys to call it.
import { request } from "undici";
import {
  startServer,
  type RunningServer,
  type ServerOptions,
} from "../../service/server/server.ts";
import { remotesFolder } from "./git-remotes.ts";
import { testGithubApp } from "./github-server.ts";
import { createTestDatabase } from "./test-database.ts";

/** A key to create. */
export interface KeySpec {
  /** True for a key of an administrator. */
  readonly admin?: boolean;
  /** The deployments in its scope; all by default. */
  readonly deploymentIds?: readonly number[];
}

/** A response. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined if there is none. */
  readonly body: unknown;
}

/** Options of a request. */
export interface RequestOptions {
  /** By default the administrator's key; null for no key. */
  readonly key?: string | null;
  readonly body?: unknown;
  /** Sent verbatim instead of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service for a test. */
export interface TestService extends Omit<RunningServer, "adminKey"> {
  readonly adminKey: string;
  /** Creates a key through the API. */
  key(spec: KeySpec): Promise<string>;
  /** Sends one request. */
  send(method: string, path: string, sending?: RequestOptions): Promise<TestResponse>;
}

let names = 0;

/** Starts a service that checks every response against its schema. Close it after the test. */
export async function startService(options: Partial<ServerOptions> = {}): Promise<TestService> {
  const place = options.data === undefined ? await createTestDatabase() : undefined;
  const server = await startServer({
    githubApp: await testGithubApp(),
    data: ":memory:",
    ...place,
    checkAnswers: true,
    jobs: false,
    gitRemotes: { folders: [remotesFolder], privateHosts: ["127.0.0.1"] },
    databaseHosts: ["127.0.0.1"],
    rates: { perUser: 0, perAddress: 0 },
    ...options,
  });
  const adminKey = server.adminKey.reveal();
  const send: TestService["send"] = (method, path, sending = {}) =>
    sendRequest(`${server.url}${path}`, { method, key: adminKey, ...sending });
  return {
    ...server,
    close: async () => {
      await server.close();
      await place?.drop();
    },
    adminKey,
    send,
    key: async ({ admin = true, deploymentIds }) => {
      const ownerUserId = admin ? null : await makeUser(send);
      const body = { name: `test ${++names}`, ownerUserId, deploymentIds: deploymentIds ?? null };
      const created = await send("POST", "/api/v1/api-keys", { body });
      return (created.body as { token: string }).token;
    },
  };
}

async function makeUser(send: TestService["send"]): Promise<number> {
  const username = `user-${++names}`;
  const body = { username, email: `${username}@example.com` };
  const created = await send("POST", "/api/v1/users", { body });
  return (created.body as { id: number }).id;
}

async function sendRequest(
  url: string,
  sending: RequestOptions & { method: string },
): Promise<TestResponse> {
  const { method, key, body, raw, headers = {} } = sending;
  const payload = raw ?? (body === undefined ? null : JSON.stringify(body));
  const answer = await request(url, {
    method,
    headers: {
      ...(key === null || key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(payload === null ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: payload,
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
