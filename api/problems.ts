// Maps error codes to HTTP status codes and error bodies, and back. Shared by the service and the client.
import type { ErrorCode } from "../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";

const statuses = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  unknown_route: 404,
  unknown_host: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  merge_conflict: 409,
  upsert_branch_changed: 409,
  in_progress: 409,
  precondition_failed: 412,
  too_large: 413,
  locked: 423,
  uri_too_long: 414,
  unsupported_media_type: 415,
  key_reused: 422,
  failed: 422,
  limit_reached: 429,
  rate_limited: 429,
  head_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const satisfies Partial<Record<ErrorCode, number>>;

/** Error codes that a service returns. */
export type ProblemCode = keyof typeof statuses;

/** An error body. `error` and `message` are equal; `code` is machine-readable. */
export interface Problem {
  readonly error: string;
  readonly message: string;
  readonly statusCode: number;
  readonly code: string;
  readonly details?: JsonObject;
}

/** Returns the HTTP status of an error code; 500 for codes that no service returns. */
export function statusOf(code: ErrorCode): number {
  return code in statuses ? statuses[code as ProblemCode] : statuses.internal;
}

/** Returns the error body that a service sends. */
export function problem(code: ErrorCode, message: string, details?: JsonObject): Problem {
  const body = {
    error: message,
    message,
    statusCode: statusOf(code),
    code: code in statuses ? code : "internal",
  };
  if (details === undefined) return body;
  // Terraform's `http` backend reads the members of the lock from the top level of the body.
  return { ...(code === "locked" ? details : {}), ...body, details };
}

/** Returns the error code in a body if it is a known code and matches the status, which shows that this API sent it. */
export function namedCodeOf(status: number, body: JsonValue | undefined): ProblemCode | undefined {
  const named = isObject(body) ? body["code"] : undefined;
  if (typeof named !== "string" || !Object.hasOwn(statuses, named)) return undefined;
  return statuses[named as ProblemCode] === status ? (named as ProblemCode) : undefined;
}

/**
 * Returns the error code of a response: the body's own code, otherwise the usual code of the status. Any other 4xx is
 * `invalid`, everything else `internal`.
 */
export function codeOf(status: number, body: JsonValue | undefined): ProblemCode {
  const named = namedCodeOf(status, body);
  if (named !== undefined) return named;
  if (status === 404) return "not_found";
  if (status === 422) return "invalid";
  if (status === 429) return "rate_limited";
  for (const [code, number] of Object.entries(statuses))
    if (number === status) return code as ProblemCode;
  if (status === 502 || status === 504) return "unavailable";
  return status >= 400 && status < 500 ? "invalid" : "internal";
}

/** Returns the message of an error body: `message`, `error` or `detail`. Lists and objects are returned as JSON. */
export function messageOf(body: JsonValue | undefined): string | undefined {
  if (!isObject(body)) return undefined;
  for (const value of [body["message"], body["error"], body["detail"]]) {
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value) || isObject(value)) return JSON.stringify(value);
  }
  return undefined;
}
