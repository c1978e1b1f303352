// Finds the operation of a request, and the methods that its path supports.
import findMyWay from "find-my-way";
import { invariant } from "../../../core/errors.ts";
import { memoizePerObject } from "../../../core/memoize.ts";
import type { ExtensionMethod, Method, Operation } from "../../../core/operation/operation.ts";
import type { OperationHandler } from "../../areas/shared/operation-handler.ts";
import { bodyLimit } from "./body-limit.ts";

/** Options for matching URLs with paths. */
export const routerOptions = { ignoreTrailingSlash: true, maxParamLength: 8192 };

/** Returns the path of an operation in the syntax of the router. */
function routePath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Returns the methods and paths under which an operation is served. */
function servedRoutes({
  method,
  path,
  alias: also,
}: Operation): readonly { readonly method: Method | ExtensionMethod; readonly path: string }[] {
  return [{ method, path }, ...(also === undefined ? [] : [also])];
}

/** A method with the limit of a body, in bytes, of some operations. */
interface RequestKind {
  readonly method: Method | ExtensionMethod;
  readonly bodyBytes: number;
}

/** An operation under one of its paths. */
export interface OperationRoute extends RequestKind {
  readonly path: string;
  readonly handler: OperationHandler;
}

/** A path of operations. */
export interface OperationPath {
  /** In the syntax of the router. */
  readonly path: string;
  /** Routes by method. The route of GET also answers HEAD. */
  readonly routes: ReadonlyMap<string, OperationRoute>;
  readonly methods: readonly string[];
  /** The methods that pages of other origins may use. */
  readonly crossOrigin: readonly string[];
}

/** The path of a request. */
export interface MatchedPath {
  readonly served: OperationPath;
  /** The operation that the request calls; undefined if the path does not support its method. */
  readonly route: OperationRoute | undefined;
  /** The parameters of the path, as text. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Finds operations. */
export interface OperationRouter {
  /** Each pair of a method and a limit, once. */
  readonly kinds: readonly RequestKind[];
  /** Returns the path of a request; undefined if no operation has it. */
  find(method: string, url: string): MatchedPath | undefined;
}

/**
 * Returns the router of the operations. It routes paths without methods, so that it also finds the methods that a path
 * supports. The servers of a process share it with their operations.
 */
export const operationRouter = memoizePerObject(
  (handlers: readonly OperationHandler[]): OperationRouter => {
    const router = findMyWay(routerOptions);
    const kinds = new Map<string, RequestKind>();
    for (const [path, routes] of Map.groupBy(routesOf(handlers), (route) => route.path)) {
      for (const { method, bodyBytes } of routes) {
        kinds.set(`${method} ${bodyBytes}`, { method, bodyBytes });
      }
      // Registers every path under the same method, regardless of its own methods.
      router.on("GET", routePath(path), () => undefined, operationPath(path, routes));
    }
    return {
      kinds: [...kinds.values()],
      find: (method, url) => {
        const one = router.find("GET", url);
        if (one === null) return undefined;
        const served = one.store as OperationPath;
        return { served, route: served.routes.get(method), params: one.params };
      },
    };
  },
);

function routesOf(handlers: readonly OperationHandler[]): readonly OperationRoute[] {
  return handlers.flatMap((handler) => {
    const bodyBytes = bodyLimit(handler.operation);
    return servedRoutes(handler.operation).map((route) => ({
      ...route,
      bodyBytes,
      handler,
    }));
  });
}

function operationPath(path: string, all: readonly OperationRoute[]): OperationPath {
  const get = all.find(({ method }) => method === "GET");
  const routes = new Map([
    ...(get === undefined
      ? []
      : ([
          ["GET", get],
          ["HEAD", get],
        ] as const)),
    ...all.map((route) => [route.method, route] as const),
  ]);
  const methods = [...routes.keys()];
  invariant(
    methods.length === all.length + (get === undefined ? 0 : 1),
    `${path} has a method twice`,
  );
  const crossOrigin = all.filter(({ handler }) => handler.operation.crossOrigin === true);
  return {
    path: routePath(path),
    routes,
    methods,
    crossOrigin: crossOrigin.map(({ method }) => method),
  };
}
