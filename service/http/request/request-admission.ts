// Admits requests: checks the connection, finds the account, and applies rate limits.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";
import { requireSecureTransport } from "./transport-security.ts";
import type { RequestContext } from "./request-context.ts";
import type { LoadShedder } from "./load-shedding.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** The checks before every route of the API. */
export interface RequestAdmission {
  /**
   * Finds the request's account. Throws `forbidden` for plain HTTP from another machine and `unknown_host` if no
   * account has the host.
   */
  resolveAccount(request: FastifyRequest): void;
  /**
   * Finds the account, counts the request as in flight, and waits for its turn. Throws `unavailable` if the server is
   * overloaded.
   */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Waits until the event loop has time for the work on a body that has arrived. */
  takeTurn(request: FastifyRequest): Promise<void>;
  /** Reserves memory for the body. Throws `unavailable` if the server is overloaded. */
  reserveBody(request: FastifyRequest, reply: FastifyReply, bodyLimit: number): void;
  /** Takes the cost of the call, 1 by default, from the quotas of the caller. Throws `rate_limited` if less is left. */
  count(request: FastifyRequest, reply: FastifyReply, cost?: number): void;
  /** Takes the cost of the items in the body of a counted call. */
  chargeItems(request: FastifyRequest, reply: FastifyReply, cost: number): void;
}

/** The configuration of request admission. */
export interface AdmissionOptions {
  /** Finds the account of a request. */
  readonly findAccount: (request: FastifyRequest) => RequestContext | undefined;
  readonly limiter: RateLimiter;
  readonly load: LoadShedder;
}

/** Admits and counts every request of a scope whose routes need no credential. */
export function admitRequests(
  scope: FastifyInstance,
  admission: Pick<RequestAdmission, "admit" | "count">,
): void {
  scope.addHook("onRequest", async (request, reply) => {
    await admission.admit(request, reply);
    admission.count(request, reply);
  });
}

/** Returns the error for a host that does not belong to an account. */
export function unknownHost(): Failure {
  return new Failure(
    "unknown_host",
    "no account has this host name; check the address and the accounts of the server",
  );
}

/** Creates the request admission of a server. */
export function makeRequestAdmission({
  findAccount,
  limiter,
  load,
}: AdmissionOptions): RequestAdmission {
  const resolveAccount = (request: FastifyRequest): void => {
    requireSecureTransport(request);
    const requestContext = findAccount(request);
    if (requestContext === undefined) throw unknownHost();
    request.requestContext = requestContext;
  };
  return {
    resolveAccount,
    admit: async (request, reply) => {
      resolveAccount(request);
      load.admit(request, reply);
      await load.takeTurn(request);
    },
    takeTurn: (request) => load.takeTurn(request),
    reserveBody: (request, reply, bodyLimit) => load.reserveBody(request, reply, bodyLimit),
    count: (request, reply, cost = 1) => limiter.count(request, reply, cost),
    chargeItems: (request, reply, cost) => limiter.chargeItems(request, reply, cost),
  };
}
