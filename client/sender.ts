// Sends a request until its outcome is known or its attempts are used up: through the gate, counted, told and paused between.
import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { type ErrorCode, isFailure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import type { ProblemCode } from "../api/problems.ts";
import {
  type RequestDescription,
  failureOf,
  isHtmlPage,
  namedProblemCodeOf,
  problemCodeOf,
} from "./answer.ts";
import { type ReceivedAnswer, exchange, type Exchange, type WireRequest } from "./exchange.ts";
import { abortedFailure, type Throttle } from "./throttle.ts";
import { serverRequestedWaitMs, decideRetry, backoffMs, type RetryDecision } from "./retry.ts";
import type { RequestEvent, Stats, WaitEvent } from "./types.ts";

/** A request with what decides how it is treated. */
export interface OutgoingRequest {
  readonly description: RequestDescription;
  readonly wire: WireRequest;
  /** The operation's id; undefined for a bare request. */
  readonly operation: string | undefined;
  /** It may be sent again although an earlier attempt may have been carried out. */
  readonly repeatable: boolean;
  /** The server is known to carry it out once, however often it is sent. */
  readonly takesIdempotencyKey: () => Promise<boolean>;
  /** It changes nothing, so stopping may tear it. */
  readonly isRead: boolean;
  readonly signal: AbortSignal | undefined;
}

/** What a sender works with. */
export interface SenderDependencies {
  readonly dispatcher: Dispatcher;
  readonly throttle: Throttle;
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly onRequest: ((event: RequestEvent) => void) | undefined;
  readonly onWait: ((event: WaitEvent) => void) | undefined;
}

/** Sends requests; `stats` grows with them. */
export interface Sender {
  /** Resolves to an answer below 300; every other end is a `Failure`. */
  send(outgoing: OutgoingRequest): Promise<ReceivedAnswer>;
  readonly stats: Stats;
}

type Counts = { calls: number; retries: number; bytes: number };

/** A sender over one pool of connections and one gate. */
export function createSender(parts: SenderDependencies): Sender {
  const stats: Counts = { calls: 0, retries: 0, bytes: 0 };
  return { stats, send: (outgoing) => send(parts, outgoing, stats) };
}

async function send(
  parts: SenderDependencies,
  outgoing: OutgoingRequest,
  stats: Counts,
): Promise<ReceivedAnswer> {
  // The last attempt of a write that may have been carried out, also where it can be repeated, until an answer settles that.
  let doubtful: Exchange | undefined;
  try {
    for (let attempt = 1; ; attempt++) {
      const ended = await sendOnce(parts, outgoing, { attempt, stats });
      const named = namedProblemCodeOf(ended);
      const verdict = decideRetry(ended, named, outgoing.repeatable);
      if (!outgoing.isRead && decideRetry(ended, named, false).uncertain) doubtful = ended;
      else if (doubtful !== undefined && settlesOutcome(ended, verdict)) doubtful = undefined;
      if (verdict.next === "stand" && ended.answered && ended.status < 300) {
        if (doubtful !== undefined) throw failureOf(outgoing.description, doubtful, true);
        pauseWhenRateLimitSpent(parts, ended);
        return ended;
      }
      const isOver = attempt >= parts.attempts || exceedsMaxWait(ended);
      const isKeyed = verdict.uncertain && !isOver && (await outgoing.takesIdempotencyKey());
      if ((verdict.next !== "again" && !isKeyed) || isOver) {
        throw failureOf(outgoing.description, doubtful ?? ended, doubtful !== undefined);
      }
      await pause(parts, { ended, attempt, signal: outgoing.signal });
    }
  } catch (error) {
    if (doubtful === undefined || !isFailure(error, "aborted")) throw error;
    throw failureOf(outgoing.description, doubtful, true);
  }
}

/** Refusals that a server makes before it looks at the key. */
const rejectedBeforeKeyCheck: ReadonlySet<ProblemCode | undefined> = new Set([
  "unauthenticated",
  "forbidden",
  "unknown_route",
  "method_not_allowed",
]);

/** True for an answer of who knows what came of the attempts before: no page of something in front of the API, and no refusal at its door. */
function settlesOutcome(ended: Exchange, { next }: RetryDecision): boolean {
  if (!ended.answered || next === "again" || isHtmlPage(ended)) return false;
  return !rejectedBeforeKeyCheck.has(problemCodeOf(ended));
}

async function sendOnce(
  { dispatcher, throttle: gate, timeoutMs, onRequest }: SenderDependencies,
  { wire, operation, isRead: reads, signal }: OutgoingRequest,
  { attempt, stats }: { attempt: number; stats: Counts },
): Promise<Exchange> {
  const leave = await gate.acquire(signal);
  const from = performance.now();
  const ended = await exchange(dispatcher, wire, { timeoutMs, signal: reads ? signal : undefined });
  leave();
  const bytes = ended.answered ? ended.body.length : 0;
  stats.calls++;
  stats.bytes += bytes;
  if (attempt > 1) stats.retries++;
  onRequest?.({
    operation,
    method: wire.method,
    path: wire.path.split("?")[0] ?? "",
    attempt,
    status: ended.answered ? ended.status : undefined,
    failure: codeOfExchange(ended),
    ms: performance.now() - from,
    bytes,
  });
  return ended;
}

function codeOfExchange(ended: Exchange): ErrorCode | undefined {
  if (ended.answered) return problemCodeOf(ended);
  if (ended.reason === "connection") return ended.sent ? "unknown_outcome" : "unreachable";
  return ended.reason === "too_large" ? "unexpected_answer" : ended.reason;
}

/** A spent allowance holds everybody back until it is renewed, before the server has to refuse anyone. */
function pauseWhenRateLimitSpent(
  { throttle: gate, onWait }: SenderDependencies,
  { headers }: ReceivedAnswer,
): void {
  const asked = serverRequestedWaitMs(headers, Date.now());
  if (asked === undefined || headers["retry-after"] !== undefined) return;
  const ms = Math.min(asked, limits.retryMaxMs);
  gate.pause(ms);
  if (ms >= limits.waitReportMs) onWait?.({ seconds: Math.ceil(ms / 1000), serverRequested: true });
}

/** Nobody waits that long in front of a command; the failure says when to come back. */
function exceedsMaxWait(ended: Exchange): boolean {
  const asked = ended.answered ? serverRequestedWaitMs(ended.headers, Date.now()) : undefined;
  return asked !== undefined && asked > limits.retryMaxMs;
}

async function pause(
  { throttle: gate, attempts, onWait }: SenderDependencies,
  last: { ended: Exchange; attempt: number; signal: AbortSignal | undefined },
): Promise<void> {
  const headers = last.ended.answered ? last.ended.headers : undefined;
  const ms = backoffMs(last.attempt, headers, Math.random());
  const slowsAll =
    last.ended.answered && (last.ended.status === 429 || headers?.["retry-after"] !== undefined);
  if (slowsAll) gate.pause(ms);
  const isSlow = !last.ended.answered && last.ended.reason === "timeout";
  if (ms >= limits.waitReportMs || isSlow) {
    const seconds = Math.ceil(ms / 1000);
    const cause = last.ended.answered
      ? { status: last.ended.status }
      : isSlow && { timedOut: true };
    onWait?.({ seconds, serverRequested: slowsAll, ...cause, attempt: last.attempt + 1, attempts });
  }
  try {
    await sleep(ms, undefined, { signal: last.signal });
  } catch {
    throw abortedFailure();
  }
}
