// A server that answers as a test defines, and a client of it; both are closed when the test has ended.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { expect, onTestFinished } from "vitest";
import { createClient } from "../../client/client.ts";
import type { Client, ClientOptions } from "../../client/types.ts";
import type { ErrorCode, Failure } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { listen } from "./listen.ts";

/** A received request. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Answers a request; `count` is the number of requests so far, including this one. */
export type StubHandler = (
  request: ReceivedRequest,
  response: ServerResponse,
  count: number,
) => void;

/** Starts a server on a free port that answers as configured. `seen` grows with each request. */
export async function startStubServer(
  behave: StubHandler,
): Promise<{ url: string; seen: ReceivedRequest[]; server: Server }> {
  const seen: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body };
      seen.push(one);
      behave(one, response, seen.length);
    });
  });
  const url = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, seen, server };
}

/** Creates a client with a test key. */
export function createTestClient(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({
    url,
    credential: new Secret("sk-test-1"),
    retryFirstMs: 5,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Answers with JSON. */
export function respondJson(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: object } = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Returns the failure of a call, which must fail. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.fail("it did not fail"),
    (error: unknown) => error as Failure,
  );
}

/** Returns the error code of a call, which must fail. */
export async function errorCodeOf(promise: Promise<unknown>): Promise<ErrorCode> {
  return (await failureOf(promise)).code;
}
