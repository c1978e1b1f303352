// Limits the requests to each deployment, of each embed tenant and of each session: buckets that refill at constant rates.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** Who sends a request. */
export interface Sender {
  readonly deployment: string;
  readonly tenant?: string;
  /** Undefined for other credentials, which have only the limit of the deployment. */
  readonly session?: string | undefined;
}

interface Bucket {
  readonly key: string;
  readonly rate: number;
  readonly burst: number;
  readonly left: number;
  readonly at: number;
}

/** Returns a function that counts a request. It throws `rate_limited` above a limit. `now` is a monotonic clock. */
export function limitRequests(now: () => number): (sender: Sender) => void {
  const buckets = new Map<string, Bucket>();
  const refilled = ({ left, at, rate, burst }: Bucket) =>
    Math.min(burst, left + ((now() - at) / 1000) * rate);
  /** A full bucket is equivalent to a missing one. */
  const dropFull = () => {
    for (const [key, bucket] of buckets) {
      if (refilled(bucket) >= bucket.burst) buckets.delete(key);
    }
  };
  return (sender) => {
    const concerned = limitsOf(sender).map(({ whose, ...one }) => {
      const known = buckets.get(one.key);
      const left = known === undefined ? one.burst : refilled(known);
      if (left >= 1) return { ...one, left: left - 1, at: now() };
      const text = `${whose} may send at most ${one.rate} requests per second`;
      throw new Failure("rate_limited", text, { retryAfter: 1 });
    });
    if (buckets.size >= bucketsMax) dropFull();
    for (const bucket of concerned) buckets.set(bucket.key, bucket);
  };
}

/** Returns the limits that a request counts for, the narrowest first. */
function limitsOf({ deployment, tenant = "", session }: Sender) {
  const ofDeployment = {
    key: deployment,
    whose: "all callers of the deployment",
    rate: limits.deploymentRequests,
    burst: limits.deploymentBurst,
  };
  if (session === undefined) return [ofDeployment];
  return [
    {
      key: JSON.stringify([deployment, session]),
      whose: "the session",
      rate: limits.sessionRequests,
      burst: limits.sessionBurst,
    },
    {
      key: JSON.stringify([deployment, "tenant", tenant]),
      whose: "the embed tenant",
      rate: limits.tenantRequests,
      burst: limits.tenantBurst,
    },
    ofDeployment,
  ];
}

/** Number of buckets above which full ones are dropped. */
const bucketsMax = 1000;
