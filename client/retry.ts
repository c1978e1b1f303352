// Decides whether a request is retried, after which delay, and whether it may have been executed. Pure functions.
import { limits } from "../core/limits/limits.ts";
import type { ProblemCode } from "../api/problems.ts";
import type { Exchange, Headers, NoAnswer } from "./types.ts";

/** The decision after an exchange: accept the response, retry, or fail. */
export interface RetryDecision {
  readonly next: "accept" | "retry" | "fail";
  /** Whether the server may have executed the request although it failed. */
  readonly uncertain: boolean;
}

const accept: RetryDecision = { next: "accept", uncertain: false };
const retry: RetryDecision = { next: "retry", uncertain: false };
/** An earlier attempt is in progress, and its outcome is unknown. */
const inProgress: RetryDecision = { next: "retry", uncertain: true };
const fail: RetryDecision = { next: "fail", uncertain: false };
const unknownOutcome: RetryDecision = { next: "fail", uncertain: true };

/**
 * Decides the next step after an exchange. `named` is the error code in the response body. Retries only repeatable
 * requests and those that were certainly not executed: status 429, and status 503 with `Retry-After` from the API
 * itself. A gateway can return 503 after it has forwarded the request.
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
  // The server rolled the request back, and the next attempt finds the result of the other writer.
  if (named === "upsert_branch_changed") return retry;
  if (status === 429) return named === "limit_reached" ? fail : retry;
  if (status === 408 || (status >= 500 && status !== 501)) {
    const isNotExecuted = named === "unavailable" && headers["retry-after"] !== undefined;
    return repeatable || isNotExecuted ? retry : unknownOutcome;
  }
  return fail;
}

function decideRetryWithoutAnswer(
  { sent, reason, cause }: NoAnswer,
  repeatable: boolean,
): RetryDecision {
  if (reason === "too_large") return fail;
  if (reason === "aborted") return sent && !repeatable ? unknownOutcome : fail;
  if (!sent) return isPermanent(cause) ? fail : retry;
  return repeatable ? retry : unknownOutcome;
}

/** Returns whether a retry is useless: DNS and certificate errors last longer than the retries. */
function isPermanent(cause: unknown): boolean {
  const code = errorCodeOf(cause) ?? "";
  return code === "ENOTFOUND" || /CERT|SIGNATURE|^ERR_(?:TLS|SSL)|^UND_ERR_INVALID/.test(code);
}

/** Returns the `code` of a system or library error, also from causes and aggregated errors. */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return errorCodeOf(error.errors[0]);
  return errorCodeOf(error.cause);
}

/** Returns the delay in milliseconds before attempt `attempt + 1`: exponential with jitter, at least what the server requests, and capped. */
export function backoffMs(
  attempt: number,
  headers: Headers | undefined,
  { firstMs, chance }: { readonly firstMs: number; readonly chance: number },
): number {
  const doubled = Math.min(firstMs * 2 ** (attempt - 1), limits.retryMaxMs);
  const own = doubled * (0.5 + chance / 2);
  const requested = headers === undefined ? undefined : serverRequestedWaitMs(headers, Date.now());
  return requested === undefined ? own : Math.min(Math.max(requested, own), limits.retryMaxMs);
}

/** A rate limit as a server announces it. */
interface AnnouncedLimit {
  /** The remainder, in requests or units of cost. */
  readonly left: number;
  /** When more is available; undefined if the server does not say. */
  readonly resetMs: number | undefined;
}

/** Returns the rate limit that a response announces; undefined if none. Of several policies, the one with the least left. */
export function announcedLimit(headers: Headers): AnnouncedLimit | undefined {
  const own = headerText(headers["ratelimit-remaining"]);
  const found =
    own === undefined
      ? (headerText(headers["ratelimit"]) ?? "")
          .split(/,(?=\s*")/)
          .map((policy) =>
            limitOf(
              headerParameter(policy, ["r", "remaining"]),
              headerText(headers["ratelimit-reset"]) ?? headerParameter(policy, ["t", "reset"]),
            ),
          )
      : [limitOf(own, headerText(headers["ratelimit-reset"]))];
  return found
    .filter((one) => one !== undefined)
    .toSorted((one, other) => one.left - other.left)[0];
}

function limitOf(left: string | undefined, reset: string | undefined): AnnouncedLimit | undefined {
  if (left === undefined || !Number.isFinite(Number(left))) return undefined;
  const seconds = Number(reset ?? NaN);
  const isTime = Number.isFinite(seconds) && seconds >= 0;
  return { left: Number(left), resetMs: isTime ? seconds * 1000 : undefined };
}

/** Returns the delay in milliseconds that a response requests with Retry-After or an exhausted RateLimit; undefined if none. */
export function serverRequestedWaitMs(headers: Headers, now: number): number | undefined {
  const after = retryAfterMs(headerText(headers["retry-after"]), now);
  if (after !== undefined) return after;
  const limit = announcedLimit(headers);
  return limit !== undefined && limit.left <= 0 ? limit.resetMs : undefined;
}

function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Returns a parameter of the RateLimit header, such as `"default";r=0;t=30` or `limit=10, remaining=0, reset=30`. */
function headerParameter(header: string | undefined, names: readonly string[]): string | undefined {
  const found = header?.match(new RegExp(`(?:^|[;,\\s])(?:${names.join("|")})=(\\d+)`));
  return found?.[1];
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
