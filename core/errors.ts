// What may fail at run time: a closed set of codes shared by service, client and machinery; invariant() is for our own bugs.
import type { JsonObject } from "./json.ts";

/** Every failure code with what it means. `docs/reference/errors.md` explains each to users; a test keeps the two lists equal. */
export const errorCodes = {
  invalid: "the request or value is not valid",
  unauthenticated: "the credential is missing, malformed, unknown or expired",
  forbidden: "the credential lacks the required permission",
  not_found: "the object does not exist",
  unknown_route: "the server has no such operation",
  unknown_host: "no account of the server has the host of the request",
  method_not_allowed: "the path does not support the method",
  conflict: "the request conflicts with existing objects, such as a name already in use",
  in_progress: "a request with the same idempotency key is in progress",
  key_reused: "the idempotency key was used for a different request",
  too_large: "the request body exceeds the size limit",
  uri_too_long: "the request URL exceeds the size limit",
  head_too_large: "the request URL and headers exceed the size limit",
  unsupported_media_type: "the request body is not JSON in UTF-8",
  limit_reached: "an account limit is reached",
  rate_limited: "too many requests in too short a time",
  internal: "the server failed because of an internal error",
  unavailable: "the server is temporarily unavailable",
  not_offered: "the server does not offer a required operation",
  unreachable: "the server cannot be reached",
  timeout: "the server did not respond in time",
  unexpected_answer: "the response does not match the API's schema",
  unknown_outcome: "the request was sent but no response arrived, so it may or may not have been executed",
  stale: "the live state has changed since the plan was made",
  locked: "the lock is held by another process",
  corrupt: "a stored file is incomplete, of a newer format, or belongs to something else",
  aborted: "the run was canceled",
  usage: "the command line is not valid",
  refused: "a safety rule does not allow this",
  window_closed: "changes are not allowed at this time",
} as const;

/** One of the closed set of failure codes. */
export type ErrorCode = keyof typeof errorCodes;

/** What is wrong with one field. */
export interface ValidationError {
  /** JSON Pointer into the spec; empty for the whole of it. */
  readonly path: string;
  /** Continues a sentence whose subject is the field: `must be at most 5`. */
  readonly message: string;
}

/** What a {@link Failure} carries beside its message. */
export interface FailureDetail {
  /** The underlying error; its message is never repeated in ours. */
  cause?: unknown;
  /** Facts for machines: never a secret. */
  details?: JsonObject;
  /** Seconds after which trying again may succeed, when the other side said so. */
  retryAfter?: number;
  /** What the user can do about it. */
  remedy?: string;
  /** Where a refusal is about single fields of a wish: what is wrong with them, which the message says as well. */
  validationErrors?: readonly ValidationError[];
}

/** Marks failures across copies of this module: the client and the service package each bundle one. */
const failureMark = Symbol.for("svc-as-code.failure");

/** An expected failure: a code of the closed set and a message for a person. Anything else thrown is a bug. */
export class Failure extends Error {
  /** Recognises the failures of every copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && failureMark in value;
  }

  readonly [failureMark] = true;
  readonly code: ErrorCode;
  readonly details: JsonObject | undefined;
  readonly retryAfter: number | undefined;
  readonly remedy: string | undefined;
  readonly validationErrors: readonly ValidationError[];

  constructor(code: ErrorCode, message: string, detail: FailureDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "Failure";
    this.code = code;
    this.details = detail.details;
    this.retryAfter = detail.retryAfter;
    this.remedy = detail.remedy;
    this.validationErrors = detail.validationErrors ?? [];
  }
}

/** True when `error` is a {@link Failure}, of the given code where one is given. */
export function isFailure(error: unknown, code?: ErrorCode): error is Failure {
  return error instanceof Failure && (code === undefined || error.code === code);
}

/** Stops with a request to report it when something that must always hold does not. */
export function invariant(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(`This is a bug in svc; please report it: ${what}`);
}
