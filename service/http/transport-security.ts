// Which connections may carry credentials: TLS, a trusted proxy that says it spoke TLS, and this machine itself.
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";

/**
 * Fails with `forbidden` for a request that came in clear text from another machine. Where the peer is a trusted proxy, what
 * it says of its own client counts, and `request.protocol` is that.
 */
export function requireSecureTransport(request: FastifyRequest): void {
  if (request.protocol === "https") return;
  const { remoteAddress } = request.socket;
  const isForwarded = request.ips !== undefined && request.ips.length > 1;
  if (!isForwarded && isLoopback(remoteAddress)) return;
  throw new Failure(
    "forbidden",
    "only HTTPS is accepted; use https://, and take a key that was sent in clear for known to others",
  );
}

/** Fails with `usage` for what is no address or range of addresses, and for the range of all. */
export function validateProxyRanges(ranges: readonly string[]): void {
  for (const range of ranges) {
    const [address = "", bits, ...more] = range.split("/");
    const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (most > 0 && isRange && more.length === 0 && Number(bits ?? most) > 0) continue;
    throw new Failure("usage", `${JSON.stringify(range)} cannot be trusted as a proxy`, {
      remedy: "Name addresses or ranges such as 10.0.0.7, 10.0.0.0/8 or fd00::/8; not that of all.",
    });
  }
}

/** True for an address of this machine itself, also where IPv6 wraps it. */
export function isLoopback(address: string | undefined): boolean {
  return (
    address !== undefined && /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1|localhost)$/.test(address)
  );
}
