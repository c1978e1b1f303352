// Failure code <-> HTTP status and error body: the one place that knows numbers, for service and client alike.
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
  in_progress: 409,
  too_large: 413,
  locked: 423,
  uri_too_long: 414,
  unsupported_media_type: 415,
  key_reused: 422,
  limit_reached: 429,
  rate_limited: 429,
  head_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const satisfies Partial<Record<ErrorCode, number>>;

/** The codes that a service answers with. */
export type ProblemCode = keyof typeof statuses;

/** An error body: `error` and `message` say the same, `code` is for machines. */
export interface Problem {
  readonly error: string;
  readonly message: string;
  readonly statusCode: number;
  readonly code: string;
  readonly details?: JsonObject;
}

/** The status that goes with a code; codes that no service answers with are `internal`. */
export function statusOf(code: ErrorCode): number {
  return code in statuses ? statuses[code as ProblemCode] : statuses.internal;
}

/** The body that a service answers with. */
export function problem(code: ErrorCode, message: string, details?: JsonObject): Problem {
  const body = {
    error: message,
    message,
    statusCode: statusOf(code),
    code: code in statuses ? code : "internal",
  };
  if (details === undefined) return body;
  // Terraform looks for the members of a lock beside the message.
  return { ...(code === "locked" ? details : {}), ...body, details };
}

/** The code that a body names itself, where it is one of ours and fits the status: whoever answers so knows this API. */
export function namedCodeOf(status: number, body: JsonValue | undefined): ProblemCode | undefined {
  const named = isObject(body) ? body["code"] : undefined;
  if (typeof named !== "string" || !Object.hasOwn(statuses, named)) return undefined;
  return statuses[named as ProblemCode] === status ? (named as ProblemCode) : undefined;
}

/**
 * The code that an answer means: the body's own where it names one, else the status's usual one; an unlisted 4xx is
 * `invalid`, anything else `internal`.
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

/** The text of an error body: `message` first, then `error`; validation lists and objects are written out. */
export function messageOf(body: JsonValue | undefined): string | undefined {
  if (!isObject(body)) return undefined;
  for (const value of [body["message"], body["error"], body["detail"]]) {
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value) || isObject(value)) return JSON.stringify(value);
  }
  return undefined;
}
