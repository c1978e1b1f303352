// Limits how many webhooks, and how many unknown tokens, a controller accepts in a window of time.
import { clientNetwork } from "../core/system/ip-address.ts";
import { limits } from "../core/limits/limits.ts";

/**
 * Limits requests in fixed windows. Returns the seconds to wait if there are too many. `monotonicMs` is
 * a clock that is never set back.
 */
export function requestRateLimit(
  monotonicMs: () => number,
  most: number = limits.hooks,
): () => number | undefined {
  let began = -Infinity;
  let count = 0;
  return () => {
    if (monotonicMs() - began >= limits.hookWindowMs) {
      began = monotonicMs();
      count = 0;
    }
    count++;
    if (count <= most) return undefined;
    return Math.ceil((began + limits.hookWindowMs - monotonicMs()) / 1000);
  };
}

/**
 * Limits the unknown tokens of each client and of all. Returns the seconds that a client has to wait if there are too many.
 * Clients that exceed their own limit do not use up that of all.
 */
export function unknownTokenLimit(
  monotonicMs: () => number,
): (address: string) => number | undefined {
  const ofAll = requestRateLimit(monotonicMs, limits.controllerUnknownTokens);
  const clients = new Map<string, ReturnType<typeof requestRateLimit>>();
  return (address) => {
    const network = clientNetwork(address);
    const ofClient = clients.get(network) ?? requestRateLimit(monotonicMs);
    clients.delete(network);
    clients.set(network, ofClient);
    const [oldest = ""] = clients.keys();
    if (clients.size > limits.controllerClients) clients.delete(oldest);
    return ofClient() ?? ofAll();
  };
}
