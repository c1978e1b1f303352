// The clients of the OAuth server: the command line, and the clients of the account.
import { type Adapter, type ClientMetadata, errors } from "oidc-provider";
import { oauthClientSealContext } from "../security/sealed-columns.ts";
import { fromJson, toShortText } from "../store/codec.ts";
import type { Db, Row } from "../store/schema.ts";
import { deviceGrant, exchangeGrant } from "./grant-types.ts";
import type { OAuthStore } from "./oauth-store.ts";

/** The ID of the client of `svc login`. */
export const commandLineId = "svc-cli";

/** The client of `svc login`. It is public: anyone can read its ID in the program. */
export const commandLine: ClientMetadata = {
  client_id: commandLineId,
  client_name: "svc command line",
  application_type: "native",
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token", deviceGrant, exchangeGrant],
  response_types: ["code"],
  redirect_uris: ["http://127.0.0.1/callback"],
};

const nothing = async (): Promise<undefined> => undefined;

/** Stores nothing. */
export const noRecords: Adapter = {
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  upsert: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

/** Creates the adapter that finds the clients of an account. They are written through the API. */
export function oauthClientAdapter({ db, sealer }: OAuthStore): Adapter {
  return {
    ...noRecords,
    find: async (id) => {
      const row = await findClient(db, id);
      const secret =
        row?.sealed_secret && sealer.open(row.sealed_secret, oauthClientSealContext(row));
      return row && { ...metadataOf(row, secret) };
    },
  };
}

function metadataOf(row: Row<"oauth_clients">, secret: string | null | undefined): ClientMetadata {
  const redirectUris = fromJson(row.redirect_uris) as string[];
  const hasCodes = redirectUris.length > 0;
  return {
    client_id: row.client_id,
    client_name: row.name,
    application_type: redirectUris.some((one) => /^http:/i.test(one)) ? "native" : "web",
    ...(secret
      ? { token_endpoint_auth_method: "client_secret_basic", client_secret: secret }
      : { token_endpoint_auth_method: "none" }),
    grant_types: [
      ...(hasCodes ? ["authorization_code"] : []),
      ...(row.allows_devices === 1 ? [deviceGrant] : []),
      "refresh_token",
    ],
    response_types: hasCodes ? ["code"] : [],
    redirect_uris: redirectUris,
  };
}

/** Returns the scopes that a client may ask for; undefined for all scopes. */
export async function allowedScopes(
  db: Db,
  clientId: string,
): Promise<readonly string[] | undefined> {
  const scopes = (await findClient(db, clientId))?.scopes;
  return scopes == null ? undefined : (fromJson(scopes) as string[]);
}

/** Returns the row of the client of a record; null for the command line. Throws for a client that was deleted. */
export async function clientRowId(db: Db, clientId: string | undefined): Promise<number | null> {
  if (clientId === undefined || clientId === commandLineId) return null;
  const row = await findClient(db, clientId);
  if (row) return row.id;
  throw new errors.InvalidClient("the client does not exist any more");
}

async function findClient(db: Db, id: string): Promise<Row<"oauth_clients"> | undefined> {
  return db
    .selectFrom("oauth_clients")
    .selectAll()
    .where("client_id", "=", toShortText(id, 255))
    .executeTakeFirst();
}
