// OAuth clients: their rows and their rules.
import type { updateOAuthClient } from "../../../api/oauth-clients.ts";
import type { CredentialLimits } from "../../../core/operation/authorize.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import type { PermissionAction } from "../../../core/operation/permission-actions.ts";
import { commandLineId } from "../../identity/oauth-clients.ts";
import { oauthClientSealContext } from "../../security/sealed-columns.ts";
import { sealChanged, type Sealer } from "../../security/seal.ts";
import { fromJson, toFlag, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { fieldError } from "../shared/field-error.ts";

/** Converts a client to its API form. */
export function showClient(row: Row<"oauth_clients">) {
  return {
    id: row.id,
    clientId: row.client_id,
    name: row.name,
    redirectUris: fromJson(row.redirect_uris) as string[],
    allowsDevices: row.allows_devices === 1,
    isConfidential: row.sealed_secret !== null,
    scopes: row.scopes === null ? null : (fromJson(row.scopes) as PermissionAction[]),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

type Update = RequestOf<typeof updateOAuthClient>["body"];

/** Returns the columns that a request sets, without the secret; `null` restores the default. */
export function clientColumns({ name, redirectUris, allowsDevices, scopes }: Update) {
  if (redirectUris != null) requireUsable(redirectUris);
  return {
    ...(name !== undefined && { name }),
    ...(redirectUris !== undefined && { redirect_uris: toJson([...new Set(redirectUris)]) }),
    ...(allowsDevices !== undefined && { allows_devices: toFlag(allowsDevices ?? false) }),
    ...(scopes !== undefined && { scopes: scopes && toJson([...new Set(scopes)]) }),
  };
}

/** Throws `invalid` for addresses to which the OAuth library would not redirect users. */
function requireUsable(uris: readonly string[]): void {
  const hosts = uris.map((uri) => URL.parse(uri)?.hostname);
  const broken = hosts.indexOf(undefined);
  if (broken !== -1) throw fieldError(`redirectUris[${broken}]`, ["invalid", "is not a valid URL"]);
  if (!uris.some((uri) => uri.startsWith("http:"))) return;
  const loopback = uris.findIndex(
    (uri, at) =>
      uri.startsWith("https:") && ["localhost", "127.0.0.1", "[::1]"].includes(hosts[at] ?? ""),
  );
  if (loopback === -1) return;
  const text = `a client with an http address cannot have https://${hosts[loopback] ?? ""} too; use http://127.0.0.1 for both`;
  throw fieldError(`redirectUris[${loopback}]`, ["invalid", text]);
}

/** Throws `invalid` for a client that no user could approve. */
export function requireGrant(row: Row<"oauth_clients">): void {
  if (row.allows_devices === 1 || row.redirect_uris !== "[]") return;
  const text = "a client needs a redirect URI, unless it allows devices";
  throw fieldError("redirectUris", ["invalid", text]);
}

/** The column of a client's secret. */
type SecretColumn = Pick<Row<"oauth_clients">, "client_id" | "sealed_secret">;

/** Returns the column that a request sets; `null` removes the secret. */
export function secretColumn(
  sealer: Sealer,
  { client_id, sealed_secret: sealed }: SecretColumn,
  secret: string | null | undefined,
): Partial<SecretColumn> {
  if (secret == null) return secret === null ? { sealed_secret: null } : {};
  const context = oauthClientSealContext({ client_id });
  return { sealed_secret: sealChanged(sealer, secret, { sealed, context }) };
}

/** Returns the limits that the tokens of a client put on the rights of their users. */
export function clientLimits({ scopes }: Pick<Row<"oauth_clients">, "scopes">): CredentialLimits {
  return scopes === null ? {} : { actions: fromJson(scopes) as PermissionAction[] };
}

/** Throws `conflict` for an ID that another client has, and `limit_reached` for too many. */
export async function refuseConflict(db: Db, clientId: string): Promise<void> {
  const rows = await db.selectFrom("oauth_clients").select("client_id").execute();
  if (clientId === commandLineId || rows.some(({ client_id }) => client_id === clientId)) {
    throw new Failure(
      "conflict",
      `an OAuth client with the ID ${JSON.stringify(clientId)} already exists`,
    );
  }
  if (rows.length >= limits.oauthClients) {
    const text = `an account has at most ${limits.oauthClients} OAuth clients`;
    throw new Failure("limit_reached", text);
  }
}

/** Returns a client. Throws `not_found`. */
export async function readClient(db: Db, id: number): Promise<Row<"oauth_clients">> {
  const row = await db
    .selectFrom("oauth_clients")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure("not_found", `there is no OAuth client ${id}`);
}
