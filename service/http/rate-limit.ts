// How often callers may ask: each user of an account, and each address that shows no valid credential, counted in windows.
import { isIPv6 } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";

/** Requests in one window; 0 for as many as they like. */
export interface RateLimits {
  /** For one user of one account, over all credentials. */
  readonly perUser: number;
  /** For one address, of requests without a valid credential. */
  readonly perAddress: number;
}

/** What holds where nothing else is said. */
export const defaultRateLimits: RateLimits = {
  perUser: limits.userRequests,
  perAddress: limits.addressRequests,
};

/** Counts requests in this process. */
export interface RateLimiter {
  /**
   * Counts a request, once its caller is known or known not to be, and tells what is left in the standard headers. Fails
   * with `rate_limited` when the window is used up.
   */
  count(request: FastifyRequest, reply: FastifyReply): void;
}

interface RateWindow {
  /** Milliseconds since 1970. */
  readonly ends: number;
  used: number;
}

/** A limiter with `now` as its clock, in milliseconds since 1970; undefined where nothing is limited. */
export function makeRateLimiter(rates: RateLimits, now: () => number): RateLimiter | undefined {
  if (rates.perUser === 0 && rates.perAddress === 0) return undefined;
  const users = new RateWindows(now);
  const addresses = new RateWindows(now);
  return {
    count(request, reply) {
      const { principal, requestContext: ground } = request;
      const isUser = principal !== null && principal.credentialType !== "nobody";
      const most = isUser ? rates.perUser : rates.perAddress;
      if (most === 0) return;
      const { used, ends } =
        isUser && ground !== null
          ? users.count(`${ground.accountId} ${principal.credentialType} ${principal.userId}`)
          : addresses.count(addressGroup(request.ip));
      const seconds = Math.max(1, Math.ceil((ends - now()) / 1000));
      setRateLimitHeaders(reply, {
        policy: isUser ? "user" : "address",
        most,
        left: most - used,
        seconds,
      });
      if (used > most) {
        throw new Failure(
          "rate_limited",
          `more than ${most} requests in ${limits.rateWindowMs / 1000} seconds; wait ${seconds} s`,
          { retryAfter: seconds },
        );
      }
    },
  };
}

/** The headers of the IETF's draft on rate limits; `Retry-After` comes with the failure. */
function setRateLimitHeaders(
  reply: FastifyReply,
  limit: { policy: string; most: number; left: number; seconds: number },
): void {
  const { policy, most, left, seconds } = limit;
  reply.header("ratelimit-policy", `"${policy}";q=${most};w=${limits.rateWindowMs / 1000}`);
  reply.header("ratelimit", `"${policy}";r=${Math.max(0, left)};t=${seconds}`);
}

/** Windows by who is counted; where they are too many, the one that began first is forgotten. */
class RateWindows {
  readonly #open = new Map<string, RateWindow>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one more. */
  count(who: string): RateWindow {
    const open = this.#open.get(who);
    if (open !== undefined && open.ends > this.#now()) {
      open.used++;
      return open;
    }
    this.#open.delete(who);
    if (this.#open.size >= limits.rateWindows) this.#forgetFirst();
    const window = { ends: this.#now() + limits.rateWindowMs, used: 1 };
    this.#open.set(who, window);
    return window;
  }

  #forgetFirst(): void {
    for (const who of this.#open.keys()) {
      this.#open.delete(who);
      return;
    }
  }
}

/** Who has one IPv6 address has all of its /64. */
function addressGroup(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
