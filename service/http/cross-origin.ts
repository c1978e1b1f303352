// Lets pages of any origin call the endpoints that embedded pages need. Requests have no cookies: the token identifies
// the caller.
import type { FastifyReply, FastifyRequest } from "fastify";

const exposed = "ratelimit, ratelimit-policy, retry-after, x-request-id";

/** Lets pages of other origins read a response. */
export function allowOtherOrigins(reply: FastifyReply): void {
  reply.header("access-control-allow-origin", "*").header("access-control-expose-headers", exposed);
}

/** Returns whether a browser asks if a page of another origin may send a request. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** Responds to a preflight request. Browsers keep the answer for two hours. */
export function answerPreflight(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  allowOtherOrigins(reply);
  reply.header("access-control-allow-methods", methods.join(", "));
  reply.header(
    "access-control-allow-headers",
    "authorization, content-type, x-request-id, x-svc-authorization",
  );
  return reply.header("access-control-max-age", "7200").code(204).send();
}
