// Tokens for pipelines and controllers without a key: their OIDC token, exchanged at the server and again when it expires.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { refuseOpenFile } from "../files/secret-file.ts";
import { Failure, isFailure } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { Secret } from "../core/secret.ts";
import { systemErrorText } from "../core/system/system-error.ts";
import type { Environment } from "./context-file.ts";
import { exchangeToken, type OAuthAccess, oauthClientOf, readJson } from "./oauth.ts";
import { backoffMs } from "./retry.ts";
import { SharedRun } from "./shared-run.ts";
import { abortedFailure } from "./throttle.ts";
import type { RenewalOptions, RenewCredential } from "./types.ts";

/** Returns a current OIDC token. */
export type ReadWorkloadToken = (signal: AbortSignal) => Promise<Secret>;

/**
 * Returns a function that reads the OIDC token that the environment names: `SVC_OIDC_TOKEN_FILE`, `SVC_OIDC_TOKEN`, or for
 * `SVC_OIDC_AUDIENCE` the one that GitHub issues to the job. Undefined if it names none.
 */
export function workloadTokenOf(env: Environment): ReadWorkloadToken | undefined {
  const { SVC_OIDC_TOKEN_FILE: file, SVC_OIDC_TOKEN: text, SVC_OIDC_AUDIENCE: audience } = env;
  if (file) return async () => tokenIn(readTokenFile(file), `the file ${file}`);
  if (text) return async () => tokenIn(text, "SVC_OIDC_TOKEN");
  if (audience) return (signal) => requestGithubToken(audience, env, signal);
  return undefined;
}

/** The result of the exchange of an OIDC token. Times are milliseconds since 1970. */
interface Exchanged {
  readonly credential: Secret;
  /** When another one is requested. */
  readonly until: number;
  /** When the server stops accepting it. */
  readonly expires: number;
}

/** The exchanges of one OIDC token at one server. */
interface Exchanges {
  last?: Exchanged;
  readonly next: SharedRun<Exchanged>;
}

/** By hashes of a server and an OIDC token. Callers that read the same token again share the result. */
const exchanged = new Map<string, Exchanges>();

/**
 * Returns a credential that exchanges OIDC tokens at a server. Calls, and other clients of this process with the same OIDC token, share
 * one result until shortly before it expires or a server refuses it, because many tokens can be exchanged only once. If
 * none can be obtained then, they use the last one until it expires.
 */
export function workloadCredential(
  url: string,
  read: ReadWorkloadToken,
  env: Environment,
): RenewCredential {
  let known: Secret | undefined;
  const renewal = new SharedRun<Secret>();
  return async (used, options) => {
    if (known !== undefined && known !== used) return known;
    known = await renewal.join((signal) => {
      const access = { url, client: oauthClientOf(env), signal };
      return exchange(access, read, { ...options, signal, used });
    }, options.signal);
    return known;
  };
}

/** How a token is exchanged; `used` is a credential that is no longer valid. */
type ExchangeOptions = RenewalOptions & { readonly used: Secret | undefined };

/** Tries again, and reads the token again, if no answer came: the server may have used the first one. */
async function exchange(
  access: OAuthAccess,
  read: ReadWorkloadToken,
  { used, attempts, retryFirstMs, signal }: ExchangeOptions,
): Promise<Secret> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await exchangeOnce(access, await read(signal), used);
    } catch (error) {
      if (attempt >= attempts || !isPassing(error)) throw error;
      const { retryAfter } = error;
      const headers =
        retryAfter === undefined ? undefined : { "retry-after": `${Math.ceil(retryAfter)}` };
      const ms = backoffMs(attempt, headers, { firstMs: retryFirstMs, chance: Math.random() });
      await sleep(ms, undefined, { signal }).catch(() => {
        throw abortedFailure();
      });
    }
  }
}

/** Returns whether another attempt may succeed, and the server does not ask for a longer pause than the longest. */
function isPassing(error: unknown): error is Failure {
  if (!isFailure(error) || (error.retryAfter ?? 0) * 1000 > limits.retryMaxMs) return false;
  return ["unreachable", "unavailable", "rate_limited"].includes(error.code);
}

/** Exchanges a token, unless the result of its last exchange is still valid. */
async function exchangeOnce(
  access: OAuthAccess,
  token: Secret,
  used: Secret | undefined,
): Promise<Secret> {
  const exchanges = exchangesOf(access, token);
  const { last } = exchanges;
  const isGood = last !== undefined && last.credential !== used;
  if (isGood && performance.now() < last.until) return last.credential;
  try {
    const { credential } = await exchanges.next.join(async (signal) => {
      const { accessToken, seconds } = await exchangeToken({ ...access, signal }, token);
      const expires = performance.now() + seconds * 1000;
      const until = expires - limits.workloadRenewalMs;
      return (exchanges.last = { credential: accessToken, until, expires });
    }, access.signal);
    return credential;
  } catch (error) {
    if (!isGood || performance.now() >= last.expires || access.signal?.aborted) throw error;
    return last.credential;
  }
}

/** Returns the exchanges of a token, which from now on are the newest. */
function exchangesOf({ url, client }: OAuthAccess, token: Secret): Exchanges {
  const text = JSON.stringify([url, client.id, client.scope ?? "", token.reveal()]);
  const name = createHash("sha256").update(text).digest("hex");
  const known = exchanged.get(name) ?? { next: new SharedRun() };
  exchanged.delete(name);
  exchanged.set(name, known);
  const [oldest] = exchanged.keys();
  if (exchanged.size > limits.workloadTokens && oldest !== undefined) exchanged.delete(oldest);
  return known;
}

function readTokenFile(file: string): string {
  refuseOpenFile(file);
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const reason = systemErrorText(cause);
    throw noToken(`the file ${file} with the OIDC token cannot be read: ${reason}`, cause);
  }
}

function tokenIn(text: string, place: string): Secret {
  const token = text.trim();
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token) && token.length <= limits.workloadAssertionMax) {
    return new Secret(token);
  }
  throw noToken(`${place} contains no OIDC token`);
}

/** Requests a token for the job from GitHub. */
async function requestGithubToken(
  audience: string,
  env: Environment,
  signal: AbortSignal,
): Promise<Secret> {
  const address = URL.parse(env["ACTIONS_ID_TOKEN_REQUEST_URL"] ?? "");
  const key = env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] ?? "";
  if (address === null || key === "") {
    throw noToken("SVC_OIDC_AUDIENCE is set, but the job cannot request OIDC tokens", undefined, {
      remedy:
        "On GitHub, add `permissions: { id-token: write }` to the job; elsewhere set " +
        "SVC_OIDC_TOKEN_FILE or SVC_OIDC_TOKEN instead.",
    });
  }
  address.searchParams.set("audience", audience);
  const { status, value } = await askGithub(address, key, signal);
  if (status === 200 && typeof value === "string") return tokenIn(value, "GitHub's response");
  const code = status === 429 || status >= 500 ? "unavailable" : "unauthenticated";
  throw new Failure(code, `${address.host} issued no OIDC token: status ${status}`);
}

async function askGithub(
  address: URL,
  key: string,
  signal: AbortSignal,
): Promise<{ status: number; value: unknown }> {
  try {
    const answer = await request(address, {
      headers: { accept: "application/json", authorization: `Bearer ${key}`, "user-agent": "svc" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(limits.requestMs)]),
    });
    const body = await readJson(answer.body);
    return { status: answer.statusCode, value: isObject(body) ? body["value"] : undefined };
  } catch (cause) {
    if (signal.aborted) throw abortedFailure();
    throw new Failure("unreachable", `${address.host} does not respond`, { cause });
  }
}

function noToken(message: string, cause?: unknown, detail: { remedy?: string } = {}): Failure {
  return new Failure("unauthenticated", message, { cause, ...detail });
}
