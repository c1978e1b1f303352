// The untyped transport to a server: builds requests from operations, and unwraps and validates their responses.
import { randomUUID } from "node:crypto";
import { idempotencyKeyHeader, takesIdempotencyKey } from "../api/idempotency.ts";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { AnyInput, Operation } from "../core/operation.ts";
import type { Secret } from "../core/secret.ts";
import { encodeMultipart, type MultipartBody } from "./multipart.ts";
import { fillPath, queryText, rawPath } from "./request-url.ts";
import {
  type RequestDescription,
  notOfferedFailure,
  readBody,
  unexpectedAnswer,
} from "./answer.ts";
import { checkAnswer } from "./validate-answer.ts";
import type { ReceivedAnswer } from "./exchange.ts";
import type { ApiDiscovery } from "./api-discovery.ts";
import { openEnvelope, type OpenedPage } from "./paging.ts";
import type { OutgoingRequest, Sender } from "./sender.ts";
import type { CallOptions, ClientOptions, RawAnswer, RawRequest } from "./types.ts";

/** Untyped calls of operations. They fail only with a `Failure`. */
export interface Transport {
  call(operation: Operation, input: AnyInput, options: CallOptions): Promise<unknown>;
  page(operation: Operation, input: AnyInput, options: CallOptions): Promise<OpenedPage>;
  request(method: string, path: string, request: RawRequest): Promise<RawAnswer>;
}

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
  const { basePath, secrets, headersOf } = settings;
  const outgoing = (operation: Operation, input: AnyInput, call: CallOptions): OutgoingRequest => {
    const { method, path, summary, id, repeatable, effect } = operation;
    const form = multipartBody(operation, input);
    const body = form?.bytes ?? (input.body === undefined ? undefined : JSON.stringify(input.body));
    const type = form?.type ?? "application/json";
    const key = takesIdempotencyKey(operation) && idempotencyKeyHeaders();
    return {
      description: { summary, method, path, origin, secrets },
      wire: {
        method,
        path: basePath + fillPath(path, input.params) + queryText(input.query),
        headers: {
          ...headersOf(
            operation.permission === "public",
            body === undefined ? undefined : type,
            method,
          ),
          ...key,
        },
        body,
      },
      operation: id,
      repeatable,
      takesIdempotencyKey: async () =>
        takesIdempotencyKey(operation) && (await serverTakesIdempotencyKey(operation, discovery())),
      isRead: effect === "read",
      signal: call.isCleanup === true ? call.signal : eitherSignal(options.signal, call.signal),
    };
  };
  return {
    call: async (operation, input, call) => {
      const out = outgoing(operation, input, call);
      return checkAnswer(operation, out.description, await jsonOf(sender, out, operation));
    },
    page: async (operation, input, call) => {
      const out = outgoing(operation, input, call);
      return openEnvelope(operation, out.description, await jsonOf(sender, out, operation));
    },
    request: async (method, path, request) => {
      const out = outgoingRawRequest({ ...request, method, path }, settings);
      const answered = await sender.send(out);
      return { status: answered.status, body: rawBody(out.description, answered) };
    },
  };
}

/** What all requests of one transport share. */
interface RequestSettings {
  readonly origin: string;
  /** Path before those of all requests. */
  readonly basePath: string;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal | undefined;
  readonly headersOf: (
    anyone: boolean,
    contentType: string | undefined,
    method: string,
  ) => Readonly<Record<string, string>>;
}

function requestSettings(origin: string, options: ClientOptions): RequestSettings {
  const { credential, scheme, userAgent, signal, basePath = "" } = options;
  const authorization = authorizationOf(credential, scheme);
  const base = { accept: "application/json", "user-agent": userAgent ?? "svc" };
  return {
    origin,
    basePath,
    secrets: credential === undefined ? [] : [credential.reveal()],
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
      secrets,
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

/** Sends a request and returns the JSON of the response; undefined if the operation declares no response body. */
async function jsonOf(
  sender: Sender,
  out: OutgoingRequest,
  { answer }: Operation,
): Promise<JsonValue | undefined> {
  const body = readBody(await sender.send(out));
  if (body.form === "json") return body.value;
  if (body.form === "html") throw notOfferedFailure(out.description);
  if (answer.schema === undefined) return undefined;
  if (body.form === "empty") throw unexpectedAnswer(out.description, "the response is empty.");
  if (body.form === "invalid-json")
    throw unexpectedAnswer(out.description, "the response is not valid JSON.");
  throw unexpectedAnswer(
    out.description,
    `the response has the type ${body.type} instead of JSON.`,
  );
}

function rawBody(request: RequestDescription, answered: ReceivedAnswer): JsonValue | undefined {
  const body = readBody(answered);
  if (body.form === "json") return body.value;
  if (body.form === "html") throw notOfferedFailure(request);
  if (body.form === "invalid-json")
    throw unexpectedAnswer(request, "the response is not valid JSON.");
  return body.form === "other" ? body.text : undefined;
}
