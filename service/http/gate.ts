// Where a request enters: over which connection, for which account, and how often its caller may.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../core/errors.ts";
import { refusePlain } from "./forwarded.ts";
import type { Ground } from "./ground.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** What stands before every route of the API. */
export interface Gate {
  /**
   * Finds the request's account. Fails with `forbidden` for plain HTTP from another machine, and with `unknown_host` where
   * no account answers.
   */
  enter(request: FastifyRequest): void;
  /** Counts the request, and fails with `rate_limited` where that is too much. */
  count(request: FastifyRequest, reply: FastifyReply): void;
}

/** What a gate knows. */
export interface GateParts {
  /** The account that answers on a host, which may be missing or come with a port. */
  readonly accountOn: (host: string) => Ground | undefined;
  /** Undefined where nothing is counted. */
  readonly limiter: RateLimiter | undefined;
}

/** The gate of one server. */
export function makeGate({ accountOn, limiter }: GateParts): Gate {
  return {
    enter: (request) => {
      refusePlain(request);
      const ground = accountOn(request.host);
      if (ground === undefined) {
        throw new Failure(
          "unknown_host",
          "no account answers on this host; check the address, and the server's accounts",
        );
      }
      request.ground = ground;
    },
    count: (request, reply) => limiter?.count(request, reply),
  };
}
