// Which connections may carry credentials: TLS, a trusted proxy that says it spoke TLS, and this machine itself.
import type { FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";

/**
 * Fails with `forbidden` for a request that came in clear text from another machine. Where the peer is a trusted proxy, what
 * it says of its own client counts, and `request.protocol` is that.
 */
export function refusePlain(request: FastifyRequest): void {
  if (request.protocol === "https") return;
  const { remoteAddress } = request.socket;
  const isForwarded = request.ips !== undefined && request.ips.length > 1;
  if (!isForwarded && isLoopback(remoteAddress)) return;
  throw new Failure(
    "forbidden",
    "only HTTPS is accepted; use https://, and take a key that was sent in clear for known to others",
  );
}

/** True for an address of this machine itself, also where IPv6 wraps it. */
export function isLoopback(address: string | undefined): boolean {
  return (
    address !== undefined && /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1|localhost)$/.test(address)
  );
}
