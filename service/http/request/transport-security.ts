// Decides which connections may carry credentials: TLS, a trusted proxy that terminated TLS, and loopback.
import { isIP, type Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";
import { isLoopbackAddress } from "../../../core/system/ip-address.ts";

/**
 * Throws `forbidden` for a plain HTTP request from another machine. If the peer is a trusted proxy, its forwarding
 * headers count, through `request.protocol`.
 */
export function requireSecureTransport(request: FastifyRequest): void {
  if (request.protocol === "https") return;
  const isForwarded = request.ips !== undefined && request.ips.length > 1;
  if (!isForwarded && isFromLoopback(request.socket)) return;
  throw new Failure(
    "forbidden",
    "only HTTPS is accepted; use https://, and replace any key that was sent over plain HTTP",
  );
}

/** Caches results for open connections, so that an address is not parsed again for each request. */
const loopback = new WeakMap<Socket, boolean>();

function isFromLoopback(socket: Socket): boolean {
  const known = loopback.get(socket);
  if (known !== undefined) return known;
  const { remoteAddress } = socket;
  const is = remoteAddress !== undefined && isLoopbackAddress(remoteAddress);
  loopback.set(socket, is);
  return is;
}

/** Throws `usage` for anything that is not an address or a range, and for the range of all addresses. */
export function validateProxyRanges(ranges: readonly string[]): void {
  for (const range of ranges) {
    const [address = "", bits, ...more] = range.split("/");
    const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (most > 0 && isRange && more.length === 0 && Number(bits ?? most) > 0) continue;
    throw new Failure("usage", `${JSON.stringify(range)} cannot be a trusted proxy`, {
      remedy:
        "Pass addresses or ranges such as 10.0.0.7, 10.0.0.0/8 or fd00::/8, but not the range of all addresses.",
    });
  }
}
