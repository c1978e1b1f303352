// Decides which hosts the service may connect to: public addresses over encrypted connections, and hosts that the
// operator allows.
import { lookup } from "node:dns/promises";
import { isIP, isIPv4, isIPv6 } from "node:net";
import type { Failure } from "../../core/errors.ts";
import { isPrivateAddress } from "../../core/system/ip-address.ts";

/** A connection that a user asks for. */
export interface Destination {
  readonly host: string;
  readonly isEncrypted: boolean;
  /** Hosts that may have private addresses, and may be reached without encryption. */
  readonly privateHosts: readonly string[];
  /** The option of the server that allows a host. */
  readonly option: string;
  /** The remedy for a connection that is not encrypted: `is reached over plain HTTP; use https`. */
  readonly plainProblem: string;
  readonly fail: (message: string, cause?: unknown) => Failure;
}

/**
 * Returns the addresses to connect to; empty if the host may have any address. Throws the error that `fail` returns.
 */
export async function allowedHostAddresses(destination: Destination): Promise<readonly string[]> {
  const { host, isEncrypted, privateHosts, option, plainProblem, fail } = destination;
  if (privateHosts.includes(host)) return [];
  const ask = `ask the operator to start the server with ${option} ${host}`;
  if (!isEncrypted) throw fail(`${host} ${plainProblem}, or ${ask}`);
  const addresses = isIP(host) === 0 ? await resolveHost(destination) : [host];
  if (addresses.some(isPrivateAddress)) throw fail(`${host} has a private address; ${ask}`);
  // IPv4 first, because a network without IPv6 often still resolves IPv6 addresses.
  return addresses.toSorted((a, b) => Number(isIPv4(b)) - Number(isIPv4(a)));
}

/** Returns a resolution that has only an address that was checked: a second one could lead elsewhere. */
export function lookupOf(address: string) {
  const family = isIPv6(address) ? 6 : 4;
  return (
    _: string,
    options: { readonly all?: boolean | undefined },
    done: (error: null, found: never, family?: number) => void,
  ) =>
    options.all ? done(null, [{ address, family }] as never) : done(null, address as never, family);
}

async function resolveHost({ host, fail }: Destination): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw fail(`the host ${host} cannot be resolved`, cause);
  }
}
