// Searches an OpenAPI document, and extracts the part that some operations need.
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { splitPointer } from "../../../core/pointer.ts";

/** One operation of an OpenAPI document. */
export interface ListedOperation {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/**
 * Returns the operations whose method, path, summary or id contains `pattern`, case-insensitive; all
 * without one.
 */
export function operationsIn(spec: JsonObject, pattern = ""): readonly ListedOperation[] {
  const wanted = pattern.toLowerCase();
  return Object.entries(objectIn(spec, "paths")).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) => {
      if (!methods.includes(method) || !isObject(operation)) return [];
      const listed = { method: method.toUpperCase(), path, summary: textIn(operation, "summary") };
      const text = `${listed.method} ${path} ${listed.summary} ${textIn(operation, "operationId")}`;
      return text.toLowerCase().includes(wanted) ? [listed] : [];
    }),
  );
}

const rootMembers = ["openapi", "info", "servers", "security"];

/**
 * Returns the document reduced to these operations and the components they refer to, directly or not.
 */
export function filterSpec(spec: JsonObject, operations: readonly ListedOperation[]): JsonObject {
  const head = Object.entries(spec).filter(([name]) => rootMembers.includes(name));
  const paths = filterPaths(objectIn(spec, "paths"), operations);
  const { securitySchemes } = objectIn(spec, "components");
  return {
    ...Object.fromEntries(head),
    paths,
    components: {
      ...referencedComponents(spec, paths),
      ...(securitySchemes === undefined ? {} : { securitySchemes }),
    },
  };
}

function filterPaths(paths: JsonObject, operations: readonly ListedOperation[]): JsonObject {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  const items = [...byPath].map(([path, listed]): [string, JsonValue] => {
    const wanted = new Set(listed.map(({ method }) => method.toLowerCase()));
    const members = Object.entries(objectIn(paths, path));
    const part = members.filter(([name]) => wanted.has(name) || !methods.includes(name));
    return [path, Object.fromEntries(part)];
  });
  return Object.fromEntries(items);
}

/** By component type, then name. */
function referencedComponents(spec: JsonObject, from: JsonObject): JsonObject {
  const found: Record<string, Record<string, JsonValue>> = {};
  const waiting: JsonValue[] = [from];
  const seen = new Set<string>();
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    for (const reference of referencesIn(value)) {
      if (seen.has(reference)) continue;
      seen.add(reference);
      const [root, group = "", name = ""] = splitPointer(reference.slice(1));
      const component = objectIn(objectIn(spec, "components"), group)[name];
      if (root !== "components" || component === undefined) continue;
      (found[group] ??= {})[name] = component;
      waiting.push(component);
    }
  }
  return found;
}

function referencesIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one: JsonValue) => referencesIn(one));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    if (name === "$ref" && typeof one === "string" && one.startsWith("#/")) return [one];
    return one === undefined ? [] : referencesIn(one);
  });
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(value) ? value : {};
}

function textIn(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}
