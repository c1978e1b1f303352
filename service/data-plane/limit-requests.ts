// Limits the requests to each deployment: a bucket that refills at a constant rate.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** Returns a function that counts a request. It throws `rate_limited` above the limit. `now` is a monotonic clock. */
export function limitRequests(now: () => number): (deployment: string) => void {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();
  const refilled = ({ left, at }: { readonly left: number; readonly at: number }) =>
    Math.min(limits.deploymentBurst, left + ((now() - at) / 1000) * limits.deploymentRequests);
  /** A full bucket is equivalent to a missing one. */
  const dropFull = () => {
    for (const [key, bucket] of buckets) {
      if (refilled(bucket) >= limits.deploymentBurst) buckets.delete(key);
    }
  };
  return (deployment) => {
    const bucket = buckets.get(deployment);
    if (bucket === undefined && buckets.size >= bucketsMax) dropFull();
    const available = bucket === undefined ? limits.deploymentBurst : refilled(bucket);
    if (available < 1) {
      throw new Failure(
        "rate_limited",
        `the deployment answers at most ${limits.deploymentRequests} requests per second`,
        { retryAfter: 1 },
      );
    }
    buckets.set(deployment, { left: available - 1, at: now() });
  };
}

/** Number of deployments above which full buckets are dropped. */
const bucketsMax = 1000;
