// The origin at which a caller reaches an account.
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { isHostName, normalizeHost } from "../accounts/hosts.ts";

/** What {@link accountOrigin} reads of a request. */
export type OriginRequest = Pick<FastifyRequest, "protocol" | "host"> & {
  readonly socket: { readonly localAddress?: string; readonly localPort?: number };
};

/**
 * Returns the origin of an account. An account with a host of its own has that host, which its first custom domain
 * replaces. Other accounts answer on every host, so theirs is the host of the request.
 */
export function accountOrigin(
  hosts: readonly string[],
  { protocol, host, socket }: OriginRequest,
): string {
  const port = /:(\d+)$/.exec(host)?.[0] ?? "";
  const own = hosts[1] ?? hosts[0];
  if (own !== undefined) {
    if (protocol === "https") return `https://${own}${port}`;
    // Names below localhost are addresses of this machine, where the server speaks plain HTTP.
    return own.endsWith(".localhost") ? `http://${own}${port}` : `https://${own}`;
  }
  const asked = normalizeHost(host);
  if (isHostName(asked) || isIP(asked.replace(/^\[|\]$/g, "")) !== 0) {
    return `${protocol}://${asked}${port}`;
  }
  return `${protocol}://${urlHost(socket.localAddress ?? "127.0.0.1")}:${socket.localPort ?? 0}`;
}

function urlHost(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}
