// The client: operations in, valid answers out, over one pool of connections to one origin.
import { Pool } from "undici";
import { getSpec } from "../api/spec.ts";
import { Failure, invariant, isFailure } from "../core/errors.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { AnyInput, Effect, Operation, Page } from "../core/operation.ts";
import { originOf } from "./address.ts";
import { titleOf } from "./answer.ts";
import { createGate } from "./gate.ts";
import { createLine, type Line } from "./line.ts";
import { type Offer, offerOf } from "./offer.ts";
import { allItems, type Opened } from "./paging.ts";
import { createSender } from "./sender.ts";
import type { Calls, Client, ClientOptions } from "./types.ts";

/** Makes a client; nothing is sent yet. Fails with `usage` for an address or credential that cannot be used. */
export function createClient(options: ClientOptions): Client {
  const origin = originOf(options.url, options.allowHttp ?? false);
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
    gate: createGate(concurrency, options.requestsPerSecond),
    attempts: clamp(options.attempts ?? limits.attempts, limits.attempts),
    timeoutMs: options.timeoutMs ?? limits.requestMs,
    onRequest: options.onRequest,
    onWait: options.onWait,
  });
  let offer: Promise<Offer> | undefined;
  const line = createLine(origin, options, { sender, offer: () => offer });
  return {
    ...typed<Effect>(line, { origin, concurrency }, () => true),
    mayWrite: true,
    reader: {
      ...typed<"read">(line, { origin, concurrency }, ({ effect }) => effect === "read"),
      mayWrite: false,
    },
    stats: sender.stats,
    request: (method, path, request = {}) => line.raw(method, path, request),
    offered: () => (offer ??= readOffer(line, origin).catch((error: unknown) => forget(error))),
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
function typed<E extends Effect>(
  line: Line,
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
      return (await line.answer(operation, input as AnyInput, options)) as never;
    },
    page: async (operation, input, options = {}) => {
      check(operation, true);
      const { items, pageInfo } = await line.opened(operation, input as AnyInput, options);
      return { items, pageInfo } as Page<never>;
    },
    all: async (operation, input, options = {}) => {
      check(operation, true);
      const page = (query: JsonObject): Promise<Opened> => {
        const given = input as AnyInput;
        return line.opened(operation, { ...given, query: { ...given.query, ...query } }, options);
      };
      return (await allItems(operation, page)) as readonly never[];
    },
  };
}

/** Where not even the description is, nothing else is worth trying. */
function noApi(origin: string, cause: Failure): Failure {
  const summary = `${origin} does not look like the API: ${getSpec.path} answers with no description of it, such as a web page.`;
  return new Failure("not_offered", summary, { cause, remedy: "Check the server's address." });
}

async function readOffer(line: Line, origin: string): Promise<Offer> {
  const spec = await line.answer(getSpec, {}, {}).catch((error: unknown) => {
    throw isFailure(error, "not_offered") ? noApi(origin, error) : error;
  });
  const offer = isObject(spec) ? offerOf(spec) : undefined;
  if (offer !== undefined) return offer;
  throw new Failure(
    "unexpected_answer",
    `${titleOf({ ...getSpec, origin: "", secrets: [] })}: the answer is not an OpenAPI description.`,
  );
}
