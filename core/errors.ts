// Expected failures and their codes, shared by the service, the client and the engines; and `invariant` for bugs.
import type { JsonObject } from "./json.ts";

/** All error codes with their meanings. `docs/reference/errors.md` explains them; a test compares the two lists. */
export const errorCodes = {
  invalid: "the request or value is not valid",
  unauthenticated: "the credential is missing, malformed, unknown or expired",
  forbidden: "the credential lacks the required permission",
  out_of_scope: "the credential may not read the object, so it is unknown whether it exists",
  not_found: "the object does not exist",
  unknown_route: "the server has no such operation",
  unknown_host: "no account of the server has the host of the request",
  method_not_allowed: "the path does not support the method",
  conflict: "the request conflicts with existing objects, such as a name already in use",
  merge_conflict: "two branches changed the same lines of a file",
  upsert_branch_changed:
    "a concurrent write created or deleted the object that the request creates or updates",
  in_progress: "a request with the same idempotency key is in progress",
  key_reused: "the idempotency key was used for a different request",
  failed: "the job failed, and has no result",
  precondition_failed: "the object has changed since the version that the request names",
  too_large: "the request body exceeds the size limit",
  uri_too_long: "the request URL exceeds the size limit",
  head_too_large: "the request URL and headers exceed the size limit",
  unsupported_media_type: "the request body is not JSON in UTF-8",
  limit_reached: "an account limit is reached",
  rate_limited: "too many requests in too short a time",
  internal: "the server failed because of an internal error",
  unavailable: "the server is temporarily unavailable",
  not_offered: "the server does not offer a required operation",
  missing_reference: "an object that the write refers to does not exist",
  unreachable: "the server cannot be reached",
  timeout: "the server did not respond in time",
  unexpected_answer: "the response does not match the API's schema",
  unknown_outcome:
    "the request was sent but no response arrived, so it may or may not have been executed",
  stale: "the live state has changed since the plan was made",
  locked: "the lock is held by another process",
  corrupt: "a stored file is incomplete, of a newer format, or belongs to something else",
  aborted: "the run was canceled",
  usage: "the command line is not valid",
  refused: "a safety rule does not allow this",
  window_closed: "changes are not allowed at this time",
} as const;

/** An error code. */
export type ErrorCode = keyof typeof errorCodes;

/** A validation error of one field. */
export interface ValidationError {
  /** JSON Pointer into the spec; empty for the whole spec. */
  readonly path: string;
  /** Predicate of a sentence whose subject is the field: `must be at most 5`. */
  readonly message: string;
}

/** Optional parts of a {@link Failure}. */
export interface FailureDetail {
  /** The underlying error. Its message is not part of the failure's message. */
  cause?: unknown;
  /** Machine-readable details. Must not contain secrets. */
  details?: JsonObject;
  /** Seconds after which a retry may succeed, if the server sent them. */
  retryAfter?: number;
  /** How the user can fix the problem. */
  remedy?: string | undefined;
  /** Validation errors of single fields, which the message contains as well. */
  validationErrors?: readonly ValidationError[];
}

/** Marks failures across copies of this module: the client and the service package each bundle one. */
const failureMark = Symbol.for("svc-as-code.failure");

/** An expected failure with a code and a message for the user. Any other exception is a bug. */
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

/** Returns whether `error` is a {@link Failure}, and has `code` if one is given. */
export function isFailure(error: unknown, code?: ErrorCode): error is Failure {
  return error instanceof Failure && (code === undefined || error.code === code);
}

/** Runs `act` and returns its failure, if any. Throws other errors. */
export async function failureFrom(act: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (isFailure(error)) return error;
    throw error;
  }
}

/** Throws an error that asks the user to report a bug if a condition that must always hold is false. */
export function invariant(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(`This is a bug in svc; please report it: ${what}`);
}
