// The tokens of users: authorization with PKCE, exchange, refresh and revocation at the provider.
import { createHash, randomBytes } from "node:crypto";
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { isTemporaryStatus } from "../../git/temporary-status.ts";
import type { TokenEndpoints } from "../../git/token-endpoint.ts";
import { secretHash } from "../../security/secret-hash.ts";
import type { Sealer } from "../../security/seal.ts";
import { authorizationSealContext, userTokenSealContext } from "../../security/sealed-columns.ts";
import { fromJson, toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { type IntegrationRow, openSecret, scopesOf } from "./integrations.ts";

/** A token in the store. */
export type UserTokenRow = Row<"user_oauth_tokens">;

/** The response of a provider. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresAt?: string;
  readonly refreshExpiresAt?: string;
}

/** The user and the integration of a token. */
export interface TokenOwner {
  readonly userId: number;
  readonly integrationId: number;
}

/** The parameters of calls to a provider. */
export interface ProviderAccess {
  readonly sealer: Sealer;
  readonly tokenEndpoints: TokenEndpoints;
  readonly now: () => Date;
}

/** Returns the state of a token in its API form. */
export function showToken(row: UserTokenRow, now: Date) {
  const isExpired = row.access_expires_at !== null && row.access_expires_at <= toTimestamp(now);
  const isOver = row.status === "ACTIVE" && isExpired && row.has_refresh_token === 0;
  return {
    id: row.id,
    userId: row.user_id,
    integrationId: row.integration_id,
    status: (isOver ? "EXPIRED" : row.status) as "ACTIVE",
    ...omitNullish({
      accessTokenExpiresAt: row.access_expires_at,
      refreshTokenExpiresAt: row.refresh_expires_at,
      lastError: row.last_error,
    }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Returns the token of a user. Throws `not_found`. */
export async function readToken(db: Db, owner: TokenOwner): Promise<UserTokenRow> {
  const { userId, integrationId } = owner;
  const row = await db
    .selectFrom("user_oauth_tokens")
    .selectAll()
    .where("user_id", "=", userId)
    .where("integration_id", "=", integrationId)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `you have no token for the OAuth integration ${integrationId}`);
}

/** Starts an authorization, which replaces an earlier one, and returns the URL for the user. */
export async function startAuthorization(
  db: Db,
  integration: IntegrationRow,
  { userId, sealer, now }: { userId: number; sealer: Sealer; now: Date },
): Promise<string> {
  const [state, verifier] = [randomBytes(32), randomBytes(32)].map((one) =>
    one.toString("base64url"),
  );
  const stateHash = secretHash(state ?? "");
  await db
    .deleteFrom("oauth_authorizations")
    .where("user_id", "=", userId)
    .where("integration_id", "=", integration.id)
    .execute();
  await db
    .insertInto("oauth_authorizations")
    .values({
      user_id: userId,
      integration_id: integration.id,
      state_hash: stateHash,
      sealed_verifier: sealer.seal(
        verifier ?? "",
        authorizationSealContext({ state_hash: stateHash }),
      ),
      expires_at: toTimestamp(now.getTime() + limits.oauthStateMs),
    })
    .execute();
  const url = new URL(integration.auth_url);
  const parameters = {
    response_type: "code",
    client_id: integration.client_id,
    redirect_uri: integration.redirect_uri,
    state: state ?? "",
    code_challenge: createHash("sha256")
      .update(verifier ?? "")
      .digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const scopes = scopesOf(integration);
  if (scopes.length > 0) url.searchParams.set("scope", scopes.join(" "));
  return url.href;
}

/** Returns the open authorization of a user with a state; undefined if there is none. */
export async function findAuthorization(
  db: Db,
  { userId, integrationId }: TokenOwner,
  { state, now }: { state: string; now: Date },
): Promise<Row<"oauth_authorizations"> | undefined> {
  return db
    .selectFrom("oauth_authorizations")
    .selectAll()
    .where("state_hash", "=", secretHash(state))
    .where("user_id", "=", userId)
    .where("integration_id", "=", integrationId)
    .where("expires_at", ">", toTimestamp(now))
    .executeTakeFirst();
}

/** Returns the error for an authorization that is not open. */
export function authorizationOver(): Failure {
  const text = "the authorization is unknown, used or expired; start a new one";
  return new Failure("conflict", text);
}

/** Asks the provider for tokens. Throws `conflict` if it refuses, with its error code. */
export async function requestTokens(
  integration: IntegrationRow,
  form: Readonly<Record<string, string>>,
  { sealer, tokenEndpoints, now }: ProviderAccess,
): Promise<ProviderTokens> {
  const client = { id: integration.client_id, secret: openSecret(sealer, integration) };
  const { status, body } = await tokenEndpoints.post(integration.token_url, form, client);
  const { access_token: accessToken, token_type: type } = body;
  if (status === 200 && typeof accessToken === "string" && /^bearer$/i.test(textOf(type))) {
    const { refresh_token: refreshToken } = body;
    return {
      accessToken,
      ...(typeof refreshToken === "string" && { refreshToken }),
      ...omitNullish({
        expiresAt: expiry(body["expires_in"], now()),
        refreshExpiresAt: expiry(body["refresh_expires_in"], now()),
      }),
    };
  }
  const code = /^[\w.-]{1,100}$/.exec(textOf(body["error"]))?.[0] ?? `status ${status}`;
  if (isTemporaryStatus(status)) throw new Failure("unavailable", `the provider failed: ${code}`);
  throw new Failure("conflict", `the provider refused the request: ${code}`, {
    details: { provider: code },
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function expiry(seconds: unknown, now: Date): string | null {
  if (typeof seconds !== "number" || !(seconds > 0 && seconds < 1e9)) return null;
  return toTimestamp(now.getTime() + seconds * 1000);
}

/** Stores the tokens of a user, in place of earlier ones. */
export async function storeTokens(
  db: Db,
  owner: TokenOwner,
  { tokens, sealer, now }: { tokens: ProviderTokens; sealer: Sealer; now: Date },
): Promise<UserTokenRow> {
  const { userId, integrationId } = owner;
  const at = toTimestamp(now);
  const place = userTokenSealContext({ user_id: userId, integration_id: integrationId });
  const { accessToken, refreshToken } = tokens;
  const columns = {
    status: "ACTIVE",
    has_refresh_token: refreshToken === undefined ? 0 : 1,
    sealed_tokens: sealer.seal(JSON.stringify({ accessToken, refreshToken }), place),
    access_expires_at: tokens.expiresAt ?? null,
    refresh_expires_at: tokens.refreshExpiresAt ?? null,
    last_error: null,
    updated_at: at,
  };
  return db
    .insertInto("user_oauth_tokens")
    .values({ user_id: userId, integration_id: integrationId, created_at: at, ...columns })
    .onConflict((on) => on.columns(["user_id", "integration_id"]).doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Decrypts the tokens of a user. */
export function openTokens(
  row: UserTokenRow,
  sealer: Sealer,
): Pick<ProviderTokens, "accessToken" | "refreshToken"> {
  const value = fromJson(sealer.open(row.sealed_tokens, userTokenSealContext(row))) as JsonObject;
  const { accessToken, refreshToken } = value;
  return {
    accessToken: textOf(accessToken),
    ...(typeof refreshToken === "string" && { refreshToken }),
  };
}

/** Records why a token cannot be refreshed. */
export async function recordRefusal(
  db: Db,
  row: UserTokenRow,
  { message, now }: { message: string; now: Date },
): Promise<void> {
  const isRevoked = /invalid_grant/.test(message);
  await db
    .updateTable("user_oauth_tokens")
    .set({
      status: isRevoked ? "REVOKED" : "ERROR",
      last_error: message.slice(0, 500),
      updated_at: toTimestamp(now),
    })
    .where("id", "=", row.id)
    .execute();
}
