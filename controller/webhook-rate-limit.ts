// Rate limit of webhooks.
import { limits } from "../core/limits.ts";

/** Limits requests in fixed windows. Returns the seconds to wait if there are too many. */
export function webhookRateLimit(now: () => number): () => number | undefined {
  let began = -Infinity;
  let count = 0;
  return () => {
    if (now() - began >= limits.hookWindowMs) {
      began = now();
      count = 0;
    }
    count++;
    if (count <= limits.hooks) return undefined;
    return Math.ceil((began + limits.hookWindowMs - now()) / 1000);
  };
}
