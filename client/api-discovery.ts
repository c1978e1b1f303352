// Reads the operations that a server offers from its OpenAPI document, by method and path.
import { idempotencyKeyHeader } from "../api/idempotency.ts";
import { getSpec } from "../api/spec.ts";
import { Failure, isFailure } from "../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Operation } from "../core/operation/operation.ts";

/** The operations that a server offers. */
export interface ApiDiscovery {
  /** Returns false only if the document proves that the operation is missing. Operations marked `unlisted` count as offered. */
  has(operation: Pick<Operation, "method" | "path" | "unlisted">): boolean;
  /** Returns whether the document declares an idempotency key for the operation. */
  takesIdempotencyKey(operation: Pick<Operation, "method" | "path">): boolean;
  /** Returns whether the document declares a query parameter of the operation. */
  takesQuery(operation: Pick<Operation, "method" | "path">, name: string): boolean;
}

/** The operations that a server offered, with the entity tag of its document. */
export interface OfferedApi {
  readonly etag: string;
  /** Method and path of each operation. */
  readonly routes: readonly string[];
  /** Each declared parameter, after its route. */
  readonly parameters: readonly string[];
}

/** Version of the format of {@link OfferedApi}. Change it when other parts of a document are read. */
export const offeredApiFormat = 1;

/** Caches the operations that servers offer between processes. Never fails: a missing entry is read from the server. */
export interface DiscoveryCache {
  read(baseUrl: string): OfferedApi | undefined;
  write(baseUrl: string, offered: OfferedApi): void;
}

/** Parses an OpenAPI document; undefined if it is not one. */
function parseOffer(spec: JsonObject): Pick<OfferedApi, "routes" | "parameters"> | undefined {
  const paths = spec["paths"];
  if (!isObject(paths)) return undefined;
  const routes: string[] = [];
  const parameters: string[] = [];
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item)) continue;
    const shared = parametersOf(item, spec);
    for (const [method, described] of Object.entries(item)) {
      const route = routeOf(method, path);
      routes.push(route);
      for (const one of [...shared, ...parametersOf(described, spec)]) {
        parameters.push(`${route} ${one}`);
      }
    }
  }
  return { routes, parameters };
}

function discoveryOf(offer: Pick<OfferedApi, "routes" | "parameters">): ApiDiscovery {
  const [routes, parameters] = [new Set(offer.routes), new Set(offer.parameters)];
  const key = parameterOf("header", idempotencyKeyHeader);
  const takes = ({ method, path }: Pick<Operation, "method" | "path">, one: string) =>
    parameters.has(`${routeOf(method, path)} ${one}`);
  return {
    has: ({ method, path, unlisted }) => unlisted === true || routes.has(routeOf(method, path)),
    takesIdempotencyKey: (operation) => takes(operation, key),
    takesQuery: (operation, name) => takes(operation, parameterOf("query", name)),
  };
}

/** Returns the parameters that a path or method declares, inline or by reference. */
function parametersOf(described: JsonValue | undefined, spec: JsonObject): readonly string[] {
  const parameters = isObject(described) ? described["parameters"] : undefined;
  if (!Array.isArray(parameters)) return [];
  return parameters.flatMap((given: JsonValue) => {
    const { in: place, name } = resolveParameter(given, spec);
    return typeof place === "string" && typeof name === "string" ? [parameterOf(place, name)] : [];
  });
}

/** Headers have names in any case. */
function parameterOf(place: string, name: string): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
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

/** A document with its entity tag, if the server returned one. */
export type ReadDocument =
  | { readonly unchanged: true }
  | { readonly unchanged: false; readonly value: unknown; readonly etag: string | undefined };

/** Returns the failure for a server without an OpenAPI document. */
function noApiFailure(origin: string, cause: Failure): Failure {
  const summary = `${origin} does not look like the API: ${getSpec.path} does not return an OpenAPI document.`;
  return new Failure("not_offered", summary, {
    cause,
    remedy: "Check the URL of the server, such as SVC_API_URL.",
  });
}

/** The operations that a server offered when a client last asked. */
interface KnownApi {
  readonly etag: string;
  readonly discovery: ApiDiscovery;
}

/** Number of servers whose operations a process remembers. */
const knownApisMax = 16;

/** By base URL; the oldest is dropped first. */
const knownApis = new Map<string, KnownApi>();

function rememberApi(baseUrl: string, api: KnownApi): void {
  knownApis.delete(baseUrl);
  knownApis.set(baseUrl, api);
  const [oldest] = knownApis.keys();
  if (knownApis.size > knownApisMax && oldest !== undefined) knownApis.delete(oldest);
}

function findKnownApi(baseUrl: string, cache: DiscoveryCache | undefined): KnownApi | undefined {
  const known = knownApis.get(baseUrl);
  if (known !== undefined) return known;
  const kept = cache?.read(baseUrl);
  return kept && { etag: kept.etag, discovery: discoveryOf(kept) };
}

/** Reads the operations that the server offers, or asks whether the result of an earlier client is still valid. */
export async function discoverApi(
  baseUrl: string,
  readDocument: (operation: Operation, etag: string | undefined) => Promise<ReadDocument>,
  cache?: DiscoveryCache,
): Promise<ApiDiscovery> {
  const known = findKnownApi(baseUrl, cache);
  const { origin } = new URL(baseUrl);
  const read = await readDocument(getSpec, known?.etag).catch((error: unknown) => {
    const isMissing = isFailure(error, "not_offered") || isFailure(error, "not_found");
    throw isMissing ? noApiFailure(origin, error) : error;
  });
  if (read.unchanged && known !== undefined) {
    rememberApi(baseUrl, known);
    return known.discovery;
  }
  const offer = !read.unchanged && isObject(read.value) ? parseOffer(read.value) : undefined;
  if (read.unchanged || offer === undefined) {
    throw new Failure(
      "unexpected_answer",
      `${getSpec.summary} (${getSpec.method} ${getSpec.path}): the response is not an OpenAPI document`,
    );
  }
  const discovery = discoveryOf(offer);
  const { etag } = read;
  if (etag !== undefined) {
    rememberApi(baseUrl, { etag, discovery });
    cache?.write(baseUrl, { etag, ...offer });
  }
  return discovery;
}
