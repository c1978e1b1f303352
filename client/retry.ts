// Whether an exchange is tried again, after how long, and whether it can have been carried out: pure decisions.
import { limits } from "../core/limits.ts";
import type { ProblemCode } from "../api/problems.ts";
import type { Exchange, Headers, NoAnswer } from "./exchange.ts";

/** What follows from an exchange: it stands, it is tried again, or it failed for good. */
export interface RetryDecision {
  readonly next: "stand" | "again" | "fail";
  /** It failed in a way that leaves open whether the server did what it was asked. */
  readonly uncertain: boolean;
}

const accept: RetryDecision = { next: "stand", uncertain: false };
const retry: RetryDecision = { next: "again", uncertain: false };
/** An earlier attempt is under way, and what comes of it is not known yet. */
const inProgress: RetryDecision = { next: "again", uncertain: true };
const fail: RetryDecision = { next: "fail", uncertain: false };
const unknownOutcome: RetryDecision = { next: "fail", uncertain: true };

/**
 * Judges one exchange; `named` is the code that a refusing answer names itself. Only what can be repeated, or was certainly not
 * carried out, is tried again. 503 with `Retry-After` says the latter where it is the API's own: a gateway that gives up
 * answers so as well, after it has passed the request on. Whoever answers 429 has not let the request through.
 */
export function decideRetry(
  ended: Exchange,
  named: ProblemCode | undefined,
  repeatable: boolean,
): RetryDecision {
  if (!ended.answered) return decideRetryWithoutAnswer(ended, repeatable);
  const { status, headers } = ended;
  if (status < 400) return accept;
  if (named === "in_progress") return repeatable ? retry : inProgress;
  if (status === 429) return named === "limit_reached" ? fail : retry;
  if (status === 408 || (status >= 500 && status !== 501)) {
    const isUndone = named === "unavailable" && headers["retry-after"] !== undefined;
    return repeatable || isUndone ? retry : unknownOutcome;
  }
  return fail;
}

function decideRetryWithoutAnswer(
  { sent, reason: why, cause }: NoAnswer,
  repeatable: boolean,
): RetryDecision {
  if (why === "too_large") return fail;
  if (why === "aborted") return sent && !repeatable ? unknownOutcome : fail;
  if (!sent) return isPermanent(cause) ? fail : retry;
  return repeatable ? retry : unknownOutcome;
}

/** Errors of names and certificates do not go away within a minute. */
function isPermanent(cause: unknown): boolean {
  const code = errorCodeOf(cause) ?? "";
  return code === "ENOTFOUND" || /CERT|SIGNATURE|^ERR_(?:TLS|SSL)|^UND_ERR_INVALID/.test(code);
}

/** The `code` of a system or library error, looked up through causes and collected errors. */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return errorCodeOf(error.errors[0]);
  return errorCodeOf(error.cause);
}

/** Milliseconds before attempt `attempt + 1`: doubling, with up to half of it left to chance, never less than the server asks for, and capped. */
export function backoffMs(attempt: number, headers: Headers | undefined, chance: number): number {
  const doubled = Math.min(limits.retryFirstMs * 2 ** (attempt - 1), limits.retryMaxMs);
  const own = doubled * (0.5 + chance / 2);
  const asked = headers === undefined ? undefined : serverRequestedWaitMs(headers, Date.now());
  return asked === undefined ? own : Math.min(Math.max(asked, own), limits.retryMaxMs);
}

/** Milliseconds the answer asks us to wait: by Retry-After, else by an exhausted RateLimit; undefined where it asks nothing. */
export function serverRequestedWaitMs(headers: Headers, now: number): number | undefined {
  const after = retryAfterMs(headerText(headers["retry-after"]), now);
  if (after !== undefined) return after;
  const limit = headerText(headers["ratelimit"]);
  const remaining =
    headerText(headers["ratelimit-remaining"]) ?? headerParameter(limit, ["r", "remaining"]);
  const reset = headerText(headers["ratelimit-reset"]) ?? headerParameter(limit, ["t", "reset"]);
  if (remaining === undefined || Number(remaining) > 0 || reset === undefined) return undefined;
  const seconds = Number(reset);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A parameter of the one-header form, `"default";r=0;t=30` or `limit=10, remaining=0, reset=30`. */
function headerParameter(header: string | undefined, names: readonly string[]): string | undefined {
  const found = header?.match(new RegExp(`(?:^|[;,\\s])(?:${names.join("|")})=(\\d+)`));
  return found?.[1];
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
