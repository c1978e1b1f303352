// Rate limits: quotas in units of cost, for each user, for each account, and for each address without a valid credential.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";
import { clientNetwork } from "../../../core/system/ip-address.ts";
import { limits } from "../../../core/limits/limits.ts";
import { callerOf } from "../../security/principal.ts";
import { Quotas, type QuotaState } from "./quotas.ts";

/** Quotas, in units of cost; 0 means no limit. */
export interface RateLimits {
  /** Quota of one user of one account, over all credentials. */
  readonly perUser: number;
  /** Quota of all users of one account together, unless the account has its own quota. */
  readonly perAccount: number;
  /** Quota of one address, for calls without a valid credential. */
  readonly perAddress: number;
  /** Time in which a quota is restored, in milliseconds. */
  readonly windowMs: number;
}

/** The default limits. */
export const defaultRateLimits: RateLimits = {
  perUser: limits.userCost,
  perAccount: limits.accountCost,
  perAddress: limits.addressCost,
  windowMs: limits.rateWindowMs,
};

/** Counts calls in this process. */
export interface RateLimiter {
  /**
   * Takes the cost of a call once its principal is known, and sets the standard headers. Throws `rate_limited` if less is
   * left.
   */
  count(request: FastifyRequest, reply: FastifyReply, cost: number): void;
  /**
   * Takes the cost of the items in the body of a call that was counted. The next calls wait until the missing units are
   * restored.
   */
  chargeItems(request: FastifyRequest, reply: FastifyReply, cost: number): void;
}

/** A quota that a call takes from. */
interface Charged {
  readonly policy: "user" | "account" | "address";
  readonly who: string;
  readonly most: number;
}

/** A quota after a call took from it. */
type ChargedState = Charged & QuotaState;

/**
 * Creates a limiter. `now` is a monotonic clock in milliseconds, so that a change of the system time neither blocks nor
 * frees a client.
 */
export function makeRateLimiter(rates: RateLimits, now: () => number): RateLimiter {
  // There are many addresses. They must not evict the quotas of callers with a credential.
  const addresses = new Quotas(now, rates.windowMs);
  const known = new Quotas(now, rates.windowMs);
  const quotasOf = ({ policy }: Charged): Quotas => (policy === "address" ? addresses : known);
  const windowSeconds = rates.windowMs / 1000;
  return {
    count(request, reply, cost) {
      const states = chargedQuotas(request, rates).map((one): ChargedState => {
        return { ...one, ...quotasOf(one).take(one.who, one.most, cost) };
      });
      const refused = states.find(({ isGranted }) => !isGranted);
      announce(reply, refused === undefined ? states : [refused], windowSeconds);
      if (refused === undefined) return;
      for (const one of states) {
        if (one.isGranted) quotasOf(one).charge(one.who, one.most, -cost);
      }
      const { policy, most, waitMs } = refused;
      const seconds = toSeconds(waitMs);
      throw new Failure(
        "rate_limited",
        `this call costs ${cost}, and the ${policy} may use ${most} in ${windowSeconds} seconds; retry after ${seconds} s`,
        { retryAfter: seconds },
      );
    },
    chargeItems(request, reply, cost) {
      if (cost === 0) return;
      const states = chargedQuotas(request, rates).map((one): ChargedState => {
        return { ...one, ...quotasOf(one).charge(one.who, one.most, cost) };
      });
      announce(reply, states, windowSeconds);
    },
  };
}

/** Returns the quotas that a request takes from: the quotas of its user and account, or the quota of its address. */
function chargedQuotas(
  { principal, requestContext, ip }: FastifyRequest,
  { perUser, perAccount, perAddress }: RateLimits,
): readonly Charged[] {
  if (principal === null || principal.credentialType === "none" || requestContext === null) {
    if (perAddress === 0) return [];
    return [{ policy: "address", who: clientNetwork(ip), most: perAddress }];
  }
  const { accountId, accountQuota = perAccount } = requestContext;
  const charged: Charged[] = [];
  if (perUser > 0) {
    const who = `user ${accountId} ${principal.credentialType} ${callerOf(principal)}`;
    charged.push({ policy: "user", who, most: perUser });
  }
  if (accountQuota > 0) {
    charged.push({ policy: "account", who: `account ${accountId}`, most: accountQuota });
  }
  return charged;
}

/**
 * Sets the headers of the IETF draft on rate limits for the quota with the smallest remaining share. `r` is the number
 * of remaining units. After `t` seconds the quota is full or, if it is exhausted, sufficient for the next call. The
 * error response adds `Retry-After`.
 */
function announce(
  reply: FastifyReply,
  states: readonly ChargedState[],
  windowSeconds: number,
): void {
  let scarcest: ChargedState | undefined;
  for (const one of states) {
    if (scarcest === undefined || one.left / one.most < scarcest.left / scarcest.most) {
      scarcest = one;
    }
  }
  if (scarcest === undefined) return;
  const { policy, most, left, waitMs, fullMs } = scarcest;
  const seconds = toSeconds(left === 0 ? waitMs : fullMs);
  reply.header("ratelimit-policy", `"${policy}";q=${most};w=${windowSeconds}`);
  reply.header("ratelimit", `"${policy}";r=${left};t=${seconds}`);
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

interface RateWindow {
  /** A time of the monotonic clock, in milliseconds. */
  readonly ends: number;
  used: number;
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

  /** Returns the number of requests in the current window. */
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
