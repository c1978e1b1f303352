// Normalizes host names from requests and configuration.
import { hostNamePattern } from "../../core/text/text-patterns.ts";

/** The origin at which a caller reaches an account. */
export interface AccountOrigin {
  /** Such as `https://acme.svc.example.com`. */
  readonly url: string;
  /** Whether the account has a host, and with it the hosts below. */
  readonly hasHosts: boolean;
}

/** Returns `host` in lower case, without a port and without a trailing dot. */
export function normalizeHost(host: string): string {
  const text = host.trim().toLowerCase();
  const bare = text.startsWith("[") ? text.replace(/\]:\d*$/, "]") : text.replace(/:\d*$/, "");
  return bare.replace(/\.$/, "");
}

const hostPattern = new RegExp(hostNamePattern);

/**
 * Returns true for a valid host name: labels of letters, digits and hyphens. Internationalized names must be in
 * Punycode.
 */
export function isHostName(text: string): boolean {
  return text.length <= 253 && hostPattern.test(text);
}
