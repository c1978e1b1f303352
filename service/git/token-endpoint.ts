// Posts forms to the token endpoints of OAuth providers and reads the documents of issuers. The same rules as for Git
// remotes apply: public addresses, and hosts that the operator allows.
import { Agent, type Dispatcher, request } from "undici";
import { Failure, invariant } from "../../core/errors.ts";
import { type JsonObject, parseObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { lookupOf } from "../security/destinations.ts";
import { allowedAddresses, type RemotePolicy } from "./remote-policy.ts";

/** Calls providers. */
export interface TokenEndpoints {
  /**
   * Posts a form and returns the status and the JSON object of the answer. Follows no redirect. Throws `invalid` for an
   * address that is not allowed, `unavailable` if the provider does not answer, and `conflict` if the answer is too
   * large.
   */
  post(
    url: string,
    form: Readonly<Record<string, string>>,
    client: { readonly id: string; readonly secret: string },
  ): Promise<ProviderAnswer>;
  /** Reads a document, under the same rules. */
  get(url: string): Promise<ProviderAnswer>;
  /** Sends a request of a library, under the same rules. */
  fetch(url: string, request: ProviderRequest): Promise<Response>;
}

/** A request for `fetch`, with the members that providers need. */
interface ProviderRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A status and the JSON object of a body; an empty object for any other body. */
interface ProviderAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Creates the client of the token endpoints of providers. */
export function createTokenEndpoints(policy: RemotePolicy): TokenEndpoints {
  return {
    post: (url, form, { id, secret }) => {
      const credential = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
      return sendForObject(policy, url, {
        method: "POST",
        headers: {
          accept: "application/json",
          authorization: `Basic ${Buffer.from(credential).toString("base64")}`,
          "content-type": "application/x-www-form-urlencoded",
        },
        body: new URLSearchParams(form).toString(),
      });
    },
    get: (url) =>
      sendForObject(policy, url, { method: "GET", headers: { accept: "application/json" } }),
    fetch: async (url, { method, headers, body }) => {
      const sent = body == null ? { method, headers } : { method, headers, body: textOf(body) };
      const { status, type, text } = await send(policy, url, sent);
      const answered = { status, headers: { "content-type": type } };
      return new Response(text === "" ? null : text, answered);
    },
  };
}

type Sent = Pick<Dispatcher.RequestOptions, "method" | "headers" | "body">;

function textOf(body: unknown): string {
  invariant(typeof body === "string" || body instanceof URLSearchParams, "a body of another type");
  return String(body);
}

async function sendForObject(
  policy: RemotePolicy,
  url: string,
  sent: Sent,
): Promise<ProviderAnswer> {
  const { status, text } = await send(policy, url, sent);
  return { status, body: parseObject(text) };
}

async function send(
  policy: RemotePolicy,
  text: string,
  sent: Sent,
): Promise<{ status: number; type: string; text: string }> {
  const url = new URL(text);
  const agent = new Agent({ connect: await connectOptions(url, policy) });
  try {
    const signal = AbortSignal.timeout(limits.oauthRequestMs);
    const answer = await request(url, { ...sent, dispatcher: agent, signal });
    return {
      status: answer.statusCode,
      type: [answer.headers["content-type"] ?? ""].flat()[0] ?? "",
      text: await readBounded(answer.body, url.host),
    };
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure("unavailable", `${url.host} cannot be reached`, { cause });
  } finally {
    await agent.destroy();
  }
}

/** Connects only to the addresses that were checked, so that a second resolution cannot lead elsewhere. */
async function connectOptions(url: URL, policy: RemotePolicy) {
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "");
  const isTls = url.protocol === "https:";
  const port = Number(url.port || (isTls ? 443 : 80));
  const kind = isTls ? ("https" as const) : ("http" as const);
  const [address] = await allowedAddresses({ kind, url: url.href, host, port }, policy);
  return address === undefined ? {} : { lookup: lookupOf(address) };
}

async function readBounded(body: AsyncIterable<Uint8Array>, host: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > limits.oauthAnswerBytes) throw new Failure("conflict", `${host} answers too much`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
