// Sends a request until its outcome is known or its attempts are used up: through the gate, counted, told and paused between.
import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { type ErrorCode, isFailure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import type { ProblemCode } from "../api/problems.ts";
import { type Asked, failureOf, isPage, namedRefusalOf, refusalOf } from "./answer.ts";
import { type Answered, exchange, type Exchange, type WireRequest } from "./exchange.ts";
import { aborted, type Gate } from "./gate.ts";
import { askedMs, judge, pauseMs, type Verdict } from "./retry.ts";
import type { RequestEvent, Stats, WaitEvent } from "./types.ts";

/** A request with what decides how it is treated. */
export interface Outgoing {
  readonly asked: Asked;
  readonly wire: WireRequest;
  /** The operation's id; undefined for a bare request. */
  readonly operation: string | undefined;
  /** It may be sent again although an earlier attempt may have been carried out. */
  readonly repeatable: boolean;
  /** The server is known to carry it out once, however often it is sent. */
  readonly takesKey: () => Promise<boolean>;
  /** It changes nothing, so stopping may tear it. */
  readonly reads: boolean;
  readonly signal: AbortSignal | undefined;
}

/** What a sender works with. */
export interface SenderParts {
  readonly dispatcher: Dispatcher;
  readonly gate: Gate;
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly onRequest: ((event: RequestEvent) => void) | undefined;
  readonly onWait: ((event: WaitEvent) => void) | undefined;
}

/** Sends requests; `stats` grows with them. */
export interface Sender {
  /** Resolves to an answer below 300; every other end is a `Failure`. */
  send(outgoing: Outgoing): Promise<Answered>;
  readonly stats: Stats;
}

type Counts = { calls: number; retries: number; bytes: number };

/** A sender over one pool of connections and one gate. */
export function createSender(parts: SenderParts): Sender {
  const stats: Counts = { calls: 0, retries: 0, bytes: 0 };
  return { stats, send: (outgoing) => send(parts, outgoing, stats) };
}

async function send(parts: SenderParts, outgoing: Outgoing, stats: Counts): Promise<Answered> {
  // The last attempt of a write that may have been carried out, also where it can be repeated, until an answer settles that.
  let doubtful: Exchange | undefined;
  try {
    for (let attempt = 1; ; attempt++) {
      const ended = await once(parts, outgoing, { attempt, stats });
      const named = namedRefusalOf(ended);
      const verdict = judge(ended, named, outgoing.repeatable);
      if (!outgoing.reads && judge(ended, named, false).uncertain) doubtful = ended;
      else if (doubtful !== undefined && settles(ended, verdict)) doubtful = undefined;
      if (verdict.next === "stand" && ended.answered && ended.status < 300) {
        if (doubtful !== undefined) throw failureOf(outgoing.asked, doubtful, true);
        slowDownWhenSpent(parts, ended);
        return ended;
      }
      const isOver = attempt >= parts.attempts || asksTooMuch(ended);
      const isKeyed = verdict.uncertain && !isOver && (await outgoing.takesKey());
      if ((verdict.next !== "again" && !isKeyed) || isOver) {
        throw failureOf(outgoing.asked, doubtful ?? ended, doubtful !== undefined);
      }
      await pause(parts, { ended, attempt, signal: outgoing.signal });
    }
  } catch (error) {
    if (doubtful === undefined || !isFailure(error, "aborted")) throw error;
    throw failureOf(outgoing.asked, doubtful, true);
  }
}

/** Refusals that a server makes before it looks at the key. */
const beforeKey: ReadonlySet<ProblemCode | undefined> = new Set([
  "unauthenticated",
  "forbidden",
  "unknown_route",
  "method_not_allowed",
]);

/** True for an answer of who knows what came of the attempts before: no page of something in front of the API, and no refusal at its door. */
function settles(ended: Exchange, { next }: Verdict): boolean {
  if (!ended.answered || next === "again" || isPage(ended)) return false;
  return !beforeKey.has(refusalOf(ended));
}

async function once(
  { dispatcher, gate, timeoutMs, onRequest }: SenderParts,
  { wire, operation, reads, signal }: Outgoing,
  { attempt, stats }: { attempt: number; stats: Counts },
): Promise<Exchange> {
  const leave = await gate.enter(signal);
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
  if (ended.answered) return refusalOf(ended);
  if (ended.why === "connection") return ended.sent ? "unknown_outcome" : "unreachable";
  return ended.why === "too_large" ? "unexpected_answer" : ended.why;
}

/** A spent allowance holds everybody back until it is renewed, before the server has to refuse anyone. */
function slowDownWhenSpent({ gate, onWait }: SenderParts, { headers }: Answered): void {
  const asked = askedMs(headers, Date.now());
  if (asked === undefined || headers["retry-after"] !== undefined) return;
  const ms = Math.min(asked, limits.retryMaxMs);
  gate.pause(ms);
  if (ms >= limits.waitToldMs) onWait?.({ seconds: Math.ceil(ms / 1000), asked: true });
}

/** Nobody waits that long in front of a command; the failure says when to come back. */
function asksTooMuch(ended: Exchange): boolean {
  const asked = ended.answered ? askedMs(ended.headers, Date.now()) : undefined;
  return asked !== undefined && asked > limits.retryMaxMs;
}

async function pause(
  { gate, attempts, onWait }: SenderParts,
  last: { ended: Exchange; attempt: number; signal: AbortSignal | undefined },
): Promise<void> {
  const headers = last.ended.answered ? last.ended.headers : undefined;
  const ms = pauseMs(last.attempt, headers, Math.random());
  const slowsAll =
    last.ended.answered && (last.ended.status === 429 || headers?.["retry-after"] !== undefined);
  if (slowsAll) gate.pause(ms);
  const isSlow = !last.ended.answered && last.ended.why === "timeout";
  if (ms >= limits.waitToldMs || isSlow) {
    const seconds = Math.ceil(ms / 1000);
    const cause = last.ended.answered ? { status: last.ended.status } : isSlow && { late: true };
    onWait?.({ seconds, asked: slowsAll, ...cause, attempt: last.attempt + 1, attempts });
  }
  try {
    await sleep(ms, undefined, { signal: last.signal });
  } catch {
    throw aborted();
  }
}
