// Requests to the OAuth server of an account: device login, refresh and revocation.
import { request } from "undici";
import { Failure } from "../core/errors.ts";
import { isObject, type JsonObject, parseObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { Secret } from "../core/secret.ts";
import type { Headers } from "./types.ts";
import { parseOrigin } from "./request-url.ts";
import { serverRequestedWaitMs } from "./retry.ts";
import { sanitize } from "./sanitize.ts";

/** A client of the OAuth server, from `SVC_OAUTH_CLIENT_ID`, `SVC_OAUTH_CLIENT_SECRET` and `SVC_OAUTH_SCOPE`. */
export interface OAuthClient {
  readonly id: string;
  readonly secret: Secret | undefined;
  readonly scope: string | undefined;
}

/** Returns the client that the environment names, otherwise the client of the command line. */
export function oauthClientOf(env: Readonly<Record<string, string | undefined>>): OAuthClient {
  const { SVC_OAUTH_CLIENT_ID: id, SVC_OAUTH_CLIENT_SECRET: secret, SVC_OAUTH_SCOPE: scope } = env;
  return {
    id: id || "svc-cli",
    secret: secret ? new Secret(secret) : undefined,
    scope: scope || undefined,
  };
}

/** A device login that waits for a user. */
export interface DeviceLogin {
  readonly deviceCode: Secret;
  readonly userCode: string;
  readonly verificationUri: string;
  /** Contains the code. */
  readonly completeUri: string;
  readonly expiresInMs: number;
  readonly intervalMs: number;
}

/** The tokens that a login or a refresh returns. */
export interface TokenPair {
  readonly accessToken: Secret;
  readonly refreshToken: Secret | undefined;
  /** The address of the account, if it differs from the address of the login. */
  readonly tenantUrl: string | undefined;
}

/** Where and as which client requests are sent. */
export interface OAuthAccess {
  readonly url: string;
  readonly client: OAuthClient;
  readonly signal?: AbortSignal | undefined;
}

/** Starts a device login. */
export async function startDeviceLogin(access: OAuthAccess): Promise<DeviceLogin> {
  const { scope } = access.client;
  const { status, body } = await post(access, "/auth/device/code", scope ? { scope } : {});
  if (status !== 200) throw refusal(access, "the login cannot start", body);
  const deviceCode = textIn(body, "device_code", "deviceCode");
  const userCode = textIn(body, "user_code", "userCode");
  const verificationUri = textIn(body, "verification_uri", "verificationUri");
  if (!deviceCode || !userCode || !verificationUri) throw noOAuthServer(access.url);
  return {
    deviceCode: new Secret(deviceCode),
    userCode: sanitize(userCode),
    verificationUri: sanitize(verificationUri),
    completeUri: sanitize(
      textIn(body, "verification_uri_complete", "verificationUriComplete") ?? verificationUri,
    ),
    expiresInMs: secondsIn(body, "expires_in", 900) * 1000,
    intervalMs: secondsIn(body, "interval", 5) * 1000,
  };
}

/** Asks whether the user decided. Fails with `forbidden` if the user denied, and with `timeout` if the code expired. */
export async function pollDeviceLogin(
  access: OAuthAccess,
  deviceCode: Secret,
): Promise<TokenPair | "pending" | "slow_down"> {
  const { status, body } = await post(access, "/auth/device/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: deviceCode.reveal(),
  });
  if (status === 200) return tokensIn(access, body);
  const error = textIn(body, "error");
  if (error === "authorization_pending") return "pending";
  // Other servers limit the rate of polls without the code of the standard.
  if (error === "slow_down" || status === 429 || status >= 500) return "slow_down";
  if (error === "access_denied") {
    throw new Failure("forbidden", "the login was denied in the browser");
  }
  if (error === "expired_token") throw loginTimeout();
  throw refusal(access, "the login failed", body);
}

/** Returns the failure for a login that no user approved in time. */
export function loginTimeout(): Failure {
  const remedy = "Run `svc login` again, and approve it in the browser.";
  return new Failure("timeout", "the login was not approved before its code expired", { remedy });
}

/** Exchanges a refresh token for another pair. Fails with `unauthenticated` if the server refuses it. */
export async function refreshTokens(access: OAuthAccess, token: Secret): Promise<TokenPair> {
  const { status, body } = await post(access, "/auth/oauth2/refresh", {
    grant_type: "refresh_token",
    refresh_token: token.reveal(),
  });
  if (status === 200) return tokensIn(access, body);
  if (status === 400 || status === 401) {
    throw new Failure("unauthenticated", `the sign-in at ${access.url} has ended`, {
      remedy: "Run `svc login` again.",
    });
  }
  throw refusal(access, "the sign-in cannot be renewed", body);
}

/**
 * Exchanges an OIDC token of a CI system. Returns the access token and for how many seconds it works; 0 if the server does
 * not say. Fails with `unauthenticated` if no workload trust accepts it, and with `rate_limited` for too many requests.
 */
export async function exchangeToken(
  access: OAuthAccess,
  token: Secret,
): Promise<{ accessToken: Secret; seconds: number }> {
  const { scope } = access.client;
  const { status, body, headers } = await post(access, "/auth/oauth2/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: token.reveal(),
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    ...(scope && { scope }),
  });
  if (status === 200) {
    const { expires_in: seconds } = body;
    const { accessToken } = tokensIn(access, body);
    return { accessToken, seconds: typeof seconds === "number" ? seconds : 0 };
  }
  const isPassing = status >= 500 || textIn(body, "error") === "temporarily_unavailable";
  const reason = textIn(body, "error_description", "message", "error") ?? `status ${status}`;
  const text = `${access.url} does not accept the OIDC token: ${sanitize(reason).slice(0, 300)}`;
  if (status === 429) {
    const wait = serverRequestedWaitMs(headers, Date.now());
    throw new Failure(
      "rate_limited",
      text,
      wait === undefined ? {} : { retryAfter: Math.ceil(wait / 1000) },
    );
  }
  throw new Failure(isPassing ? "unavailable" : "unauthenticated", text, {
    remedy: [
      ...claimsText(token),
      "`svc workload-trusts list` shows the issuers, audiences and claims that are accepted.",
    ].join(" "),
  });
}

/** Returns which of the claims that trusts compare an OIDC token has, unverified; empty if it cannot be decoded. */
function claimsText(token: Secret): readonly string[] {
  let claims: unknown;
  try {
    const [, payload = ""] = token.reveal().split(".");
    claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  } catch {
    return [];
  }
  const named = ["iss", "aud", "sub"].flatMap((name) => {
    const values = [isObject(claims) ? claims[name] : undefined].flat();
    const texts = values.filter((value) => typeof value === "string");
    return texts.length === 0 ? [] : [`${name} ${sanitize(texts.join(", ")).slice(0, 200)}`];
  });
  return named.length === 0 ? [] : [`The token has ${named.join(", ")}.`];
}

/** Revokes a token with everything that came from the same login. */
export async function revokeToken(access: OAuthAccess, token: Secret): Promise<void> {
  const { status, body } = await post(access, "/auth/oauth2/revoke", { token: token.reveal() });
  if (status !== 200) throw refusal(access, "the sign-in cannot be revoked", body);
}

function tokensIn({ url }: OAuthAccess, body: JsonObject): TokenPair {
  const accessToken = textIn(body, "access_token", "accessToken");
  const refreshToken = textIn(body, "refresh_token", "refreshToken");
  if (!accessToken) throw noOAuthServer(url);
  return {
    accessToken: new Secret(accessToken),
    refreshToken: refreshToken ? new Secret(refreshToken) : undefined,
    tenantUrl: textIn(body, "tenantUrl", "tenant_url"),
  };
}

async function post(
  { url, client, signal }: OAuthAccess,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ status: number; body: JsonObject; headers: Headers }> {
  const origin = parseOrigin(url, false);
  const form = new URLSearchParams({ ...fields, client_id: client.id });
  if (client.secret) form.set("client_secret", client.secret.reveal());
  const timeout = AbortSignal.timeout(limits.requestMs);
  try {
    const answer = await request(`${origin}${path}`, {
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": "svc",
      },
      body: form.toString(),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const { statusCode: status, headers } = answer;
    return { status, headers, body: await readJson(answer.body) };
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    if (signal?.aborted === true)
      throw new Failure("aborted", "the request to the OAuth server was canceled", { cause });
    throw new Failure("unreachable", `${origin} does not respond`, {
      cause,
      remedy: "Check the server's address and the network connection to it.",
    });
  }
}

/** Returns the JSON object of a response; an empty one for any other body. */
export async function readJson(body: AsyncIterable<Buffer>): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limits.oauthAnswerBytes) return {};
    chunks.push(chunk);
  }
  return parseObject(Buffer.concat(chunks).toString("utf8"));
}

function textIn(body: JsonObject, ...names: readonly string[]): string | undefined {
  const values = names.map((name) => body[name]);
  return values.find((value) => typeof value === "string" && value !== "") as string | undefined;
}

function secondsIn(body: JsonObject, name: string, fallback: number): number {
  const value = body[name];
  return typeof value === "number" && value >= 1 && value <= 86_400 ? value : fallback;
}

function refusal({ url }: OAuthAccess, what: string, body: JsonObject): Failure {
  const reason = textIn(body, "error_description", "message", "error");
  if (reason === undefined) return noOAuthServer(url);
  return new Failure("unauthenticated", `${what}: ${sanitize(reason).slice(0, 300)}`);
}

function noOAuthServer(url: string): Failure {
  return new Failure("not_offered", `${url} offers no device login`, {
    remedy: "Check the server's address, or sign in with an API key: `svc login --api-key-file`.",
  });
}
