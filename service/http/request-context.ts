// What a request stands on while it is answered: its caller, its account, and what the server keeps for that account.
import type { FastifyRequest } from "fastify";
import { invariant } from "../../core/errors.ts";
import type { Services } from "../areas/operation-handler.ts";
import type { Principal } from "../security/principal.ts";
import type { Db } from "../store/schema.ts";
import type { Idempotency } from "./idempotency.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set once the request is authenticated. */
    principal: Principal | null;
    /** The account that the request's host names; set before anything is done for it. */
    requestContext: RequestContext | null;
    /** The id of the operation that is asked for; "" where it is none. */
    operationId: string;
    /** Bytes of the body, as far as it was read. */
    bodyBytes: number;
    /** The body as it was sent, where the operation keeps it to the letter; else "". */
    bodyText: string;
  }
  interface FastifyContextConfig {
    readonly operation?: string;
    /** The body's text is kept, and may be as long as a state. */
    readonly keepsText?: boolean;
  }
}

/** What the calls on one account stand on; nothing in it is shared with another account. */
export interface RequestContext extends Services {
  readonly db: Db;
  /** Tells the accounts of one server apart. */
  readonly accountId: string;
  /** Holds every answer against its declared schema; a mismatch is our bug. */
  readonly checkAnswers: boolean;
  /** Undefined where idempotency keys are not known, and so ignored. */
  readonly idempotency: Idempotency | undefined;
}

/** The account of a request that has entered. */
export function requestContextOf({ requestContext: ground }: FastifyRequest): RequestContext {
  invariant(ground, "a call without an account");
  return ground;
}
