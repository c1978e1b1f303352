// OAuth integrations: their rows and their rules.
import type { RequestOf } from "../../../core/operation/operation.ts";
import type { updateOAuthIntegration } from "../../../api/integrations.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Sealer } from "../../security/seal.ts";
import { integrationSealContext } from "../../security/sealed-columns.ts";
import { fromJson, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { fieldError } from "../shared/field-error.ts";
import { omitNullish } from "../shared/operation-handler.ts";

/** An integration in the store. */
export type IntegrationRow = Row<"oauth_integrations">;

/** Settings of a provider. */
export interface ProviderConfig {
  readonly revocationUrl?: string;
}

type Body = RequestOf<typeof updateOAuthIntegration>["body"];

/** Returns an integration in its API form. */
export function showIntegration(row: IntegrationRow) {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    authUrl: row.auth_url,
    tokenUrl: row.token_url,
    clientId: row.client_id,
    redirectUri: row.redirect_uri,
    scopes: scopesOf(row),
    ...omitNullish({ config: row.config === null ? null : configOf(row) }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Returns the scopes of an integration. */
export function scopesOf({ scopes }: Pick<IntegrationRow, "scopes">): string[] {
  return fromJson(scopes) as string[];
}

/** Returns the settings of an integration's provider. */
export function configOf({ config }: Pick<IntegrationRow, "config">): ProviderConfig {
  return config === null ? {} : (fromJson(config) as ProviderConfig);
}

/** Returns an integration. Throws `not_found`. */
export async function readIntegration(db: Db, id: number): Promise<IntegrationRow> {
  const row = await db
    .selectFrom("oauth_integrations")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `there is no OAuth integration ${id}`);
}

/** Returns the columns of a request, without the secret. */
export function integrationColumns(body: Omit<Body, "clientSecret">) {
  const { name, type, authUrl, tokenUrl, clientId, redirectUri, scopes, config } = body;
  return {
    name,
    type,
    auth_url: authUrl,
    token_url: tokenUrl,
    client_id: clientId,
    redirect_uri: redirectUri,
    scopes: toJson(scopes ?? []),
    config: config ? toJson({ ...config }) : null,
  };
}

/** Encrypts the secret of an integration. */
export function sealSecret(sealer: Sealer, clientId: string, secret: string): string {
  return sealer.seal(secret, integrationSealContext({ client_id: clientId }));
}

/** Decrypts the secret of an integration. */
export function openSecret(sealer: Sealer, row: IntegrationRow): string {
  return sealer.open(row.sealed_secret, integrationSealContext(row));
}

/** Throws `conflict` for a name that another integration has, and `limit_reached` for too many. */
export async function refuseConflict(db: Db, name: string, id = 0): Promise<void> {
  const rows = await db.selectFrom("oauth_integrations").select(["id", "name"]).execute();
  if (rows.some((row) => row.id !== id && row.name === name)) {
    throw new Failure("conflict", `an OAuth integration named ${JSON.stringify(name)} exists`);
  }
  if (id === 0 && rows.length >= limits.oauthIntegrations) {
    const text = `an account has at most ${limits.oauthIntegrations} OAuth integrations`;
    throw new Failure("limit_reached", text);
  }
}

/** Returns whether secrets and tokens would be sent to an origin that has not received them before. */
export function addsOrigin(row: IntegrationRow, body: Pick<Body, "tokenUrl" | "config">): boolean {
  const known = originsOf(row.token_url, configOf(row));
  const wanted = originsOf(body.tokenUrl, body.config ?? {});
  return wanted.some((origin) => !known.includes(origin));
}

function originsOf(tokenUrl: string, { revocationUrl }: ProviderConfig): readonly string[] {
  const urls = revocationUrl === undefined ? [tokenUrl] : [tokenUrl, revocationUrl];
  return urls.map((url) => new URL(url).origin);
}

/** Returns the error for a stored secret that would be sent to another origin. */
export function movedSecret(): Failure {
  const text =
    "the stored clientSecret is for other origins; send clientSecret with the new tokenUrl or revocationUrl";
  return fieldError("clientSecret", ["invalid", text]);
}

/** Deletes the users' tokens from the provider and their authorizations in progress. */
export async function dropUserTokens(db: Db, id: number): Promise<void> {
  for (const table of ["user_oauth_tokens", "oauth_authorizations"] as const) {
    await db.deleteFrom(table).where("integration_id", "=", id).execute();
  }
}
