// Signs users in at the identity providers of their account: OpenID Connect, authorization code with PKCE.
import { type AdapterPayload, errors } from "oidc-provider";
import * as client from "openid-client";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { isTemporaryStatus } from "../git/temporary-status.ts";
import type { TokenEndpoints } from "../git/token-endpoint.ts";
import { identityProviderSealContext } from "../security/sealed-columns.ts";
import { secretHash } from "../security/secret-hash.ts";
import { hasClaims, type RequiredClaim, trustClaims } from "../security/workload-trust.ts";
import { fromJson, toShortText, toTimestamp } from "../store/codec.ts";
import type { Db, Row } from "../store/schema.ts";
import { isInternalUser } from "../store/sql-conditions.ts";
import { inTransaction } from "../store/transaction.ts";
import { externalSignInModel, oauthAdapter, readPayload } from "./oauth-adapter.ts";
import type { OAuthStore } from "./oauth-store.ts";
import { onlyUser } from "./shared-email.ts";

/** A provider in the store. */
export type IdentityProvider = Row<"identity_providers">;

/** An account whose users sign in elsewhere. */
export interface ExternalSignInAccount extends OAuthStore {
  /** Identifies the account in this process. */
  readonly accountId: string;
  readonly tokenEndpoints: Pick<TokenEndpoints, "fetch">;
}

/** The browser and the address at which a sign-in was started. */
export interface SignInStart {
  /** A secret of the browser, which the callback must have too. */
  readonly browser: string;
  readonly redirectUri: string;
  /** The path to continue at. */
  readonly next: string;
}

/** Returns the path at which the sign-in starts; the provider sends users back to `/callback` below it. */
export function externalSignInPath(name: string): string {
  return `/auth/providers/${name}`;
}

/** Returns the providers of an account. */
export function listProviders(db: Db): Promise<IdentityProvider[]> {
  return db.selectFrom("identity_providers").selectAll().orderBy("id").execute();
}

/** Returns a provider. Throws `not_found`. */
export async function findProvider(db: Db, name: string): Promise<IdentityProvider> {
  const row = await db
    .selectFrom("identity_providers")
    .selectAll()
    .where("name", "=", toShortText(name, 255))
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", "there is no such identity provider; sign in another way");
}

/** Signs users in at providers whose metadata and keys it keeps for minutes. */
export interface ExternalSignIn {
  /**
   * Returns the address at the provider to which the browser goes. Throws `unavailable` or `invalid` if the provider
   * cannot be reached, and `conflict` if its metadata is not valid.
   */
  start(
    account: ExternalSignInAccount,
    provider: IdentityProvider,
    of: SignInStart,
  ): Promise<string>;
  /**
   * Returns the email that a provider vouches for, and the path to continue at. `callback` is the address to which the
   * provider sent the browser. Throws `forbidden` unless the request is the first response to a sign-in that this browser started.
   */
  finish(
    account: ExternalSignInAccount,
    provider: IdentityProvider,
    of: { readonly browser: string; readonly callback: URL },
  ): Promise<{ readonly email: string; readonly next: string }>;
}

/** Creates the sign-in through external identity providers. */
export function createExternalSignIn(): ExternalSignIn {
  const configure = createConfigurations();
  return {
    start: async (account, provider, { browser, redirectUri, next }) => {
      const config = await configure(account, provider);
      const [state, nonce] = [client.randomState(), client.randomNonce()];
      const verifier = client.randomPKCECodeVerifier();
      await storeStart(account, state, {
        provider: provider.id,
        version: provider.updated_at,
        browser: secretHash(browser),
        nonce,
        verifier,
        next,
      });
      const { href } = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      return href;
    },
    finish: async (account, provider, { browser, callback }) => {
      const state = callback.searchParams.get("state") ?? "";
      const started = await claimStart(account, state, { provider, browser });
      const config = await configure(account, provider);
      const claims = await readClaims(config, callback, {
        ...started,
        state,
        required: trustClaims(provider),
      });
      return { email: requireEmail(claims, provider), next: started.next };
    },
  };
}

/** Returns the active user of an email and records the sign-in. Throws `forbidden` if there is none, and `invalid` if several share it. */
export async function signInByEmail(tx: Db, email: string, now: Date): Promise<number> {
  const found = await tx
    .selectFrom("users")
    .select(["id", "username"])
    .where("email_key", "=", email.toLowerCase())
    .where(isInternalUser)
    .where("is_deactivated", "=", 0)
    .orderBy("id")
    .execute();
  const user = onlyUser(email, found);
  if (user) {
    const at = toTimestamp(now);
    await tx.updateTable("users").set({ last_login: at }).where("id", "=", user.id).execute();
    return user.id;
  }
  throw refusal(`no active user has the email ${email}; ask an administrator to invite you`);
}

interface Started {
  readonly provider: number;
  readonly version: string;
  /** Hash of the browser's secret. */
  readonly browser: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
}

function refusal(text: string, cause?: unknown): Failure {
  return new Failure("forbidden", text, { cause });
}

async function storeStart(store: OAuthStore, state: string, start: Started): Promise<void> {
  const adapter = oauthAdapter(store, externalSignInModel);
  try {
    await adapter.upsert(state, { ...start }, limits.authorizationSeconds);
  } catch (cause) {
    if (!(cause instanceof errors.TemporarilyUnavailable)) throw cause;
    const text = cause.error_description ?? "too many sign-ins wait";
    throw new Failure("unavailable", text, { cause });
  }
}

/** Removes a sign-in from the store, so that its response is only accepted once. */
async function claimStart(
  store: OAuthStore,
  state: string,
  { provider, browser }: { provider: IdentityProvider; browser: string },
): Promise<Started> {
  const row = await store.db
    .selectFrom("oauth_records")
    .selectAll()
    .where("model", "=", externalSignInModel)
    .where("key_hash", "=", secretHash(state))
    .where("expires_at", ">", toTimestamp(store.now()))
    .executeTakeFirst();
  const started = row && (readPayload(store, row) as AdapterPayload & Started);
  if (
    started?.browser === secretHash(browser) &&
    started.provider === provider.id &&
    started.version === provider.updated_at
  ) {
    const claimed = await inTransaction(store.db, (tx) =>
      tx
        .deleteFrom("oauth_records")
        .where("id", "=", row?.id ?? 0)
        .returning("id")
        .execute(),
    );
    if (claimed.length === 1) return started;
  }
  const text =
    "the sign-in expired, was used, was started in another browser, or the settings of the provider changed; start again";
  throw refusal(text);
}

type Claims = Readonly<Record<string, unknown>>;

interface ExpectedAnswer extends Pick<Started, "nonce" | "verifier"> {
  readonly state: string;
  /** The claims that the provider must make. */
  readonly required: readonly RequiredClaim[];
}

/**
 * Exchanges the code, and returns the claims of the verified ID token. The user information of the same subject adds
 * the email and the `required` claims that the token lacks.
 */
async function readClaims(
  config: client.Configuration,
  callback: URL,
  { state, nonce, verifier, required }: ExpectedAnswer,
): Promise<Claims> {
  try {
    const tokens = await client.authorizationCodeGrant(config, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw refusal("the identity provider sent no ID token");
    const names = ["email", "email_verified", ...required.map(({ name }) => name)];
    const isComplete = names.every((name) => Object.hasOwn(claims, name));
    if (isComplete || !config.serverMetadata().userinfo_endpoint) return claims;
    return withInformation(
      claims,
      await client.fetchUserInfo(config, tokens.access_token, claims.sub),
    );
  } catch (error) {
    throw asFailure(error, "forbidden");
  }
}

/** Adds claims of the user information. The source of the email also decides whether it is verified. */
function withInformation(token: Claims, { email, email_verified, ...others }: Claims): Claims {
  const isSame = token["email"] === email && token["email_verified"] === undefined;
  const emailClaims = token["email"] === undefined || isSame ? { email, email_verified } : {};
  return { ...others, ...token, ...emailClaims };
}

function requireEmail(claims: Claims, provider: IdentityProvider): string {
  const { email, email_verified: isVerified } = claims;
  if (typeof email !== "string" || email.length > 320) {
    throw refusal("the identity provider did not send your email");
  }
  // Some providers send the string "true".
  if (isVerified !== true && isVerified !== "true") {
    throw refusal("the identity provider has not verified your email");
  }
  const { email_domains: domains } = provider;
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (domains !== null && !(fromJson(domains) as string[]).includes(domain)) {
    throw refusal(`this identity provider may not sign in users with an email at ${domain}`);
  }
  if (!hasClaims(claims, trustClaims(provider))) {
    throw refusal("your user at the identity provider lacks a claim that this account requires");
  }
  return toShortText(email, 320);
}

/** Returns the reason of a refusal: the operator's rule, the provider's answer, or the failed check. */
function asFailure(error: unknown, code: "forbidden" | "conflict"): Failure {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (one instanceof Failure) return one;
    if (one.cause instanceof Response && isTemporaryStatus(one.cause.status)) {
      const text = `the identity provider answers ${one.cause.status}; try again`;
      return new Failure("unavailable", text, { cause: error });
    }
  }
  if (
    error instanceof client.AuthorizationResponseError ||
    error instanceof client.ResponseBodyError
  ) {
    const errorCode = /^[\w.-]{1,100}$/.exec(error.error)?.[0] ?? "an error";
    return refusal(`the identity provider refused the sign-in: ${errorCode}`, error);
  }
  const text = error instanceof Error ? error.message : "it failed";
  const message = `the answer of the identity provider is not valid: ${text}`;
  return new Failure(code, message, { cause: error });
}

interface KnownConfiguration {
  readonly at: number;
  readonly config: Promise<client.Configuration>;
  hasFailed: boolean;
}

/** Returns a lookup of the metadata of providers. Failures are kept too, but for a shorter time. */
function createConfigurations() {
  const known = new Map<string, KnownConfiguration>();
  return (account: ExternalSignInAccount, provider: IdentityProvider) => {
    const name = JSON.stringify([account.accountId, provider.id, provider.updated_at]);
    const at = account.now().getTime();
    const current = known.get(name);
    const life = current?.hasFailed === true ? limits.issuerKeysPauseMs : limits.issuerKeysMs;
    if (current && Math.abs(at - current.at) < life) return current.config;
    const entry = { at, config: discover(account, provider), hasFailed: false };
    entry.config.catch(() => (entry.hasFailed = true));
    known.delete(name);
    known.set(name, entry);
    const [oldest] = known.keys();
    if (known.size > limits.knownIdentityProviders && oldest !== undefined) known.delete(oldest);
    return entry.config;
  };
}

async function discover(
  { sealer, tokenEndpoints }: ExternalSignInAccount,
  provider: IdentityProvider,
): Promise<client.Configuration> {
  const { issuer, client_id: id } = provider;
  const secret = sealer.open(provider.sealed_secret, identityProviderSealContext(provider));
  const fetch: client.CustomFetch = (url, request) => tokenEndpoints.fetch(url, request);
  // The operator's rules decide which addresses are reached without encryption.
  const options = { [client.customFetch]: fetch, execute: [client.allowInsecureRequests] };
  const found = await client
    .discovery(new URL(issuer), id, undefined, client.None(), options)
    .catch((error: unknown) => {
      throw asFailure(error, "conflict");
    });
  const server = found.serverMetadata();
  // A provider of many organizations publishes a placeholder, and would sign in users of all of them.
  if (server.issuer !== issuer || server.authorization_endpoint === undefined) {
    const text = `${new URL(issuer).host} does not describe where users of ${issuer} sign in`;
    throw new Failure("conflict", text);
  }
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const authentication = methods.includes("client_secret_basic")
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret);
  const metadata = { [client.clockTolerance]: limits.workloadClockSkewSeconds };
  const config = new client.Configuration(server, id, metadata, authentication);
  config[client.customFetch] = fetch;
  client.allowInsecureRequests(config);
  client.enableNonRepudiationChecks(config);
  return config;
}
