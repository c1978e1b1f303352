// Refuses the methods that a path does not support. Fastify would need a route for each of them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import findMyWay from "find-my-way";
import { refuseMethod } from "../../core/operation/allowed-methods.ts";
import type { Failure } from "../../core/errors.ts";
import { routerOptions } from "./request/operation-router.ts";

/**
 * Methods of HTTP. An existing path answers those that it does not support with 405. An unknown method is handled like
 * an unknown path.
 */
const httpMethods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "QUERY",
]);

/**
 * Returns the failure for a path that does not support the request's method. Adds the supported methods to the reply.
 */
export function methodNotAllowed(
  { method }: Pick<FastifyRequest, "method">,
  reply: FastifyReply,
  methods: readonly string[] | undefined,
): Failure | undefined {
  if (methods === undefined || !httpMethods.has(method)) return undefined;
  const refused = refuseMethod(method, methods);
  if (refused) reply.header("allow", refused.allow);
  return refused?.failure;
}

/** Returns a lookup of the routes that are added to the application from now on, except those of operations. */
export function collectRoutes(
  app: FastifyInstance,
): (url: string) => readonly string[] | undefined {
  const router = findMyWay(routerOptions);
  const known = new Map<string, string[]>();
  app.addHook("onRoute", ({ method, url, config }) => {
    if (config?.servesOperations === true) return;
    const methods = known.get(url) ?? [];
    if (!known.has(url)) router.on("GET", url, () => undefined, methods);
    known.set(url, methods);
    for (const one of [method].flat()) if (!methods.includes(one)) methods.push(one);
  });
  return (url) => router.find("GET", url)?.store as readonly string[] | undefined;
}
