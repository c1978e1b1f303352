// The context of a request: its principal, its account, and the services of that account.
import type { FastifyRequest } from "fastify";
import { invariant } from "../../../core/errors.ts";
import type { Operation } from "../../../core/operation/operation.ts";
import type { Services } from "../../areas/shared/operation-handler.ts";
import type { Principal } from "../../security/principal.ts";
import type { Db } from "../../store/schema.ts";
import type { Idempotency } from "./idempotency.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set once the request is authenticated. */
    principal: Principal | null;
    /** The account of the request's host; set before any other work. */
    requestContext: RequestContext | null;
    /** The id of the operation; "" for other routes. */
    operationId: string;
    /** Bytes of the body read so far. */
    bodyBytes: number;
    /** The body exactly as sent, for operations that store it verbatim; otherwise "". */
    bodyText: string;
    /** The route at the address of a deployment; "" for other requests. */
    deploymentRoute: string;
  }
  interface FastifyContextConfig {
    /** The operation that the route serves. */
    readonly operation?: Operation;
  }
}

/** The services for calls on one account. Accounts share none of them. */
export interface RequestContext extends Services {
  readonly db: Db;
  /** The hosts of the account: its default host and its custom domains; empty if it answers on all hosts. */
  readonly hosts: readonly string[];
  /** Identifies the account in this process. */
  readonly accountId: string;
  /** The account's own quota, in units of cost; undefined for the server's quota. */
  readonly accountQuota?: number;
  /** Validates every response against its declared schema; a mismatch is a bug of the service. */
  readonly checkAnswers: boolean;
  /** Undefined if idempotency keys are disabled and ignored. */
  readonly idempotency: Idempotency | undefined;
}

/** Returns the account of an admitted request. */
export function requestContextOf({ requestContext }: FastifyRequest): RequestContext {
  invariant(requestContext, "a call without an account");
  return requestContext;
}
