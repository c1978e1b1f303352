// Sheds requests before they queue up: on the delay of the event loop, and on the bytes of request bodies in flight.
// Measures the delay per request, because libraries that sample it miss a burst that arrives in one turn of the loop.
import type { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";

/** What the load shedder reads of a request. */
interface BodyRequest {
  readonly headers: IncomingHttpHeaders;
  readonly requestContext: { readonly accountId: string } | null;
}

/** What the load shedder observes of a reply. */
interface BodyReply {
  readonly raw: Pick<EventEmitter, "once">;
}

/** Protects a server against more work than it can finish in time. */
export interface LoadShedder {
  /** Throws `unavailable` if requests have waited too long for the event loop. */
  admit(): void;
  /**
   * Reserves memory for the body of a request until its response ends. Throws `unavailable` if the server, or the
   * account, has too many bytes in flight. `bodyLimit` counts for a body of unknown length.
   */
  reserveBody(request: BodyRequest, reply: BodyReply, bodyLimit: number): void;
  stop(): void;
}

/** Creates a load shedder with a monotonic clock in milliseconds. */
export function makeLoadShedder(now: () => number = () => performance.now()): LoadShedder {
  let lastBeat = now();
  let admitted = 0;
  const heartbeat = setInterval(() => {
    lastBeat = now();
    admitted = 0;
  }, limits.heartbeatMs).unref();
  const bodies = new BodyBudget();
  return {
    admit() {
      const delay = now() - lastBeat - limits.heartbeatMs;
      // A single slow request makes no queue, so the first requests of a turn are always served.
      if (delay > limits.queueDelayMs && admitted >= limits.requestsPerBeat) throw overloaded();
      admitted++;
    },
    reserveBody(request, reply, bodyLimit) {
      const bytes = bodyBytes(request, bodyLimit);
      if (bytes === 0) return;
      const account = request.requestContext?.accountId ?? "";
      bodies.reserve(account, bytes);
      reply.raw.once("close", () => bodies.release(account, bytes));
    },
    stop: () => clearInterval(heartbeat),
  };
}

/** The bytes of bodies in flight, by account. */
class BodyBudget {
  readonly #byAccount = new Map<string, number>();
  #total = 0;

  reserve(account: string, bytes: number): void {
    const own = this.#byAccount.get(account) ?? 0;
    // A body larger than the budget is admitted alone.
    const isFull = own > 0 && own + bytes > limits.accountBodiesInFlightBytes;
    if (isFull || (this.#total > 0 && this.#total + bytes > limits.bodiesInFlightBytes)) {
      throw overloaded();
    }
    this.#byAccount.set(account, own + bytes);
    this.#total += bytes;
  }

  release(account: string, bytes: number): void {
    const own = (this.#byAccount.get(account) ?? 0) - bytes;
    if (own > 0) this.#byAccount.set(account, own);
    else this.#byAccount.delete(account);
    this.#total -= bytes;
  }
}

function bodyBytes({ headers }: Pick<BodyRequest, "headers">, bodyLimit: number): number {
  if (headers["transfer-encoding"] !== undefined) return bodyLimit;
  return Math.min(bodyLimit, Number(headers["content-length"] ?? 0) || 0);
}

function overloaded(): Failure {
  return new Failure("unavailable", "the server is overloaded; try again", { retryAfter: 1 });
}
