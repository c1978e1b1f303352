// The typed API client: builds requests from operations, sends them over one connection pool to one origin, and returns
// validated responses.
import { randomUUID } from "node:crypto";
import { Pool } from "undici";
import { idempotencyKeyHeader, takesIdempotencyKey } from "../api/idempotency.ts";
import { invariant, isFailure } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import type { AnyInput, Effect, Operation, Page } from "../core/operation/operation.ts";
import { callCost } from "../core/operation/operation-cost.ts";
import { type RequestDescription, readBody, unexpectedAnswer, webPageFailure } from "./answer.ts";
import { type ApiDiscovery, discoverApi, type ReadDocument } from "./api-discovery.ts";
import { encodeMultipart, type MultipartBody } from "./multipart.ts";
import { allItems, openEnvelope, type OpenedPage } from "./paging.ts";
import { fillPath, parseOrigin, queryText, rawPath } from "./request-url.ts";
import { type RequestSettings, requestSettings } from "./request-settings.ts";
import { createSender, type OutgoingRequest, type Sender } from "./sender.ts";
import { createThrottle } from "./throttle.ts";
import type {
  CallOptions,
  Calls,
  Client,
  ClientOptions,
  RawAnswer,
  RawRequest,
  ReceivedAnswer,
} from "./types.ts";
import { checkAnswer } from "./validate-answer.ts";

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
    attempts: attemptsOf(options.attempts),
    writeAttempts: attemptsOf(options.writeAttempts ?? options.attempts),
    retryFirstMs: options.retryFirstMs ?? limits.retryFirstMs,
    timeoutMs: options.timeoutMs ?? limits.requestMs,
    onRequest: options.onRequest,
    onWait: options.onWait,
  });
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
      (discovery ??= discoverApi(
        `${origin}${options.basePath ?? ""}`,
        (operation, etag) => transport.document(operation, etag),
        options.discoveryCache,
      ).catch((error: unknown) => forget(error))),
    at: (address) => createClient({ ...options, renewCredential: undefined, ...address }),
    close: () => pool.close(),
  };

  function forget(error: unknown): never {
    discovery = undefined;
    throw error;
  }
}

function attemptsOf(wanted: number = limits.attempts): number {
  return clamp(wanted, limits.restartAttempts);
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

/** Untyped calls of operations. They fail only with a `Failure`. */
interface Transport {
  call(operation: Operation, input: AnyInput, options: CallOptions): Promise<unknown>;
  page(operation: Operation, input: AnyInput, options: CallOptions): Promise<OpenedPage>;
  /** Reads a document, unless it still has the entity tag `etag`. */
  document(operation: Operation, etag: string | undefined): Promise<ReadDocument>;
  request(method: string, path: string, request: RawRequest): Promise<RawAnswer>;
}

/** Creates the calls with one credential. Fails with `usage` for a credential that is not a valid header value. */
function createTransport(
  origin: string,
  options: ClientOptions,
  { sender, discovery }: { sender: Sender; discovery: () => Promise<ApiDiscovery> | undefined },
): Transport {
  const settings = requestSettings(origin, options);
  const { basePath, headersOf } = settings;
  const send = (make: () => OutgoingRequest): Promise<SentRequest> =>
    sendRenewing(sender, settings, make);
  const outgoing = (operation: Operation, input: AnyInput, call: CallOptions): OutgoingRequest => {
    const { method, path, summary, id, repeatable, effect } = operation;
    const isPublic = operation.permission === "public";
    const form = multipartBody(operation, input);
    const body = form?.bytes ?? (input.body === undefined ? undefined : JSON.stringify(input.body));
    const type = form?.type ?? "application/json";
    const key = takesIdempotencyKey(operation) && idempotencyKeyHeaders();
    return {
      description: { summary, method, path, isPublic, ...settings.description() },
      wire: {
        method,
        path: basePath + fillPath(path, input.params) + queryText(input.query),
        headers: {
          ...headersOf(isPublic, body === undefined ? undefined : type, method),
          ...key,
        },
        body,
      },
      operation: id,
      cost: callCost(operation, input.body),
      repeatable,
      takesIdempotencyKey: async () =>
        takesIdempotencyKey(operation) && (await serverTakesIdempotencyKey(operation, discovery())),
      isRead: effect === "read",
      attempts: call.attempts,
      signal: call.isCleanup === true ? call.signal : eitherSignal(options.signal, call.signal),
    };
  };
  return {
    call: async (operation, input, call) => {
      const sent = await send(() => outgoing(operation, input, call));
      return checkAnswer(operation, sent.description, jsonOf(sent, operation));
    },
    page: async (operation, input, call) => {
      const sent = await send(() => outgoing(operation, input, call));
      return openEnvelope(operation, sent.description, jsonOf(sent, operation));
    },
    document: async (operation, etag) =>
      readDocument(operation, await send(() => withEntityTag(outgoing(operation, {}, {}), etag))),
    request: async (method, path, request) => {
      const { description, answered } = await send(() =>
        outgoingRawRequest({ ...request, method, path }, settings),
      );
      const { status, body: content } = answered;
      return { status, body: rawBody(description, answered), content };
    },
  };
}

function withEntityTag(request: OutgoingRequest, etag: string | undefined): OutgoingRequest {
  if (etag === undefined) return request;
  const headers = { ...request.wire.headers, "if-none-match": etag };
  return { ...request, wire: { ...request.wire, headers } };
}

function readDocument(operation: Operation, sent: SentRequest): ReadDocument {
  const { status, headers } = sent.answered;
  if (status === 304) return { unchanged: true };
  const value = checkAnswer(operation, sent.description, jsonOf(sent, operation));
  const { etag } = headers;
  return { unchanged: false, value, etag: typeof etag === "string" ? etag : undefined };
}

/** A request that was answered. */
interface SentRequest {
  readonly description: RequestDescription;
  readonly answered: ReceivedAnswer;
}

/** Builds a request that belongs to no declared operation. */
function outgoingRawRequest(
  request: RawRequest & { readonly method: string; readonly path: string },
  { basePath, description, signal, headersOf }: RequestSettings,
): OutgoingRequest {
  const { method, path, query } = request;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const key = method === "POST" && idempotencyKeyHeaders();
  return {
    description: {
      summary: undefined,
      method,
      path: path.split("?")[0] ?? "",
      isPublic: false,
      ...description(),
    },
    wire: {
      method,
      path: basePath + rawPath(path, query),
      headers: {
        ...headersOf(false, body === undefined ? undefined : "application/json", method),
        ...key,
      },
      body,
    },
    operation: undefined,
    cost: 1,
    repeatable: method !== "POST",
    takesIdempotencyKey: async () => false,
    isRead: method === "GET",
    attempts: undefined,
    signal: eitherSignal(signal, request.signal),
  };
}

/** Returns the body of an operation that takes `multipart/form-data`. */
function multipartBody({ multipart, body }: Operation, input: AnyInput): MultipartBody | undefined {
  const isForm = multipart === true && body !== undefined;
  if (!isForm || typeof input.body !== "object" || input.body === null) return undefined;
  return encodeMultipart(input.body, body);
}

/** Returns the header with a new key, which all attempts of one call share. The standard requires the quotes. */
function idempotencyKeyHeaders(): Readonly<Record<string, string>> {
  return { [idempotencyKeyHeader.toLowerCase()]: `"${randomUUID()}"` };
}

/** Returns whether the server accepts keys; false if its document could not be read. */
async function serverTakesIdempotencyKey(
  operation: Operation,
  discovery: Promise<ApiDiscovery> | undefined,
): Promise<boolean> {
  if (discovery === undefined) return false;
  return discovery.then((known) => known.takesIdempotencyKey(operation)).catch(() => false);
}

function eitherSignal(
  one: AbortSignal | undefined,
  other: AbortSignal | undefined,
): AbortSignal | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return AbortSignal.any([one, other]);
}

/** Sends a request; once more, with another credential, if the server refuses the first as expired. */
async function sendRenewing(
  sender: Sender,
  settings: RequestSettings,
  make: () => OutgoingRequest,
): Promise<SentRequest> {
  if (settings.credential() === undefined) await settings.renew(undefined, make().signal);
  const used = settings.credential();
  const first = make();
  const { description } = first;
  try {
    return { description, answered: await sender.send(first) };
  } catch (error) {
    const isRefused = !description.isPublic && isFailure(error, "unauthenticated");
    if (!isRefused || !(await settings.renew(used, first.signal))) throw error;
    const second = make();
    return { description: second.description, answered: await sender.send(second) };
  }
}

/** Returns the JSON of a response; undefined if the operation declares no response body. */
function jsonOf(
  { answered, description }: SentRequest,
  { answer }: Operation,
): JsonValue | undefined {
  const body = readBody(answered);
  if (body.form === "json") return body.value;
  if (body.form === "html") throw webPageFailure(description);
  if (answer.schema === undefined) return undefined;
  if (body.form === "empty") throw unexpectedAnswer(description, "the response is empty");
  if (body.form === "invalid-json")
    throw unexpectedAnswer(description, "the response is not valid JSON");
  throw unexpectedAnswer(description, `the response has the type ${body.type} instead of JSON`);
}

function rawBody(request: RequestDescription, answered: ReceivedAnswer): JsonValue | undefined {
  const body = readBody(answered);
  if (body.form === "json") return body.value;
  if (body.form === "html") throw webPageFailure(request);
  if (body.form === "invalid-json")
    throw unexpectedAnswer(request, "the response is not valid JSON");
  return body.form === "other" ? body.text : undefined;
}
