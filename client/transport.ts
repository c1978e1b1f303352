// The untyped transport to a server: builds requests from operations, and unwraps and validates their responses.
import { randomUUID } from "node:crypto";
import { idempotencyKeyHeader, takesIdempotencyKey } from "../api/idempotency.ts";
import { Failure, isFailure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import type { AnyInput, Operation } from "../core/operation.ts";
import { callCost } from "../core/operation-cost.ts";
import type { Secret } from "../core/secret.ts";
import { encodeMultipart, type MultipartBody } from "./multipart.ts";
import { fillPath, queryText, rawPath } from "./request-url.ts";
import { type RequestDescription, readBody, unexpectedAnswer, webPageFailure } from "./answer.ts";
import { checkAnswer } from "./validate-answer.ts";
import type { ApiDiscovery } from "./api-discovery.ts";
import { openEnvelope, type OpenedPage } from "./paging.ts";
import type { OutgoingRequest, Sender } from "./sender.ts";
import { SharedRun } from "./shared-run.ts";
import type { CallOptions, ClientOptions, RawAnswer, RawRequest, ReceivedAnswer } from "./types.ts";

/** Untyped calls of operations. They fail only with a `Failure`. */
export interface Transport {
  call(operation: Operation, input: AnyInput, options: CallOptions): Promise<unknown>;
  page(operation: Operation, input: AnyInput, options: CallOptions): Promise<OpenedPage>;
  /** Reads a document, unless it still has the entity tag `etag`. */
  document(operation: Operation, etag: string | undefined): Promise<ReadDocument>;
  request(method: string, path: string, request: RawRequest): Promise<RawAnswer>;
}

/** A document with its entity tag, if the server returned one. */
export type ReadDocument =
  | { readonly unchanged: true }
  | { readonly unchanged: false; readonly value: unknown; readonly etag: string | undefined };

/** Dependencies of a transport. */
export interface TransportDependencies {
  readonly sender: Sender;
  /** The operations that the server offers, if discovered. */
  readonly discovery: () => Promise<ApiDiscovery> | undefined;
}

/** Creates a transport with one credential. Fails with `usage` for a credential that is not a valid header value. */
export function createTransport(
  origin: string,
  options: ClientOptions,
  { sender, discovery }: TransportDependencies,
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
      description: { summary, method, path, origin, isPublic, secrets: settings.secrets() },
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

/** What all requests of one transport share. */
interface RequestSettings {
  readonly origin: string;
  /** Path before those of all requests. */
  readonly basePath: string;
  readonly secrets: () => readonly string[];
  /** Replaces the credential, unless another request did since `used` was sent. Returns false if it cannot be replaced. */
  readonly renew: (used: Secret | undefined, signal: AbortSignal | undefined) => Promise<boolean>;
  readonly credential: () => Secret | undefined;
  readonly signal: AbortSignal | undefined;
  readonly headersOf: (
    anyone: boolean,
    contentType: string | undefined,
    method: string,
  ) => Readonly<Record<string, string>>;
}

function requestSettings(origin: string, options: ClientOptions): RequestSettings {
  const { scheme, userAgent, signal, basePath = "" } = options;
  let { credential } = options;
  let authorization = authorizationOf(credential, scheme);
  const known = new Set(credential === undefined ? [] : [credential.reveal()]);
  const use = (renewed: Secret): void => {
    credential = renewed;
    authorization = authorizationOf(renewed, scheme);
    known.add(renewed.reveal());
  };
  const { attempts = limits.attempts, retryFirstMs = limits.retryFirstMs } = options;
  const renewal = new SharedRun<void>();
  const base = { accept: "application/json", "user-agent": userAgent ?? "svc" };
  return {
    origin,
    basePath,
    secrets: () => [...known],
    credential: () => credential,
    renew: async (used, waiting) => {
      const { renewCredential } = options;
      if (renewCredential === undefined) return false;
      if (credential === used) {
        await renewal.join(
          async (canceled) =>
            use(await renewCredential(used, { signal: canceled, attempts, retryFirstMs })),
          waiting,
        );
      }
      return true;
    },
    signal,
    headersOf: (anyone, contentType, method) => ({
      ...base,
      ...(anyone || authorization === undefined ? {} : { authorization }),
      ...bodyHeaders(contentType, method),
    }),
  };
}

/** Builds a request that belongs to no declared operation. */
function outgoingRawRequest(
  request: RawRequest & { readonly method: string; readonly path: string },
  { origin, basePath, secrets, signal, headersOf }: RequestSettings,
): OutgoingRequest {
  const { method, path, query } = request;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const key = method === "POST" && idempotencyKeyHeaders();
  return {
    description: {
      summary: undefined,
      method,
      path: path.split("?")[0] ?? "",
      origin,
      isPublic: false,
      secrets: secrets(),
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
    signal: eitherSignal(signal, request.signal),
  };
}

/** Returns the body of an operation that takes `multipart/form-data`. */
function multipartBody({ multipart, body }: Operation, input: AnyInput): MultipartBody | undefined {
  const isForm = multipart === true && body !== undefined;
  if (!isForm || typeof input.body !== "object" || input.body === null) return undefined;
  return encodeMultipart(input.body, body);
}

function bodyHeaders(
  contentType: string | undefined,
  method: string,
): Readonly<Record<string, string>> {
  if (contentType !== undefined) return { "content-type": contentType };
  return method === "GET" ? {} : { "content-length": "0" };
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

function authorizationOf(
  credential: Secret | undefined,
  scheme: ClientOptions["scheme"],
): string | undefined {
  if (credential === undefined) return undefined;
  const key = credential.reveal();
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw new Failure("usage", "The credential is empty or contains invalid characters.");
  }
  if (scheme === "bare") return key;
  const named = scheme ?? (key.startsWith("sk-") ? "api-key" : "bearer");
  return `${named === "api-key" ? "Api-Key" : "Bearer"} ${key}`;
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
  if (body.form === "empty") throw unexpectedAnswer(description, "the response is empty.");
  if (body.form === "invalid-json")
    throw unexpectedAnswer(description, "the response is not valid JSON.");
  throw unexpectedAnswer(description, `the response has the type ${body.type} instead of JSON.`);
}

function rawBody(request: RequestDescription, answered: ReceivedAnswer): JsonValue | undefined {
  const body = readBody(answered);
  if (body.form === "json") return body.value;
  if (body.form === "html") throw webPageFailure(request);
  if (body.form === "invalid-json")
    throw unexpectedAnswer(request, "the response is not valid JSON.");
  return body.form === "other" ? body.text : undefined;
}
