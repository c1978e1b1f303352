// Protects the event loop: bounds the requests and body bytes in flight, and the work that one turn of the loop admits.
import type { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";

/** What the load shedder reads of a request. */
interface AdmittedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly requestContext: { readonly accountId: string } | null;
}

/** What the load shedder observes of a reply. */
interface ObservedReply {
  readonly raw: Pick<EventEmitter, "once">;
}

/** What the load shedder reads of a connection. */
interface ClientConnection {
  readonly socket: { readonly destroyed: boolean };
}

/** Protects a server against more work than it can finish in time. */
export interface LoadShedder {
  /**
   * Counts a request until its response ends. Throws `unavailable` if the server, or the account, has too many requests
   * in flight.
   */
  admit(request: AdmittedRequest, reply: ObservedReply): void;
  /**
   * Waits until a turn of the event loop has time for more work, in order of arrival, so that requests that are not
   * admitted here, such as health checks, are answered between turns. Throws `timeout` if the client has left.
   */
  takeTurn(connection: ClientConnection): Promise<void>;
  /** Notes that the server has accepted a connection. */
  connectionAccepted(): void;
  /**
   * Reserves memory for the body of a request until its response ends. Throws `unavailable` if the server, or the
   * account, has too many bytes in flight. `bodyLimit` counts for a body of unknown length.
   */
  reserveBody(request: AdmittedRequest, reply: ObservedReply, bodyLimit: number): void;
}

/** Creates a load shedder with a monotonic clock in milliseconds. */
export function makeLoadShedder(now: () => number = () => performance.now()): LoadShedder {
  const requests = new Budget(limits.requestsInFlight, limits.accountRequestsInFlight);
  const bodies = new Budget(limits.bodiesInFlightBytes, limits.accountBodiesInFlightBytes);
  const turns = new Turns(now);
  return {
    admit: (request, reply) => requests.reserve(request, reply, 1),
    takeTurn: (connection) => turns.take(connection),
    connectionAccepted: () => turns.connectionAccepted(),
    reserveBody(request, reply, bodyLimit) {
      const bytes = bodyBytes(request, bodyLimit);
      if (bytes > 0) bodies.reserve(request, reply, bytes);
    },
  };
}

/** Spreads requests over turns of the event loop, in order of arrival. */
class Turns {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  /** When the first request of this turn started; undefined before it. */
  #start: number | undefined;
  #hasAccepted = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  connectionAccepted(): void {
    this.#hasAccepted = true;
  }

  async take({ socket }: ClientConnection): Promise<void> {
    if (this.#waiting.length === 0 && this.#start === undefined) {
      this.#start = this.#now();
      setImmediate(this.#end);
    }
    if (this.#waiting.length > 0 || this.#elapsed() >= limits.turnMs) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (socket.destroyed) throw new Failure("timeout", "the client closed the connection");
  }

  readonly #end = (): void => {
    // Node accepts one connection in each turn. Short turns follow a long one, so that no queue of connections builds up.
    if (this.#hasAccepted && this.#elapsed() < 2 * limits.turnMs) {
      this.#hasAccepted = false;
      setImmediate(this.#end);
      return;
    }
    this.#start = undefined;
    if (this.#waiting.length === 0) return;
    // Each request runs in the microtasks after its immediate, so the next one sees the time that it took.
    for (let left = this.#waiting.length; left > 0; left--) setImmediate(this.#resumeFirst);
    setImmediate(this.#end);
  };

  readonly #resumeFirst = (): void => {
    this.#start ??= this.#now();
    if (this.#elapsed() < limits.turnMs) this.#waiting.shift()?.();
  };

  #elapsed(): number {
    return this.#start === undefined ? 0 : this.#now() - this.#start;
  }
}

/** An amount in flight, in total and by account. */
class Budget {
  readonly #most: number;
  readonly #mostOfAccount: number;
  readonly #byAccount = new Map<string, number>();
  #total = 0;

  constructor(most: number, mostOfAccount: number) {
    this.#most = most;
    this.#mostOfAccount = mostOfAccount;
  }

  /** Reserves an amount until the response ends. */
  reserve({ requestContext }: AdmittedRequest, { raw }: ObservedReply, amount: number): void {
    const account = requestContext?.accountId ?? "";
    const own = this.#byAccount.get(account) ?? 0;
    // A body larger than the budget is admitted alone.
    const isFull = own > 0 && own + amount > this.#mostOfAccount;
    if (isFull || (this.#total > 0 && this.#total + amount > this.#most)) throw overloaded();
    this.#byAccount.set(account, own + amount);
    this.#total += amount;
    raw.once("close", () => this.#release(account, amount));
  }

  #release(account: string, amount: number): void {
    const own = (this.#byAccount.get(account) ?? 0) - amount;
    if (own > 0) this.#byAccount.set(account, own);
    else this.#byAccount.delete(account);
    this.#total -= amount;
  }
}

function bodyBytes({ headers }: Pick<AdmittedRequest, "headers">, bodyLimit: number): number {
  if (headers["transfer-encoding"] !== undefined) return bodyLimit;
  return Math.min(bodyLimit, Number(headers["content-length"] ?? 0) || 0);
}

function overloaded(): Failure {
  return new Failure("unavailable", "the server is overloaded; try again", { retryAfter: 1 });
}
