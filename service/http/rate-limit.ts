// Rate limits: counts requests per user, and per address for requests without a valid credential, in fixed windows.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";
import { clientNetwork } from "../../core/ip-address.ts";
import { limits } from "../../core/limits.ts";
import { callerOf } from "../security/principal.ts";

/** Requests per window; 0 means no limit. */
export interface RateLimits {
  /** Limit for one user of one account, over all credentials. */
  readonly perUser: number;
  /** Limit for one address, for requests without a valid credential. */
  readonly perAddress: number;
  /** Length of a window in milliseconds. */
  readonly windowMs: number;
}

/** The default limits. */
export const defaultRateLimits: RateLimits = {
  perUser: limits.userRequests,
  perAddress: limits.addressRequests,
  windowMs: limits.rateWindowMs,
};

/** Counts requests in this process. */
export interface RateLimiter {
  /**
   * Counts a request once its principal is known, and sets the standard headers. Throws `rate_limited` if the window
   * is used up.
   */
  count(request: FastifyRequest, reply: FastifyReply): void;
}

interface RateWindow {
  /** A time of the monotonic clock, in milliseconds. */
  readonly ends: number;
  used: number;
}

/**
 * Creates a limiter; undefined if there are no limits. `now` is a monotonic clock in milliseconds, so that a change of
 * the system time neither blocks nor frees a client.
 */
export function makeRateLimiter(rates: RateLimits, now: () => number): RateLimiter | undefined {
  if (rates.perUser === 0 && rates.perAddress === 0) return undefined;
  const windowSeconds = rates.windowMs / 1000;
  const users = new RateWindows(now, rates.windowMs);
  const addresses = new RateWindows(now, rates.windowMs);
  return {
    count(request, reply) {
      const { principal, requestContext } = request;
      const isUser = principal !== null && principal.credentialType !== "none";
      const most = isUser ? rates.perUser : rates.perAddress;
      if (most === 0) return;
      const { used, ends } =
        isUser && requestContext !== null
          ? users.count(
              `${requestContext.accountId} ${principal.credentialType} ${callerOf(principal)}`,
            )
          : addresses.count(clientNetwork(request.ip));
      const seconds = Math.max(1, Math.ceil((ends - now()) / 1000));
      setRateLimitHeaders(reply, {
        policy: isUser ? "user" : "address",
        most,
        left: most - used,
        seconds,
        windowSeconds,
      });
      if (used > most) {
        throw new Failure(
          "rate_limited",
          `more than ${most} requests in ${windowSeconds} seconds; retry after ${seconds} s`,
          { retryAfter: seconds },
        );
      }
    },
  };
}

/** The headers of the IETF draft on rate limits. The error response adds `Retry-After`. */
function setRateLimitHeaders(
  reply: FastifyReply,
  limit: { policy: string; most: number; left: number; seconds: number; windowSeconds: number },
): void {
  const { policy, most, left, seconds, windowSeconds } = limit;
  reply.header("ratelimit-policy", `"${policy}";q=${most};w=${windowSeconds}`);
  reply.header("ratelimit", `"${policy}";r=${Math.max(0, left)};t=${seconds}`);
}

/** Windows by client. Evicts the oldest window at the maximum number. */
export class RateWindows {
  readonly #open = new Map<string, RateWindow>();
  readonly #now: () => number;
  readonly #windowMs: number;

  constructor(now: () => number, windowMs: number) {
    this.#now = now;
    this.#windowMs = windowMs;
  }

  /** Counts one request. */
  count(who: string): RateWindow {
    const open = this.#open.get(who);
    if (open !== undefined && open.ends > this.#now()) {
      open.used++;
      return open;
    }
    this.#open.delete(who);
    if (this.#open.size >= limits.rateWindows) this.#forgetFirst();
    const window = { ends: this.#now() + this.#windowMs, used: 1 };
    this.#open.set(who, window);
    return window;
  }

  /** Returns how many requests were counted in the current window. */
  used(who: string): number {
    const open = this.#open.get(who);
    return open !== undefined && open.ends > this.#now() ? open.used : 0;
  }

  #forgetFirst(): void {
    for (const who of this.#open.keys()) {
      this.#open.delete(who);
      return;
    }
  }
}
