// Finds the operation of a request.
import findMyWay from "find-my-way";
import { memoizePerObject } from "../../core/memoize.ts";
import type { ExtensionMethod, Method, Operation } from "../../core/operation.ts";
import { type RecordedRun, recorderOf } from "../areas/audit-logs/record.ts";
import type { OperationHandler } from "../areas/operation-handler.ts";
import { bodyLimit } from "./body-limit.ts";

/** How URLs are matched with paths. */
export const routerOptions = { ignoreTrailingSlash: true, maxParamLength: 8192 };

/** Returns the path of an operation in the syntax of the router. */
export function routePath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Returns the methods and paths under which an operation is served. */
export function servedRoutes({
  method,
  path,
  alias: also,
}: Operation): readonly { readonly method: Method | ExtensionMethod; readonly path: string }[] {
  return [{ method, path }, ...(also === undefined ? [] : [also])];
}

/** A handler whose writes are recorded in the audit log. */
export interface RecordedHandler extends OperationHandler {
  readonly record: RecordedRun;
}

/** A method with the limit of a body, in bytes, that some operations have. */
interface RequestKind {
  readonly method: Method | ExtensionMethod;
  readonly bodyBytes: number;
}

/** An operation under one of its paths. */
interface OperationRoute extends RequestKind {
  readonly handler: RecordedHandler;
  /** In the syntax of the router. */
  readonly path: string;
}

/** The operation that a request calls. */
export interface ServedOperation extends OperationRoute {
  /** The parameters of the path, as text. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Finds operations. */
export interface OperationRouter {
  /** Each pair of a method and a limit once. */
  readonly kinds: readonly RequestKind[];
  /** Returns the operation of a method and a URL of a request; undefined if there is none. */
  find(method: string, url: string): ServedOperation | undefined;
}

/** Returns the router of the operations. The servers of a process share it with their operations. */
export const operationRouter = memoizePerObject(
  (handlers: readonly OperationHandler[]): OperationRouter => {
    const router = findMyWay(routerOptions);
    const kinds = new Map<string, RequestKind>();
    for (const handler of handlers) {
      const bodyBytes = bodyLimit(handler.operation);
      const recorded = { ...handler, record: recorderOf(handler, handlers) };
      for (const { method, path: template } of servedRoutes(handler.operation)) {
        const path = routePath(template);
        const route: OperationRoute = { method, bodyBytes, handler: recorded, path };
        router.on(method, path, () => undefined, route);
        kinds.set(`${method} ${bodyBytes}`, { method, bodyBytes });
      }
    }
    return {
      kinds: [...kinds.values()],
      find: (method, url) => {
        // What answers GET answers HEAD.
        const one = router.find(asHttpMethod(method === "HEAD" ? "GET" : method), url);
        return one === null ? undefined : { ...(one.store as OperationRoute), params: one.params };
      },
    };
  },
);

/** The router knows no operation for a method that it does not know. */
function asHttpMethod(method: string): findMyWay.HTTPMethod {
  return method as findMyWay.HTTPMethod;
}
