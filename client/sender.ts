// Sends a request with throttling and retries until its outcome is known or its attempts are exhausted. Each attempt reads the
// response within its limits, or reports whether the request was sent.
import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { type ErrorCode, type Failure, isFailure } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import type { ProblemCode } from "../api/problems.ts";
import {
  type RequestDescription,
  failureOf,
  isHtmlPage,
  namedProblemCodeOf,
  problemCodeOf,
} from "./answer.ts";
import { abortedFailure, type Throttle } from "./throttle.ts";
import {
  announcedLimit,
  serverRequestedWaitMs,
  decideRetry,
  backoffMs,
  type RetryDecision,
} from "./retry.ts";
import type {
  Exchange,
  Headers,
  NoAnswer,
  ReceivedAnswer,
  RequestEvent,
  Stats,
  WaitEvent,
  WireRequest,
} from "./types.ts";

/** A request with its retry properties. */
export interface OutgoingRequest {
  readonly description: RequestDescription;
  readonly wire: WireRequest;
  /** The operation's ID; undefined for a raw request. */
  readonly operation: string | undefined;
  /** Its cost in the server's rate limit. */
  readonly cost: number;
  /** Whether it can be sent again after an attempt that may have been executed. */
  readonly repeatable: boolean;
  /** Returns whether the server executes the request only once, however often it is sent. */
  readonly takesIdempotencyKey: () => Promise<boolean>;
  /** Whether it is a read, which can be aborted while it is in flight. */
  readonly isRead: boolean;
  /** Maximum attempts, including the first. If undefined, the sender's maximum applies. */
  readonly attempts: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Dependencies of a sender. */
export interface SenderDependencies {
  readonly dispatcher: Dispatcher;
  readonly throttle: Throttle;
  readonly attempts: number;
  readonly writeAttempts: number;
  readonly retryFirstMs: number;
  readonly timeoutMs: number;
  readonly onRequest: ((event: RequestEvent) => void) | undefined;
  readonly onWait: ((event: WaitEvent) => void) | undefined;
}

/** Sends requests and counts them. */
export interface Sender {
  /** Returns a response with a status below 300, or 304 if the request has an entity tag. Otherwise fails with a `Failure`. */
  send(outgoing: OutgoingRequest): Promise<ReceivedAnswer>;
  readonly stats: Stats;
}

type Counts = { calls: number; retries: number; bytes: number };

/** Creates a sender for one connection pool and one throttle. */
export function createSender(parts: SenderDependencies): Sender {
  const stats: Counts = { calls: 0, retries: 0, bytes: 0 };
  return { stats, send: (outgoing) => send(parts, outgoing, stats) };
}

async function send(
  parts: SenderDependencies,
  outgoing: OutgoingRequest,
  stats: Counts,
): Promise<ReceivedAnswer> {
  const attempts = outgoing.attempts ?? (outgoing.isRead ? parts.attempts : parts.writeAttempts);
  // The last attempt of a write that may have been executed, until a response determines the outcome.
  let doubtful: Exchange | undefined;
  let attempt = 1;
  const failure = (ended: Exchange): Failure =>
    failureOf(outgoing.description, doubtful ?? ended, {
      uncertain: doubtful !== undefined,
      attempts: attempt,
      timeoutMs: parts.timeoutMs,
    });
  try {
    for (; ; attempt++) {
      const ended = await sendOnce(parts, outgoing, { attempt, stats });
      const named = namedProblemCodeOf(ended);
      const decision = decideRetry(ended, named, outgoing.repeatable);
      if (!outgoing.isRead && decideRetry(ended, named, false).uncertain) doubtful = ended;
      else if (doubtful !== undefined && settlesOutcome(ended, decision, outgoing))
        doubtful = undefined;
      if (decision.next === "accept" && ended.answered && isExpected(ended.status, outgoing.wire)) {
        if (doubtful !== undefined) throw failure(doubtful);
        pauseWhenRateLimitSpent(parts, ended);
        return ended;
      }
      const isOver = attempt >= attempts || exceedsMaxWait(ended);
      const isKeyed = decision.uncertain && !isOver && (await outgoing.takesIdempotencyKey());
      if ((decision.next !== "retry" && !isKeyed) || isOver) {
        throw failure(ended);
      }
      await pause(parts, { ended, attempt, attempts, signal: outgoing.signal });
    }
  } catch (error) {
    if (doubtful === undefined || !isFailure(error, "aborted")) throw error;
    throw failure(doubtful);
  }
}

function isExpected(status: number, { headers }: WireRequest): boolean {
  return status < 300 || (status === 304 && headers["if-none-match"] !== undefined);
}

/** Errors that a server returns before it checks the idempotency key. */
const rejectedBeforeKeyCheck: ReadonlySet<ProblemCode | undefined> = new Set([
  "unauthenticated",
  "forbidden",
  "unknown_route",
  "method_not_allowed",
]);

/**
 * Returns whether a response determines the outcome of earlier attempts: not from a proxy, not rejected before the key check,
 * and, without a key, no conflict, which the earlier attempt may cause.
 */
function settlesOutcome(
  ended: Exchange,
  { next }: RetryDecision,
  { repeatable }: OutgoingRequest,
): boolean {
  if (!ended.answered || next === "retry" || isHtmlPage(ended)) return false;
  if (repeatable && (ended.status === 409 || ended.status === 412)) return false;
  return !rejectedBeforeKeyCheck.has(problemCodeOf(ended));
}

async function sendOnce(
  { dispatcher, throttle, timeoutMs, onRequest }: SenderDependencies,
  { wire, operation, cost, isRead, signal }: OutgoingRequest,
  { attempt, stats }: { attempt: number; stats: Counts },
): Promise<Exchange> {
  const release = await throttle.acquire(signal, cost);
  const from = performance.now();
  const ended = await exchange(dispatcher, wire, {
    timeoutMs,
    signal: isRead ? signal : undefined,
  });
  const limit = ended.answered ? announcedLimit(ended.headers) : undefined;
  if (limit !== undefined) throttle.announce(limit.left);
  release();
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

/** Sends `request` once. `signal` aborts it; `timeoutMs` limits connecting, sending and the whole response. */
function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  bounds: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<Exchange> {
  return new Promise((resolve) => {
    const { signal, timeoutMs } = bounds;
    let controller: Dispatcher.DispatchController | undefined;
    let ended = false;
    const end = (ending: Exchange): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      resolve(ending);
    };
    const fail = (reason: NoAnswer["reason"], cause?: unknown): void => {
      end({ answered: false, sent: controller !== undefined, reason, cause });
      controller?.abort(new Error(reason));
    };
    const abort = (): void => fail("aborted");
    const timer = setTimeout(() => fail("timeout"), timeoutMs);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    const started = (now: Dispatcher.DispatchController): void => {
      // The request waited for a connection until it was abandoned.
      if (ended) return now.abort(new Error("abandoned"));
      controller = now;
    };
    try {
      dispatcher.dispatch(dispatchOptions(request), answerCollector({ started, fail, end }));
    } catch (error) {
      fail("connection", error);
    }
  });
}

function dispatchOptions({ method, path, headers, body }: WireRequest): Dispatcher.DispatchOptions {
  // `reset: false` keeps the connection after a DELETE with a body.
  return { method, path, headers, body: body ?? null, reset: false };
}

function answerCollector(to: {
  started: (controller: Dispatcher.DispatchController) => void;
  fail: (reason: NoAnswer["reason"], cause?: unknown) => void;
  end: (ending: Exchange) => void;
}): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let headers: Headers = {};
  return {
    onRequestStart: to.started,
    onResponseStart: (_, code, received) => {
      [status, headers] = [code, received];
    },
    onResponseData: (_, chunk) => {
      size += chunk.length;
      if (size > limits.answerBytes) return to.fail("too_large");
      chunks.push(chunk);
    },
    onResponseEnd: () => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
      to.end({ answered: true, status, headers, body });
    },
    onResponseError: (_, error) => to.fail("connection", error),
  };
}

function codeOfExchange(ended: Exchange): ErrorCode | undefined {
  if (ended.answered) return problemCodeOf(ended);
  if (ended.reason === "connection") return ended.sent ? "unknown_outcome" : "unreachable";
  return ended.reason === "too_large" ? "unexpected_answer" : ended.reason;
}

/** Pauses all calls after the last allowed request of a rate limit window, so that the server need not reject the next one. */
function pauseWhenRateLimitSpent(
  { throttle, onWait }: SenderDependencies,
  { headers }: ReceivedAnswer,
): void {
  const requested = serverRequestedWaitMs(headers, Date.now());
  if (requested === undefined || headers["retry-after"] !== undefined) return;
  const ms = Math.min(requested, limits.retryMaxMs);
  throttle.pause(ms);
  if (ms >= limits.waitReportMs) onWait?.({ seconds: Math.ceil(ms / 1000), serverRequested: true });
}

/** Returns whether the server requests a longer delay than the maximum. The failure then contains the time to retry. */
function exceedsMaxWait(ended: Exchange): boolean {
  const requested = ended.answered ? serverRequestedWaitMs(ended.headers, Date.now()) : undefined;
  return requested !== undefined && requested > limits.retryMaxMs;
}

async function pause(
  { throttle, retryFirstMs, onWait }: SenderDependencies,
  last: { ended: Exchange; attempt: number; attempts: number; signal: AbortSignal | undefined },
): Promise<void> {
  const headers = last.ended.answered ? last.ended.headers : undefined;
  const ms = backoffMs(last.attempt, headers, { firstMs: retryFirstMs, chance: Math.random() });
  const slowsAll =
    last.ended.answered && (last.ended.status === 429 || headers?.["retry-after"] !== undefined);
  if (slowsAll) throttle.pause(ms);
  const isSlow = !last.ended.answered && last.ended.reason === "timeout";
  if (ms >= limits.waitReportMs || isSlow) {
    const seconds = Math.ceil(ms / 1000);
    const cause = last.ended.answered
      ? { status: last.ended.status }
      : isSlow && { timedOut: true };
    const { attempts } = last;
    onWait?.({ seconds, serverRequested: slowsAll, ...cause, attempt: last.attempt + 1, attempts });
  }
  try {
    await sleep(ms, undefined, { signal: last.signal });
  } catch {
    throw abortedFailure();
  }
}
