// The parts of HTTP that the listener of a controller and its API share: routes, responses and bounded bodies.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isFailure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { RefusedMethod } from "../core/operation/allowed-methods.ts";

/** A response to send. */
export interface HttpResponse {
  readonly status: number;
  readonly body: JsonValue | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes the rest of a response that stays open. */
  readonly stream?: (response: ServerResponse) => void;
}

/** The handler of a path. */
export interface Route {
  readonly methods: readonly string[];
  respond(request: IncomingMessage): Promise<HttpResponse>;
}

/** Returns a read-only route. */
export function readOnly(respond: Route["respond"]): Route {
  return { methods: ["GET", "HEAD"], respond };
}

/** Returns the response of an error. */
export function errorResponse(
  status: number,
  {
    code,
    message,
    remedy,
  }: { readonly code: string; readonly message: string; readonly remedy?: string | undefined },
  headers: HttpResponse["headers"] = {},
): HttpResponse {
  const shown = remedy === undefined ? {} : { remedy };
  return { status, body: { error: { code, message, ...shown } }, headers };
}

export const notFound = errorResponse(404, {
  code: "unknown_route",
  message: "this path does not exist",
});

export function methodNotAllowed({ allow, failure }: RefusedMethod): HttpResponse {
  return errorResponse(405, failure, { allow });
}

/** The statuses of expected failures. Any other is an error of the controller. */
const statuses: Readonly<Record<string, number>> = {
  usage: 400,
  not_found: 404,
  refused: 409,
  stale: 409,
  too_large: 413,
  rate_limited: 429,
  limit_reached: 503,
  // Of the store of the state: roles are refused before.
  forbidden: 503,
  unavailable: 503,
};

/** Returns the response of a request that failed; of an unexpected error without internal details. */
export function failedResponse(error: unknown): HttpResponse {
  const status = isFailure(error) ? statuses[error.code] : undefined;
  if (isFailure(error) && status !== undefined) {
    const { retryAfter } = error;
    const wait = retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) };
    return errorResponse(status, error, wait);
  }
  const code = isFailure(error) ? "unavailable" : "internal";
  return errorResponse(500, { code, message: "the request failed" });
}

/** Returns the body of a request; undefined if it is longer than `maximum` bytes. */
export async function bodyOf(
  request: IncomingMessage,
  maximum: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maximum) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Sends a response. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers = {}, stream }: HttpResponse,
): void {
  const isText = typeof body === "string" || Buffer.isBuffer(body);
  const content = isText ? body : `${JSON.stringify(body)}\n`;
  // Close the connection if the request body was not read completely.
  const rest = request.complete ? {} : { connection: "close" };
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...rest,
    ...headers,
  });
  if (request.method === "HEAD") response.end();
  else if (stream === undefined) response.end(content);
  else stream(response);
}
