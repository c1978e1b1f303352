// Where a request enters: over which connection, for which account, and how often its caller may.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";
import { requireSecureTransport } from "./transport-security.ts";
import type { RequestContext } from "./request-context.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** What stands before every route of the API. */
export interface RequestAdmission {
  /**
   * Finds the request's account. Fails with `forbidden` for plain HTTP from another machine, and with `unknown_host` where
   * no account answers.
   */
  resolveAccount(request: FastifyRequest): void;
  /** Counts the request, and fails with `rate_limited` where that is too much. */
  count(request: FastifyRequest, reply: FastifyReply): void;
}

/** What a gate knows. */
export interface AdmissionOptions {
  /** The account that answers on a host, which may be missing or come with a port. */
  readonly findAccount: (host: string) => RequestContext | undefined;
  /** Undefined where nothing is counted. */
  readonly limiter: RateLimiter | undefined;
}

/** The gate of one server. */
export function makeRequestAdmission({
  findAccount: accountOn,
  limiter,
}: AdmissionOptions): RequestAdmission {
  return {
    resolveAccount: (request) => {
      requireSecureTransport(request);
      const ground = accountOn(request.host);
      if (ground === undefined) {
        throw new Failure(
          "unknown_host",
          "no account answers on this host; check the address, and the server's accounts",
        );
      }
      request.requestContext = ground;
    },
    count: (request, reply) => limiter?.count(request, reply),
  };
}
