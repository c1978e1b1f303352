// The origin at which a caller reaches an account.
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { type AccountOrigin, isHostName, normalizeHost } from "../../accounts/hosts.ts";

/** The members of a request that {@link accountOrigin} reads. */
export type OriginRequest = Pick<FastifyRequest, "protocol" | "host"> & {
  readonly socket: { readonly localAddress?: string; readonly localPort?: number };
};

/**
 * Returns the origin of an account. An account with a host uses its first custom domain, otherwise that host. Other
 * accounts answer on every host and use the host of the request.
 */
export function accountOrigin(
  hosts: readonly string[],
  { protocol, host, socket }: OriginRequest,
): AccountOrigin {
  if (hosts.length > 0) return { url: originOfHost(hosts, { protocol, host }), hasHosts: true };
  const name = normalizeHost(host);
  if (isHostName(name) || isIP(name.replace(/^\[|\]$/g, "")) !== 0) {
    return { url: `${protocol}://${name}${portOf(host)}`, hasHosts: false };
  }
  const address = urlHost(socket.localAddress ?? "127.0.0.1");
  return { url: `${protocol}://${address}:${socket.localPort ?? 0}`, hasHosts: false };
}

function originOfHost(
  hosts: readonly string[],
  { protocol, host }: Pick<OriginRequest, "protocol" | "host">,
): string {
  const own = hosts[1] ?? hosts[0];
  if (protocol === "https") return `https://${own}${portOf(host)}`;
  // Names below localhost are addresses of this machine, on which the server speaks plain HTTP.
  return own?.endsWith(".localhost") === true ? `http://${own}${portOf(host)}` : `https://${own}`;
}

function portOf(host: string): string {
  return /:(\d+)$/.exec(host)?.[0] ?? "";
}

function urlHost(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}
