// Refuses requests for other host names at addresses of this machine (DNS rebinding).
import { isAddress, isLoopbackAddress } from "./ip-address.ts";

/**
 * Returns whether a listener on `address` answers a request with this `Host` header. On loopback it answers only for
 * localhost and IP addresses: a page in a local browser could resolve any other name to this address.
 */
export function isAllowedHost(host: string | undefined, address: string): boolean {
  if (address !== "localhost" && !isLoopbackAddress(address)) return true;
  const name = (host ?? "").replace(/:\d+$/u, "").replace(/^\[(.*)\]$/u, "$1");
  return name === "localhost" || isAddress(name);
}
