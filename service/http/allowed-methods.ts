// Refuses the methods that a path does not support. Fastify would need a route for each of them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import findMyWay from "find-my-way";
import { refuseMethod } from "../../core/operation/allowed-methods.ts";
import type { Failure } from "../../core/errors.ts";

/** Options for matching URLs with paths. */
export const routerOptions = { ignoreTrailingSlash: true, maxParamLength: 8192 };

/** The routes of a path. */
export interface RoutedPath {
  /** In the syntax of the router. */
  readonly url: string;
  readonly methods: readonly string[];
  /** The methods that pages of other origins may use. */
  readonly crossOrigin: readonly string[];
}

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

/** Returns a lookup of the paths whose routes are added to the application from now on. */
export function collectRoutes(app: FastifyInstance): (url: string) => RoutedPath | undefined {
  const router = findMyWay(routerOptions);
  const paths = new Map<string, { url: string; methods: string[]; crossOrigin: string[] }>();
  app.addHook("onRoute", ({ method, url, config }) => {
    const path = paths.get(url) ?? { url, methods: [], crossOrigin: [] };
    // Every path is found under one method, regardless of those of its routes.
    if (!paths.has(url)) router.on("GET", url, () => undefined, path);
    paths.set(url, path);
    for (const one of [method].flat()) {
      if (!path.methods.includes(one)) path.methods.push(one);
      if (config?.operation?.crossOrigin === true) path.crossOrigin.push(one);
    }
  });
  return (url) => router.find("GET", url)?.store as RoutedPath | undefined;
}
