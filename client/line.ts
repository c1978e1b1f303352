// The untyped line to a server: requests made of operations, their answers opened and checked; types are put on top of it.
import { randomUUID } from "node:crypto";
import { keyHeader, takesKey } from "../api/idempotency.ts";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { AnyInput, Operation } from "../core/operation.ts";
import type { Secret } from "../core/secret.ts";
import { fillPath, queryText, rawPath } from "./address.ts";
import { type Asked, notOffered, readBody, unexpected } from "./answer.ts";
import { checkAnswer } from "./check.ts";
import type { Answered } from "./exchange.ts";
import type { Offer } from "./offer.ts";
import { openEnvelope, type Opened } from "./paging.ts";
import type { Outgoing, Sender } from "./sender.ts";
import type { CallOptions, ClientOptions, RawAnswer, RawRequest } from "./types.ts";

/** Calls by operation, without their types. Every failure is a `Failure`. */
export interface Line {
  answer(operation: Operation, input: AnyInput, options: CallOptions): Promise<unknown>;
  opened(operation: Operation, input: AnyInput, options: CallOptions): Promise<Opened>;
  raw(method: string, path: string, request: RawRequest): Promise<RawAnswer>;
}

/** What a line works with. */
export interface LineParts {
  readonly sender: Sender;
  /** What the server offers, where that has been asked. */
  readonly offer: () => Promise<Offer> | undefined;
}

/** A line with one credential. Fails with `usage` for a credential that no header can carry. */
export function createLine(
  origin: string,
  options: ClientOptions,
  { sender, offer }: LineParts,
): Line {
  const authorization = authorizationOf(options.credential, options.scheme);
  const secrets = options.credential === undefined ? [] : [options.credential.reveal()];
  const base = { accept: "application/json", "user-agent": options.userAgent ?? "svc" };
  const headersOf = (anyone: boolean, body: string | undefined, method: string) => ({
    ...base,
    ...(anyone || authorization === undefined ? {} : { authorization }),
    ...bodyHeaders(body, method),
  });
  const outgoing = (operation: Operation, input: AnyInput, call: CallOptions): Outgoing => {
    const { method, path, summary, id, repeatable, effect } = operation;
    const body = input.body === undefined ? undefined : JSON.stringify(input.body);
    const key = takesKey(operation) && freshKey();
    return {
      asked: { summary, method, path, origin, secrets },
      wire: {
        method,
        path: fillPath(path, input.params) + queryText(input.query),
        headers: { ...headersOf(operation.access === "anyone", body, method), ...key },
        body,
      },
      operation: id,
      repeatable,
      takesKey: async () => takesKey(operation) && (await isKeyed(operation, offer())),
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
      const key = method === "POST" && freshKey();
      const headers = { ...headersOf(false, text, method), ...key };
      const asked = { summary: undefined, method, path: path.split("?")[0] ?? "", origin, secrets };
      const answered = await sender.send({
        asked,
        wire: { method, path: wirePath, headers, body: text },
        operation: undefined,
        repeatable: method !== "POST",
        takesKey: async () => false,
        reads: method === "GET",
        signal: eitherSignal(options.signal, signal),
      });
      return { status: answered.status, body: rawBody(asked, answered) };
    },
  };
}

function bodyHeaders(body: string | undefined, method: string): Readonly<Record<string, string>> {
  if (body !== undefined) return { "content-type": "application/json" };
  return method === "GET" ? {} : { "content-length": "0" };
}

/** One for each call, whatever its attempts; in quotes, as the standard wants it. */
function freshKey(): Readonly<Record<string, string>> {
  return { [keyHeader.toLowerCase()]: `"${randomUUID()}"` };
}

/** A server that could not be asked is one that ignores keys. */
async function isKeyed(operation: Operation, offer: Promise<Offer> | undefined): Promise<boolean> {
  if (offer === undefined) return false;
  return offer.then((known) => known.takesKey(operation)).catch(() => false);
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
