// The client: operations in, valid answers out, over one pool of connections to one origin.
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

/** Makes a client; nothing is sent yet. Fails with `usage` for an address or credential that cannot be used. */
export function createClient(options: ClientOptions): Client {
  const origin = parseOrigin(options.url, options.allowHttp ?? false);
  const concurrency = clamp(options.concurrency ?? limits.concurrency, limits.concurrencyMax);
  const pool = new Pool(origin, {
    connections: concurrency,
    // Behind each other on one connection, a torn connection would take calls with it that nobody can tell apart.
    pipelining: 1,
    allowH2: false,
    ...(options.ca !== undefined && { connect: { ca: options.ca } }),
    // The deadline of the whole exchange is ours.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const sender = createSender({
    dispatcher: pool,
    throttle: createThrottle(concurrency, options.requestsPerSecond),
    attempts: clamp(options.attempts ?? limits.attempts, limits.attempts),
    timeoutMs: options.timeoutMs ?? limits.requestMs,
    onRequest: options.onRequest,
    onWait: options.onWait,
  });
  let offer: Promise<ApiDiscovery> | undefined;
  const line = createTransport(origin, options, { sender, discovery: () => offer });
  return {
    ...typedCalls<Effect>(line, { origin, concurrency }, () => true),
    mayWrite: true,
    reader: {
      ...typedCalls<"read">(line, { origin, concurrency }, ({ effect }) => effect === "read"),
      mayWrite: false,
    },
    stats: sender.stats,
    request: (method, path, request = {}) => line.request(method, path, request),
    discoverApi: () =>
      (offer ??= readApiDiscovery(line, origin).catch((error: unknown) => forget(error))),
    close: () => pool.close(),
  };

  function forget(error: unknown): never {
    offer = undefined;
    throw error;
  }
}

function clamp(wanted: number, most: number): number {
  return Math.max(1, Math.min(Math.floor(wanted), most));
}

/** The typed calls; the types hold what the operations declare, so that is where the casts are. */
function typedCalls<E extends Effect>(
  line: Transport,
  facts: { origin: string; concurrency: number },
  allowed: (operation: Operation) => boolean,
): Calls<E> {
  const check = (operation: Operation, list: boolean): void => {
    invariant(allowed(operation), `${operation.id} writes, and this client only reads`);
    invariant(
      (operation.list !== undefined) === list,
      `${operation.id} is ${list ? "not " : ""}a list`,
    );
  };
  return {
    ...facts,
    call: async (operation, input, options = {}) => {
      check(operation, false);
      return (await line.call(operation, input as AnyInput, options)) as never;
    },
    page: async (operation, input, options = {}) => {
      check(operation, true);
      const { items, pageInfo } = await line.page(operation, input as AnyInput, options);
      return { items, pageInfo } as Page<never>;
    },
    all: async (operation, input, options = {}) => {
      check(operation, true);
      const page = (query: JsonObject): Promise<OpenedPage> => {
        const given = input as AnyInput;
        return line.page(operation, { ...given, query: { ...given.query, ...query } }, options);
      };
      return (await allItems(operation, page)) as readonly never[];
    },
  };
}

/** Where not even the description is, nothing else is worth trying. */
function noApiFailure(origin: string, cause: Failure): Failure {
  const summary = `${origin} does not look like the API: ${getSpec.path} answers with no description of it, such as a web page.`;
  return new Failure("not_offered", summary, { cause, remedy: "Check the server's address." });
}

async function readApiDiscovery(line: Transport, origin: string): Promise<ApiDiscovery> {
  const spec = await line.call(getSpec, {}, {}).catch((error: unknown) => {
    throw isFailure(error, "not_offered") ? noApiFailure(origin, error) : error;
  });
  const offer = isObject(spec) ? parseApiDiscovery(spec) : undefined;
  if (offer !== undefined) return offer;
  throw new Failure(
    "unexpected_answer",
    `${titleOf({ ...getSpec, origin: "", secrets: [] })}: the answer is not an OpenAPI description.`,
  );
}
