// Limits how many webhooks, and how many unknown tokens, a controller accepts in a window of time.
import { limits } from "../core/limits/limits.ts";

/**
 * Limits requests in fixed windows. Returns the seconds to wait if there are too many. `monotonicMs` is
 * a clock that is never set back.
 */
export function requestRateLimit(monotonicMs: () => number): () => number | undefined {
  let began = -Infinity;
  let count = 0;
  return () => {
    if (monotonicMs() - began >= limits.hookWindowMs) {
      began = monotonicMs();
      count = 0;
    }
    count++;
    if (count <= limits.hooks) return undefined;
    return Math.ceil((began + limits.hookWindowMs - monotonicMs()) / 1000);
  };
}
