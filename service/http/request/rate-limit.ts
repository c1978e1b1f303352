// Rate limits: quotas in units of cost, for each session, user, embed tenant, deployment and account, for the sessions and
// data tokens of an account, and for each address without a valid credential. One call takes from all that concern it, or
// from none. `@fastify/rate-limit` counts one window of calls for a request, and knows neither costs nor several quotas.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";
import { clientNetwork } from "../../../core/system/ip-address.ts";
import { limits } from "../../../core/limits/limits.ts";
import { callerOf } from "../../security/principal.ts";
import { Quotas, type QuotaState } from "./quotas.ts";

/** Quotas, in units of cost; 0 means no limit. */
export interface RateLimits {
  /** Quota of one embed session. */
  readonly perSession: number;
  /** Quota of one user of one account, over all credentials. */
  readonly perUser: number;
  /** Quota of the sessions of one embed tenant together. */
  readonly perTenant: number;
  /** Quota of all tokens and sessions for one deployment together. */
  readonly perDeployment: number;
  /**
   * Quota of one account, unless the account has its own quota. Its sessions and data tokens together may use
   * {@link viewersShare} of it.
   */
  readonly perAccount: number;
  /** Quota of one address, for calls without a valid credential. */
  readonly perAddress: number;
  /** Time in which a quota is restored, in milliseconds. */
  readonly windowMs: number;
}

/** The default limits. */
export const defaultRateLimits: RateLimits = {
  perSession: limits.sessionCost,
  perUser: limits.userCost,
  perTenant: limits.tenantCost,
  perDeployment: limits.deploymentCost,
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

const policies = [
  "session",
  "user",
  "tenant",
  "deployment",
  "viewers",
  "account",
  "address",
] as const;

/** A quota that a call takes from. */
interface Charged {
  readonly policy: (typeof policies)[number];
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
  // There are many addresses and sessions. They must not evict the quotas of deployments and accounts.
  const quotas = Object.fromEntries(
    policies.map((policy) => [policy, new Quotas(now, rates.windowMs)]),
  ) as Record<Charged["policy"], Quotas>;
  const windowSeconds = rates.windowMs / 1000;
  return {
    count(request, reply, cost) {
      const states = chargedQuotas(request, rates).map((one): ChargedState => {
        return { ...one, ...quotas[one.policy].take(one.who, one.most, cost) };
      });
      const refused = longestWait(states.filter(({ isGranted }) => !isGranted));
      announce(reply, refused === undefined ? states : [refused], windowSeconds);
      if (refused === undefined) return;
      for (const one of states) {
        if (one.isGranted) quotas[one.policy].charge(one.who, one.most, -cost);
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
        return { ...one, ...quotas[one.policy].charge(one.who, one.most, cost) };
      });
      announce(reply, states, windowSeconds);
    },
  };
}

/** Returns the refusal after which a call has to wait for all others too. */
function longestWait(refusals: readonly ChargedState[]): ChargedState | undefined {
  return refusals.toSorted((one, other) => other.waitMs - one.waitMs)[0];
}

/**
 * The part of an account's quota that its sessions and data tokens together may use. The rest remains for API keys and
 * users, so that busy dashboards do not keep administrators from acting on them.
 */
const viewersShare = 0.9;

/** Returns the quotas that a request takes from, the narrowest first. */
function chargedQuotas(
  { principal, requestContext, ip }: FastifyRequest,
  rates: RateLimits,
): readonly Charged[] {
  if (principal === null || principal.credentialType === "none" || requestContext === null) {
    return limited([{ policy: "address", who: clientNetwork(ip), most: rates.perAddress }]);
  }
  const { accountId, accountQuota = rates.perAccount } = requestContext;
  const { credentialType, session, limits: scope } = principal;
  const isViewer = credentialType === "embed-token" || credentialType === "data-token";
  const [deployment] = isViewer ? (scope.deployments ?? []) : [];
  const ofViewers = accountQuota === 0 ? 0 : Math.max(1, Math.floor(accountQuota * viewersShare));
  const charged = [
    { policy: "session", who: session?.id, most: rates.perSession },
    { policy: "user", who: `${credentialType} ${callerOf(principal)}`, most: rates.perUser },
    { policy: "tenant", who: session?.tenantId, most: rates.perTenant },
    { policy: "deployment", who: deployment, most: rates.perDeployment },
    { policy: "viewers", who: isViewer ? "" : undefined, most: ofViewers },
    { policy: "account", who: "", most: accountQuota },
  ] as const;
  return limited(
    charged.flatMap(({ who, ...quota }) =>
      who === undefined ? [] : [{ ...quota, who: `${accountId} ${who}` }],
    ),
  );
}

function limited(quotas: readonly Charged[]): readonly Charged[] {
  return quotas.filter(({ most }) => most > 0);
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

/** Returns whole seconds, at least one. */
export function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
