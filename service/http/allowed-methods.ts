// Finds the methods that a path supports. Fastify would need a route for each method that a path does not support.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import findMyWay from "find-my-way";
import { refuseMethod } from "../../core/allowed-methods.ts";
import type { Failure } from "../../core/errors.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import type { OperationHandler } from "../areas/operation-handler.ts";
import { routePath, routerOptions, servedRoutes } from "./operation-router.ts";

/** A served path, in Fastify's syntax, with its methods. */
export interface ServedPath {
  readonly path: string;
  readonly methods: readonly string[];
  /** The methods that pages of other origins may use. */
  readonly crossOrigin: readonly string[];
}

/** Returns the path of a URL of a request; undefined if no operation has it. */
export type FindPath = (url: string) => ServedPath | undefined;

/**
 * Returns what finds the paths of the operations, in the order of precedence that Fastify has. The servers of a process share
 * it with their operations.
 */
export const pathFinder = memoizePerObject((handlers: readonly OperationHandler[]): FindPath => {
  const router = findMyWay(routerOptions);
  const routes = handlers.flatMap(({ operation }) =>
    servedRoutes(operation).map((route) => ({ ...route, operation })),
  );
  // Paths that differ only in parameter names are the same path.
  const byPath = Map.groupBy(routes, ({ path }) => routePath(path).replace(/:\w+/g, ":"));
  for (const served of byPath.values()) {
    const [first] = served;
    if (first === undefined) continue;
    const path = routePath(first.path);
    const all = new Set<string>(served.map(({ method }) => method));
    const methods = [...(all.delete("GET") ? ["GET", "HEAD"] : []), ...all];
    const crossOrigin = served
      .filter(({ operation }) => operation.crossOrigin === true)
      .map(({ method }) => method);
    // Every path has the same method here, whatever its own methods are.
    router.on("GET", path, () => undefined, { path, methods, crossOrigin } satisfies ServedPath);
  }
  return (url) => router.find("GET", url)?.store as ServedPath | undefined;
});

/** Methods of HTTP; a path that exists answers others of them with 405. Any other method is as unknown as another path. */
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

/** Returns the failure for a path that has other methods than the request's, after it has named them in the reply. */
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

/** Returns what finds the paths of the routes that are added to the application from now on, except those of operations. */
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
