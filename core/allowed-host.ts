// Refuses requests for other host names at addresses of this machine (DNS rebinding).
import { isIP } from "node:net";

/**
 * Returns whether a listener on `address` answers a request with this `Host` header. On loopback it answers only for
 * localhost and IP addresses: a page in a local browser could resolve any other name to this address.
 */
export function isAllowedHost(host: string | undefined, address: string): boolean {
  if (!["127.0.0.1", "::1", "localhost"].includes(address)) return true;
  const name = (host ?? "").replace(/:\d+$/u, "").replace(/^\[(.*)\]$/u, "$1");
  return name === "localhost" || isIP(name) !== 0;
}
