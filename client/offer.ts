// What a server offers, by its own description: operations matched by method and path, names of parameters ignored.
import { isObject, type JsonObject } from "../core/json.ts";
import type { Operation } from "../core/operation.ts";

/** What a server says it offers. */
export interface Offer {
  /** False only where the description proves it: operations marked `unlisted` count as possibly offered. */
  has(operation: Pick<Operation, "method" | "path" | "unlisted">): boolean;
}

/** The offer that an OpenAPI description makes; undefined when it is not one. */
export function offerOf(spec: JsonObject): Offer | undefined {
  const paths = spec["paths"];
  if (!isObject(paths)) return undefined;
  const offered = new Set<string>();
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item)) continue;
    for (const method of Object.keys(item)) offered.add(routeOf(method, path));
  }
  return {
    has: ({ method, path, unlisted }) => unlisted === true || offered.has(routeOf(method, path)),
  };
}

function routeOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, "{}").replace(/(.)\/$/, "$1")}`;
}
