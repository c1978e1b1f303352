// Reads the operations that a server offers from its OpenAPI document, by method and path.
import { idempotencyKeyHeader } from "../api/idempotency.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Operation } from "../core/operation.ts";

/** The operations that a server offers. */
export interface ApiDiscovery {
  /** Returns false only if the document proves that the operation is missing. Operations marked `unlisted` count as offered. */
  has(operation: Pick<Operation, "method" | "path" | "unlisted">): boolean;
  /** Returns whether the document declares an idempotency key for the operation. */
  takesIdempotencyKey(operation: Pick<Operation, "method" | "path">): boolean;
}

/** Parses an OpenAPI document; undefined if it is not one. */
export function parseApiDiscovery(spec: JsonObject): ApiDiscovery | undefined {
  const paths = spec["paths"];
  if (!isObject(paths)) return undefined;
  const offered = new Set<string>();
  const keyed = new Set<string>();
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item)) continue;
    for (const [method, described] of Object.entries(item)) {
      const route = routeOf(method, path);
      offered.add(route);
      if (declaresIdempotencyKey(item, spec) || declaresIdempotencyKey(described, spec))
        keyed.add(route);
    }
  }
  return {
    has: ({ method, path, unlisted }) => unlisted === true || offered.has(routeOf(method, path)),
    takesIdempotencyKey: ({ method, path }) => keyed.has(routeOf(method, path)),
  };
}

/** Returns whether a path or method declares the header, inline or by reference. */
function declaresIdempotencyKey(described: JsonValue | undefined, spec: JsonObject): boolean {
  const parameters = isObject(described) ? described["parameters"] : undefined;
  if (!Array.isArray(parameters)) return false;
  return parameters.some((given: JsonValue) => {
    const { in: place, name } = resolveParameter(given, spec);
    return (
      place === "header" &&
      typeof name === "string" &&
      name.toLowerCase() === idempotencyKeyHeader.toLowerCase()
    );
  });
}

function resolveParameter(parameter: JsonValue, spec: JsonObject): JsonObject {
  if (!isObject(parameter)) return {};
  const { $ref } = parameter;
  if (typeof $ref !== "string") return parameter;
  const name = /^#\/components\/parameters\/([\w.-]+)$/.exec($ref)?.[1] ?? "";
  const components = spec["components"];
  const shared = isObject(components) ? components["parameters"] : undefined;
  const found = isObject(shared) && Object.hasOwn(shared, name) ? shared[name] : undefined;
  return isObject(found) ? found : {};
}

function routeOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, "{}").replace(/(.)\/$/, "$1")}`;
}
