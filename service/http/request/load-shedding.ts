// Protects the event loop: bounds the requests and body bytes in flight, the work that one turn of the loop admits, and the
// time that a request waits for its turn.
import { appendTo } from "../../../core/append-to.ts";
import type { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { createCounter } from "../../../core/counter.ts";

/** The members of a request that the load shedder reads. */
interface AdmittedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly requestContext: { readonly accountId: string } | null;
}

/** A request that waits for its turn. */
interface QueuedRequest extends Pick<AdmittedRequest, "requestContext"> {
  readonly socket: { readonly destroyed: boolean };
}

/** The members of a reply that the load shedder observes. */
interface ObservedReply {
  readonly raw: Pick<EventEmitter, "once">;
}

/** Protects a server against more work than it can finish in time. */
export interface LoadShedder {
  /**
   * Counts a request until its response ends. Throws `unavailable` if the server, or the account, has too many requests
   * in flight.
   */
  admit(request: AdmittedRequest, reply: ObservedReply): void;
  /**
   * Waits until a turn of the event loop has time for more work, so that requests that are not admitted here, such as
   * health checks, are answered between turns. Accounts take turns; the requests of one start in order of arrival.
   * Throws `unavailable` if all waits of the request together exceed `limits.queueDelayMs`, and `timeout` if the client
   * has left.
   */
  takeTurn(request: QueuedRequest): Promise<void>;
  /** Records that the server has accepted a connection. */
  connectionAccepted(): void;
  /**
   * Reserves memory for the body of a request until its response ends. Throws `unavailable` if the server, or the
   * account, has too many bytes in flight. `bodyLimit` counts for a body of unknown length.
   */
  reserveBody(request: AdmittedRequest, reply: ObservedReply, bodyLimit: number): void;
}

/** Creates a load shedder with a monotonic clock in milliseconds. */
export function makeLoadShedder(now: () => number = () => performance.now()): LoadShedder {
  const requests = new InFlight(limits.requestsInFlight, limits.accountRequestsInFlight);
  const bodies = new InFlight(limits.bodiesInFlightBytes, limits.accountBodiesInFlightBytes);
  const turns = new Turns(now);
  return {
    admit: (request, reply) => requests.reserve(request, reply, 1),
    takeTurn: (request) => turns.take(request),
    connectionAccepted: () => turns.connectionAccepted(),
    reserveBody(request, reply, bodyLimit) {
      const bytes = bodyBytes(request, bodyLimit);
      if (bytes > 0) bodies.reserve(request, reply, bytes);
    },
  };
}

/** A request in the queue. */
interface Waiting {
  /** When it arrived, minus its earlier waits. */
  readonly since: number;
  readonly start: () => void;
  readonly shed: (reason: Failure) => void;
}

/** Spreads requests over turns of the event loop. */
class Turns {
  readonly #now: () => number;
  /** The waiting requests by account, first the account whose request starts next. */
  readonly #queues = new Map<string, Waiting[]>();
  /** The waiting times of requests that have started. */
  readonly #waited = new WeakMap<QueuedRequest, number>();
  /** When the first request of this turn started; undefined before it. */
  #start: number | undefined;
  #hasAccepted = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  connectionAccepted(): void {
    this.#hasAccepted = true;
  }

  async take(request: QueuedRequest): Promise<void> {
    if (this.#queues.size === 0 && this.#start === undefined) {
      this.#start = this.#now();
      setImmediate(this.#end);
    }
    if (this.#queues.size > 0 || this.#elapsed() >= limits.turnMs) await this.#wait(request);
    if (request.socket.destroyed) throw new Failure("timeout", "the client closed the connection");
  }

  async #wait(request: QueuedRequest): Promise<void> {
    const since = this.#now() - (this.#waited.get(request) ?? 0);
    const { promise, resolve: start, reject: shed } = Promise.withResolvers<void>();
    appendTo(this.#queues, accountOf(request), { since, start, shed });
    await promise;
    this.#waited.set(request, this.#now() - since);
  }

  readonly #end = (): void => {
    // Node accepts one connection in each turn. Short turns follow a long one, so that no queue of connections builds up.
    if (this.#hasAccepted && this.#elapsed() < 2 * limits.turnMs) {
      this.#hasAccepted = false;
      setImmediate(this.#end);
      return;
    }
    this.#start = undefined;
    this.#shedLate();
    if (this.#queues.size === 0) return;
    // Each request runs in the microtasks after its immediate, so the next one sees how long it took.
    for (const queue of this.#queues.values()) for (const _ of queue) setImmediate(this.#startNext);
    setImmediate(this.#end);
  };

  readonly #startNext = (): void => {
    this.#start ??= this.#now();
    const [next] = this.#queues;
    if (next === undefined || this.#elapsed() >= limits.turnMs) return;
    const [account, queue] = next;
    const first = queue.shift();
    // The account moves to the end of the queue.
    this.#queues.delete(account);
    if (queue.length > 0) this.#queues.set(account, queue);
    first?.start();
  };

  /** Sheds the requests that have waited too long, because their clients would have to wait even longer. */
  #shedLate(): void {
    const latest = this.#now() - limits.queueDelayMs;
    for (const [account, queue] of this.#queues) {
      for (const { since, shed } of queue) if (since < latest) shed(overloaded());
      const inTime = queue.filter(({ since }) => since >= latest);
      if (inTime.length > 0) this.#queues.set(account, inTime);
      else this.#queues.delete(account);
    }
  }

  #elapsed(): number {
    return this.#start === undefined ? 0 : this.#now() - this.#start;
  }
}

/** Limits an amount in flight, in total and by account. */
class InFlight {
  readonly #most: number;
  readonly #mostOfAccount: number;
  readonly #byAccount = createCounter();

  constructor(most: number, mostOfAccount: number) {
    this.#most = most;
    this.#mostOfAccount = mostOfAccount;
  }

  /** Reserves an amount until the response ends. */
  reserve(request: AdmittedRequest, { raw }: ObservedReply, amount: number): void {
    const account = accountOf(request);
    const own = this.#byAccount.count(account);
    const total = this.#byAccount.total();
    // A body larger than the limit is admitted alone.
    const isFull = own > 0 && own + amount > this.#mostOfAccount;
    if (isFull || (total > 0 && total + amount > this.#most)) throw overloaded();
    raw.once("close", this.#byAccount.add(account, amount));
  }
}

function accountOf({ requestContext }: Pick<AdmittedRequest, "requestContext">): string {
  return requestContext?.accountId ?? "";
}

function bodyBytes({ headers }: Pick<AdmittedRequest, "headers">, bodyLimit: number): number {
  if (headers["transfer-encoding"] !== undefined) return bodyLimit;
  return Math.min(bodyLimit, Number(headers["content-length"] ?? 0) || 0);
}

function overloaded(): Failure {
  return new Failure("unavailable", "the server is overloaded; try again", { retryAfter: 1 });
}
