// The typed API client: calls operations and returns validated responses, over one connection pool to one origin.
import { Pool } from "undici";
import { getSpec } from "../api/spec.ts";
import { Failure, invariant, isFailure } from "../core/errors.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { AnyInput, Effect, Operation, Page } from "../core/operation.ts";
import { parseOrigin } from "./request-url.ts";
import { titleOf } from "./answer.ts";
import { createThrottle } from "./throttle.ts";
import { createTransport, type Transport } from "./transport.ts";
import { type ApiDiscovery, parseApiDiscovery } from "./api-discovery.ts";
import { allItems, type OpenedPage } from "./paging.ts";
import { createSender } from "./sender.ts";
import type { Calls, Client, ClientOptions } from "./types.ts";

/** Creates a client without sending a request. Fails with `usage` for an invalid URL or credential. */
export function createClient(options: ClientOptions): Client {
  const origin = parseOrigin(options.url, options.allowHttp ?? false);
  const concurrency = clamp(options.concurrency ?? limits.concurrency, limits.concurrencyMax);
  const pool = new Pool(origin, {
    connections: concurrency,
    // Without pipelining, a broken connection affects only one call, whose outcome is known to be open.
    pipelining: 1,
    allowH2: false,
    ...(options.ca !== undefined && { connect: { ca: options.ca } }),
    // The client itself sets the timeout of the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const sender = createSender({
    dispatcher: pool,
    throttle: createThrottle(concurrency, options.requestsPerSecond),
    attempts: clamp(options.attempts ?? limits.attempts, limits.providerAttempts),
    retryFirstMs: options.retryFirstMs ?? limits.retryFirstMs,
    timeoutMs: options.timeoutMs ?? limits.requestMs,
    onRequest: options.onRequest,
    onWait: options.onWait,
  });
  const baseUrl = `${origin}${options.basePath ?? ""}`;
  let discovery: Promise<ApiDiscovery> | undefined;
  const transport = createTransport(origin, options, { sender, discovery: () => discovery });
  return {
    ...typedCalls<Effect>(transport, { origin, concurrency }, () => true),
    mayWrite: true,
    reader: {
      ...typedCalls<"read">(transport, { origin, concurrency }, ({ effect }) => effect === "read"),
      mayWrite: false,
    },
    stats: sender.stats,
    request: (method, path, request = {}) => transport.request(method, path, request),
    discoverApi: () =>
      (discovery ??= readApiDiscovery(transport, baseUrl).catch((error: unknown) => forget(error))),
    at: (address) => createClient({ ...options, renewCredential: undefined, ...address }),
    close: () => pool.close(),
  };

  function forget(error: unknown): never {
    discovery = undefined;
    throw error;
  }
}

function clamp(wanted: number, most: number): number {
  return Math.max(1, Math.min(Math.floor(wanted), most));
}

/** Adds the types of the operations to the calls of a transport. */
function typedCalls<E extends Effect>(
  transport: Transport,
  facts: { origin: string; concurrency: number },
  allowed: (operation: Operation) => boolean,
): Calls<E> {
  const check = (operation: Operation, list: boolean): void => {
    invariant(
      allowed(operation),
      `${operation.id} is a write operation, and this client is read-only`,
    );
    invariant(
      (operation.list !== undefined) === list,
      `${operation.id} is ${list ? "not " : ""}a list`,
    );
  };
  return {
    ...facts,
    call: async (operation, input, options = {}) => {
      check(operation, false);
      return (await transport.call(operation, input as AnyInput, options)) as never;
    },
    page: async (operation, input, options = {}) => {
      check(operation, true);
      const { items, pageInfo } = await transport.page(operation, input as AnyInput, options);
      return { items, pageInfo } as Page<never>;
    },
    all: async (operation, input, options = {}) => {
      check(operation, true);
      const page = (query: JsonObject): Promise<OpenedPage> => {
        const given = input as AnyInput;
        return transport.page(
          operation,
          { ...given, query: { ...given.query, ...query } },
          options,
        );
      };
      return (await allItems(operation, page, options.most)) as readonly never[];
    },
  };
}

/** Returns the failure for a server without an OpenAPI document. */
function noApiFailure(origin: string, cause: Failure): Failure {
  const summary = `${origin} does not look like the API: ${getSpec.path} does not return an OpenAPI document.`;
  return new Failure("not_offered", summary, {
    cause,
    remedy: "Check the URL of the server, such as SVC_API_URL.",
  });
}

/** What a server offered when a client of this process asked last. The document has more than a megabyte. */
interface KnownApi {
  readonly etag: string;
  readonly discovery: ApiDiscovery;
}

/** Servers of which a process remembers what they offer. */
const knownApisMax = 16;

/** By base URL; the oldest is dropped first. */
const knownApis = new Map<string, KnownApi>();

function rememberApi(baseUrl: string, api: KnownApi): void {
  knownApis.delete(baseUrl);
  knownApis.set(baseUrl, api);
  const [oldest] = knownApis.keys();
  if (knownApis.size > knownApisMax && oldest !== undefined) knownApis.delete(oldest);
}

/** Reads what the server offers, or asks whether what an earlier client read is still valid. */
async function readApiDiscovery(transport: Transport, baseUrl: string): Promise<ApiDiscovery> {
  const known = knownApis.get(baseUrl);
  const { origin } = new URL(baseUrl);
  const read = await transport.document(getSpec, known?.etag).catch((error: unknown) => {
    const isMissing = isFailure(error, "not_offered") || isFailure(error, "not_found");
    throw isMissing ? noApiFailure(origin, error) : error;
  });
  if (read.unchanged && known !== undefined) return known.discovery;
  const discovery =
    !read.unchanged && isObject(read.value) ? parseApiDiscovery(read.value) : undefined;
  if (read.unchanged || discovery === undefined) {
    throw new Failure(
      "unexpected_answer",
      `${titleOf(getSpec)}: the response is not an OpenAPI document.`,
    );
  }
  const { etag } = read;
  if (etag !== undefined) rememberApi(baseUrl, { etag, discovery });
  return discovery;
}
