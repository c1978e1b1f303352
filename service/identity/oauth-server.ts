// The OAuth 2.1 servers of accounts, one for each address of an account, created when first used.
import { createPrivateKey } from "node:crypto";
import { type Configuration, errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { limits } from "../../core/limits/limits.ts";
import { currentKey, makeKey, openSigningKey, storeKey } from "../security/signing-keys.ts";
import type { Tokens } from "../security/tokens.ts";
import type { Db, Row } from "../store/schema.ts";
import { inTransaction } from "../store/transaction.ts";
import { isInternalUser } from "../store/sql-conditions.ts";
import { claimPoll } from "./device-polls.ts";
import { createIssuerKeys, type FindIssuerKeys } from "./issuer-keys.ts";
import { oauthAdapter } from "./oauth-adapter.ts";
import type { OAuthStore } from "./oauth-store.ts";
import { allowedScopes, commandLine, noRecords, oauthClientAdapter } from "./oauth-clients.ts";
import { addTokenExchange, type ExchangeAccount } from "./token-exchange.ts";
import {
  apiScopes,
  asksForUnknown,
  generalScopes,
  offlineScope,
  requestedScopes,
  scopesIn,
} from "../security/oauth-scopes.ts";

/** The paths of the OAuth server and of the page where users enter the codes of devices. */
export const oauthPaths = {
  authorization: "/auth/oauth2/authorize",
  code_verification: "/auth/device",
  device_authorization: "/auth/device/code",
  introspection: "/auth/oauth2/introspect",
  jwks: "/auth/oauth2/jwks",
  revocation: "/auth/oauth2/revoke",
  token: "/auth/oauth2/token",
} as const;

/** An account as an authorization server. */
export interface OAuthAccount extends ExchangeAccount {
  /** Identifies the account in this process. */
  readonly accountId: string;
  readonly tokens: Pick<Tokens, "cookieKeys">;
}

/** Returns the page that shows why a request is refused, with its headers. */
export type RenderProblem = (
  message: string,
  reader: { readonly db: Db; readonly languages: string },
) => Promise<{ readonly headers: Readonly<Record<string, string>>; readonly text: string }>;

/** Returns the authorization server of an account at an issuer. */
export type FindOAuthServer = (account: OAuthAccount, issuer: string) => Promise<Provider>;

/**
 * Creates the servers. `onError` receives errors of the library and of the store. The least recently used servers are
 * dropped.
 */
export function createOAuthServers(
  onError: (error: Error) => void,
  renderProblem: RenderProblem,
): FindOAuthServer {
  const known = new Map<string, Provider>();
  const findKeys = createIssuerKeys();
  const report = (_: unknown, error: Error): void => onError(error);
  return async (account, issuer) => {
    const key = await loadKey(account);
    const name = JSON.stringify([account.accountId, issuer, key.kid]);
    const server =
      known.get(name) ??
      createServer(account, { issuer, key, findKeys, renderProblem }).on("server_error", report);
    known.delete(name);
    known.set(name, server);
    const [oldest] = known.keys();
    if (known.size > limits.oauthServers && oldest !== undefined) known.delete(oldest);
    return server;
  };
}

/** Returns the signing key of the account, which is generated on first use. */
async function loadKey({ db, sealer, now }: OAuthStore): Promise<Row<"signing_keys">> {
  const known = await currentKey(db, now());
  if (known) return known;
  const created = await makeKey();
  return inTransaction(db, (tx) => storeKey(tx, created, { sealer, now: now() }));
}

interface ServerParts {
  readonly issuer: string;
  readonly key: Row<"signing_keys">;
  readonly findKeys: FindIssuerKeys;
  readonly renderProblem: RenderProblem;
}

function createServer(account: OAuthAccount, parts: ServerParts): Provider {
  const { issuer, findKeys } = parts;
  const server = new Provider(issuer, configuration(account, parts));
  addTokenExchange(server, account, findKeys);
  // The application replaces the forwarding headers with values that it trusts.
  server.proxy = true;
  server.use(async (ctx, next) => {
    takeUnknownMode(ctx);
    await next();
    const { oidc } = ctx as Partial<KoaContextWithOIDC>;
    if (oidc?.route === "discovery") describeServer(ctx);
    if (oidc?.route === "device_authorization") describeDevice(ctx, issuer);
    if (oidc?.route === "token") await slowDown(ctx, oidc.params?.["device_code"], account);
  });
  return server;
}

/** Replaces the library's default metadata, and adds the scopes of the API. */
function describeServer(ctx: { body?: unknown }): void {
  ctx.body = {
    ...(ctx.body as object),
    response_modes_supported: responseModes,
    scopes_supported: [...generalScopes, ...apiScopes],
  };
}

/**
 * The modes in which codes reach a client. The library's page that posts a form needs a script, which sign-in pages
 * must not have.
 */
const responseModes = ["query", "fragment"];

interface ModeContext {
  query: Readonly<Record<string, unknown>>;
  readonly state: { hasUnknownMode?: boolean };
}

/** Removes a mode that is not offered from a request: otherwise the library would use it for errors too. */
function takeUnknownMode(ctx: ModeContext): void {
  const { response_mode: mode, ...query } = ctx.query;
  if (mode === undefined || (typeof mode === "string" && responseModes.includes(mode))) return;
  ctx.query = query;
  ctx.state.hasUnknownMode = true;
}

/** Throws `unsupported_response_mode` for a request whose mode was removed. */
function refuseMode({ state }: Pick<ModeContext, "state">): void {
  if (state.hasUnknownMode === true) throw new errors.UnsupportedResponseMode();
}

/** Adds the members that RFC 8628 allows and clients expect. */
function describeDevice(ctx: { body?: unknown }, issuer: string): void {
  const body = ctx.body as { user_code?: string } | undefined;
  if (body?.user_code === undefined) return;
  const page = `${issuer}${oauthPaths.code_verification}`;
  ctx.body = {
    ...body,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${encodeURIComponent(body.user_code)}`,
    interval: limits.devicePollSeconds,
  };
}

/** Reports that a device polls too often. The library only reports pending authorizations. */
async function slowDown(
  ctx: { body?: unknown },
  code: unknown,
  { db, now }: OAuthStore,
): Promise<void> {
  const { error } = (ctx.body ?? {}) as { error?: string };
  if (error !== "authorization_pending" || typeof code !== "string") return;
  if (await claimPoll(db, code, now())) return;
  const text = "the device polls too often; wait 5 seconds longer between polls";
  ctx.body = { error: "slow_down", error_description: text };
}

function configuration(
  account: OAuthAccount,
  { issuer, key, renderProblem }: ServerParts,
): Configuration {
  const { db, sealer, tokens } = account;
  const jwk = createPrivateKey(openSigningKey(key, sealer)).export({ format: "jwk" });
  const cookie = { httpOnly: true, sameSite: "lax", path: "/auth", signed: true } as const;
  return {
    adapter: (model: string) => {
      if (model === "Client") return oauthClientAdapter(account);
      // The session of the sign-in pages determines the signed-in user each time. The library would keep a separate
      // user.
      return model === "Session" ? noRecords : oauthAdapter(account, model);
    },
    clients: [commandLine],
    jwks: { keys: [{ ...jwk, kid: key.kid, use: "sig", alg: "RS256" }] },
    cookies: {
      keys: [...tokens.cookieKeys],
      long: cookie,
      short: cookie,
    },
    scopes: [offlineScope],
    extraParams: { scope: limitScope(db), response_mode: refuseMode },
    claims: {},
    clientBasedCORS: (_, origin, client) => isOriginOf(client, origin),
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    responseTypes: ["code"],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed("refresh_token"),
    expiresWithSession: async () => false,
    routes: oauthPaths,
    ttl: {
      AccessToken: limits.accessTokenSeconds,
      AuthorizationCode: limits.authorizationCodeSeconds,
      DeviceCode: limits.deviceCodeSeconds,
      Grant: limits.grantSeconds,
      IdToken: limits.accessTokenSeconds,
      Interaction: limits.authorizationSeconds,
      RefreshToken: limits.refreshTokenSeconds,
      Session: limits.authorizationSeconds,
    },
    interactions: { url: (_, { uid }) => `/auth/authorize/${uid}` },
    features: features(issuer),
    renderError: errorRenderer(db, renderProblem),
    findAccount: async (_, id) => {
      const user = await db
        .selectFrom("users")
        .select("id")
        .where("id", "=", Number(id))
        .where(isInternalUser)
        .where("is_deactivated", "=", 0)
        .executeTakeFirst();
      return user && { accountId: id, claims: async () => ({ sub: id }) };
    },
  };
}

/** Returns whether a page of an origin is one of a client: its redirect URIs say so, on 127.0.0.1 with any port. */
function isOriginOf(
  { redirectUris = [] }: { readonly redirectUris?: readonly string[] | undefined },
  origin: string,
): boolean {
  const port = URL.parse(origin)?.port ?? "";
  return redirectUris.some((uri) => {
    const own = new URL(uri);
    if (own.protocol === "http:") own.port = port;
    return own.origin === origin;
  });
}

/**
 * Returns the renderer of errors that must not be sent to a client, such as a redirect to an address that does not
 * belong to the client.
 */
function errorRenderer(
  db: Db,
  renderProblem: RenderProblem,
): NonNullable<Configuration["renderError"]> {
  return async (ctx, { error, error_description: description }) => {
    if (ctx.accepts("json", "html") !== "html") {
      ctx.type = "json";
      ctx.body = { error, error_description: description };
      return;
    }
    const languages = ctx.get("accept-language");
    const { headers, text } = await renderProblem(description ?? error, { db, languages });
    ctx.set(headers);
    ctx.body = text;
  };
}

/** Returns a function that limits the scope of a request to the scopes that the client may get. */
function limitScope(db: Db) {
  return async (
    { oidc: { params } }: KoaContextWithOIDC,
    scope: unknown,
    { clientId }: { clientId: string },
  ): Promise<void> => {
    const granted = grantableScopes(scope, await allowedScopes(db, clientId));
    if (params) params["scope"] = granted.join(" ");
  };
}

/**
 * Returns the scopes that a request can get. Throws `invalid_scope` if the client may not ask for one of them, and if
 * none of the requested scopes exists. Other unknown scopes are ignored, as OpenID Connect requires.
 */
function grantableScopes(scope: unknown, allowed: readonly string[] | undefined): string[] {
  if (asksForUnknown(scope)) {
    const text = "none of the requested scopes exists; use `api` or permission actions";
    throw new errors.InvalidScope(text, String(scope));
  }
  const rights = requestedScopes(scope, allowed);
  const excess = rights.filter((one) => allowed?.includes(one) === false);
  if (excess.length > 0) {
    throw new errors.InvalidScope("the client may not ask for these scopes", excess.join(" "));
  }
  return [...scopesIn(scope).filter((one) => generalScopes.includes(one)), ...rights];
}

function features(issuer: string): NonNullable<Configuration["features"]> {
  const own = async (client: string, tokenClient: string | undefined) => client === tokenClient;
  return {
    devInteractions: { enabled: false },
    deviceFlow: {
      enabled: true,
      charset: "base-20",
      mask: "****-****",
      deviceInfo: ({ ip, headers }) => ({ ip, ua: (headers["user-agent"] ?? "").slice(0, 200) }),
    },
    introspection: {
      enabled: true,
      allowedPolicy: (_, client, token) => own(client.clientId, token.clientId),
    },
    revocation: {
      enabled: true,
      allowedPolicy: (_, client, token) => own(client.clientId, token.clientId),
    },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    dPoP: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => issuer,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_, resource) => {
        if (resource !== issuer)
          throw new errors.InvalidTarget(`this server issues tokens for ${issuer} only`);
        return { scope: apiScopes.join(" "), audience: issuer, accessTokenFormat: "opaque" };
      },
    },
  };
}
