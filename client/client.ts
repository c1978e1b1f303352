// The client: operations in, valid answers out, over one pool of connections to one origin.
import { Pool } from "undici";
import { getSpec } from "../api/spec.ts";
import { Failure, invariant } from "../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { AnyInput, Effect, Operation, Page } from "../core/operation.ts";
import type { Secret } from "../core/secret.ts";
import { fillPath, originOf, queryText, rawPath } from "./address.ts";
import { type Asked, notOffered, readBody, titleOf, unexpected } from "./answer.ts";
import { checkAnswer } from "./check.ts";
import type { Answered } from "./exchange.ts";
import { createGate } from "./gate.ts";
import { type Offer, offerOf } from "./offer.ts";
import { allItems, openEnvelope, type Opened } from "./paging.ts";
import { createSender, type Outgoing, type Sender } from "./sender.ts";
import type { Calls, CallOptions, Client, ClientOptions, RawAnswer, RawRequest } from "./types.ts";

/** Makes a client; nothing is sent yet. Fails with `usage` for an address or credential that cannot be used. */
export function createClient(options: ClientOptions): Client {
  const origin = originOf(options.url, options.allowHttp ?? false);
  const concurrency = clamp(options.concurrency ?? limits.concurrency, limits.concurrencyMax);
  const pool = new Pool(origin, {
    connections: concurrency,
    // Behind each other on one connection, a torn connection would take calls with it that nobody can tell apart.
    pipelining: 1,
    allowH2: false,
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
  });
  const line = createLine(origin, options, sender);
  let offer: Promise<Offer> | undefined;
  return {
    ...typed<Effect>(line, { origin, concurrency }, () => true),
    mayWrite: true,
    reader: {
      ...typed<"read">(line, { origin, concurrency }, ({ effect }) => effect === "read"),
      mayWrite: false,
    },
    stats: sender.stats,
    request: (method, path, request = {}) => line.raw(method, path, request),
    offered: () => (offer ??= readOffer(line).catch((error: unknown) => forget(error))),
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

/** The untyped line to a server that the typed calls are made of. */
interface Line {
  answer(operation: Operation, input: AnyInput, options: CallOptions): Promise<unknown>;
  opened(operation: Operation, input: AnyInput, options: CallOptions): Promise<Opened>;
  raw(method: string, path: string, request: RawRequest): Promise<RawAnswer>;
}

function createLine(origin: string, options: ClientOptions, sender: Sender): Line {
  const authorization = authorizationOf(options.credential, options.scheme);
  const secrets = options.credential === undefined ? [] : [options.credential.reveal()];
  const base = { accept: "application/json", "user-agent": options.userAgent ?? "svc" };
  const headersOf = (anyone: boolean, body: string | undefined, method: string) => ({
    ...base,
    ...(anyone || authorization === undefined ? {} : { authorization }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(body === undefined && method !== "GET" ? { "content-length": "0" } : {}),
  });
  const outgoing = (operation: Operation, input: AnyInput, call: CallOptions): Outgoing => {
    const { method, path, summary, id, repeatable, effect } = operation;
    const body = input.body === undefined ? undefined : JSON.stringify(input.body);
    return {
      asked: { summary, method, path, origin, secrets },
      wire: {
        method,
        path: fillPath(path, input.params) + queryText(input.query),
        headers: headersOf(operation.access === "anyone", body, method),
        body,
      },
      operation: id,
      repeatable,
      reads: effect === "read",
      signal: eitherSignal(options.signal, call.signal),
    };
  };
  return {
    answer: async (operation, input, call) => {
      const out = outgoing(operation, input, call);
      return checkAnswer(operation, out.asked, await jsonOf(sender, out, operation));
    },
    opened: async (operation, input, call) => {
      const out = outgoing(operation, input, call);
      return openEnvelope(operation, out.asked, await jsonOf(sender, out, operation));
    },
    raw: async (method, path, { query, body, signal }) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const wirePath = rawPath(path, query);
      const asked = { summary: undefined, method, path: path.split("?")[0] ?? "", origin, secrets };
      const answered = await sender.send({
        asked,
        wire: { method, path: wirePath, headers: headersOf(false, text, method), body: text },
        operation: undefined,
        repeatable: method !== "POST",
        reads: method === "GET",
        signal: eitherSignal(options.signal, signal),
      });
      return { status: answered.status, body: rawBody(asked, answered) };
    },
  };
}

function eitherSignal(
  one: AbortSignal | undefined,
  other: AbortSignal | undefined,
): AbortSignal | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return AbortSignal.any([one, other]);
}

function authorizationOf(
  credential: Secret | undefined,
  scheme: ClientOptions["scheme"],
): string | undefined {
  if (credential === undefined) return undefined;
  const key = credential.reveal();
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw new Failure("usage", "The credential is empty or holds characters that no key has.");
  }
  const named = scheme ?? (key.startsWith("sk-") ? "api-key" : "bearer");
  return `${named === "api-key" ? "Api-Key" : "Bearer"} ${key}`;
}

/** The JSON of an answer; undefined where the operation declares none, whatever came. */
async function jsonOf(
  sender: Sender,
  out: Outgoing,
  { answer }: Operation,
): Promise<JsonValue | undefined> {
  const body = readBody(await sender.send(out));
  if (body.form === "json") return body.value;
  if (body.form === "html") throw notOffered(out.asked);
  if (answer.schema === undefined) return undefined;
  if (body.form === "empty") throw unexpected(out.asked, "the answer is empty.");
  if (body.form === "torn") throw unexpected(out.asked, "the answer is not valid JSON.");
  throw unexpected(out.asked, `the answer is ${body.type} and not JSON.`);
}

function rawBody(asked: Asked, answered: Answered): JsonValue | undefined {
  const body = readBody(answered);
  if (body.form === "json") return body.value;
  if (body.form === "html") throw notOffered(asked);
  if (body.form === "torn") throw unexpected(asked, "the answer is not valid JSON.");
  return body.form === "other" ? body.text : undefined;
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

async function readOffer(line: Line): Promise<Offer> {
  const spec = await line.answer(getSpec, {}, {});
  const offer = isObject(spec) ? offerOf(spec) : undefined;
  if (offer !== undefined) return offer;
  throw new Failure(
    "unexpected_answer",
    `${titleOf({ ...getSpec, origin: "", secrets: [] })}: the answer is not an OpenAPI description.`,
  );
}
