// Lists every encrypted column of the database and re-encrypts all values under another key.
import type { Sealer } from "./seal.ts";
import type { Db } from "../store/schema.ts";
import { rewriteColumn, sealPrefixesIn } from "../store/rewrite-column.ts";
import { inTransaction } from "../store/transaction.ts";

/** Returns the place of a variable's value. */
export function variableSealContext(of: {
  readonly deployment_id: number;
  readonly name: string;
}): string {
  return `variable ${of.deployment_id} ${of.name}`;
}

/** Returns the place of an idempotency record. */
export function idempotencySealContext({ id }: { readonly id: string }): string {
  return `idempotency ${id}`;
}

/** Returns the place of one version of a state. */
export function stateSealContext(of: {
  readonly state_id: number;
  readonly version: number;
}): string {
  return `state ${of.state_id} ${of.version}`;
}

/** Returns the place of the lines of one journal call. */
export function journalSealContext(of: {
  readonly state_id: number;
  readonly position: number;
}): string {
  return `state-journal ${of.state_id} ${of.position}`;
}

/** Returns the place of the secrets of a Git connection. */
export function gitSealContext(of: { readonly deployment_id: number }): string {
  return `git-connection ${of.deployment_id}`;
}

/** Returns the place of a signing key. */
export function signingKeySealContext({ kid }: { readonly kid: string }): string {
  return `signing-key ${kid}`;
}

/** Returns the place of the secrets of the integration of a transformation project. */
export function transformSealContext(of: { readonly deployment_id: number }): string {
  return `transform-integration ${of.deployment_id}`;
}

/** Returns the place of the secret of an OAuth integration. */
export function integrationSealContext({ client_id }: { readonly client_id: string }): string {
  return `oauth-integration ${client_id}`;
}

/** Returns the place of the secret of an identity provider, which cannot be used for another issuer. */
export function identityProviderSealContext({ issuer }: { readonly issuer: string }): string {
  return `identity-provider ${issuer}`;
}

/** Returns the place of the secret of an OAuth client. */
export function oauthClientSealContext({ client_id }: { readonly client_id: string }): string {
  return `oauth-client ${client_id}`;
}

/** Returns the place of the verifier of an OAuth authorization. */
export function authorizationSealContext({ state_hash }: { readonly state_hash: string }): string {
  return `oauth-authorization ${state_hash}`;
}

/** Returns the place of the tokens of a user. */
export function userTokenSealContext(of: {
  readonly user_id: number;
  readonly integration_id: number;
}): string {
  return `user-oauth-token ${of.user_id} ${of.integration_id}`;
}

/** Returns the place of an OAuth record. */
export function oauthRecordSealContext(of: {
  readonly model: string;
  readonly key_hash: string;
}): string {
  return `oauth-record ${of.model} ${of.key_hash}`;
}

/** An encrypted column. Its table has a column `id`. */
interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly contextOf: (row: never) => string;
  /** Maximum number of values that one transaction re-encrypts; fewer if they are long. */
  readonly batch: number;
}

/** Every encrypted column has an entry here; a test compares the list with the tables. */
const sealedColumnSpecs: readonly SealedColumn[] = [
  {
    table: "deployment_variables",
    column: "sealed_value",
    contextOf: variableSealContext,
    batch: 200,
  },
  {
    table: "idempotency_records",
    column: "sealed_record",
    contextOf: idempotencySealContext,
    batch: 200,
  },
  { table: "git_connections", column: "sealed_secrets", contextOf: gitSealContext, batch: 50 },
  {
    table: "signing_keys",
    column: "sealed_private_key",
    contextOf: signingKeySealContext,
    batch: 50,
  },
  {
    table: "transform_integrations",
    column: "sealed_secrets",
    contextOf: transformSealContext,
    batch: 50,
  },
  {
    table: "oauth_integrations",
    column: "sealed_secret",
    contextOf: integrationSealContext,
    batch: 200,
  },
  {
    table: "identity_providers",
    column: "sealed_secret",
    contextOf: identityProviderSealContext,
    batch: 200,
  },
  {
    table: "oauth_clients",
    column: "sealed_secret",
    contextOf: oauthClientSealContext,
    batch: 200,
  },
  {
    table: "oauth_authorizations",
    column: "sealed_verifier",
    contextOf: authorizationSealContext,
    batch: 200,
  },
  {
    table: "user_oauth_tokens",
    column: "sealed_tokens",
    contextOf: userTokenSealContext,
    batch: 100,
  },
  {
    table: "oauth_records",
    column: "sealed_payload",
    contextOf: oauthRecordSealContext,
    batch: 200,
  },
  { table: "state_versions", column: "sealed_content", contextOf: stateSealContext, batch: 2 },
  { table: "state_journal", column: "sealed_lines", contextOf: journalSealContext, batch: 50 },
];

/** The encrypted columns, as `table.column`. */
export const sealedColumns: readonly string[] = sealedColumnSpecs.map(
  ({ table, column }) => `${table}.${column}`,
);

/** Returns the decrypted value of a column of a row; undefined if the column is not encrypted. Throws `corrupt`. */
export function openColumn(
  sealer: Sealer,
  { table, column, row }: { table: string; column: string; row: Readonly<Record<string, unknown>> },
): string | undefined {
  const spec = sealedColumnSpecs.find((one) => one.table === table && one.column === column);
  return spec && sealer.open(String(row[column]), spec.contextOf(row as never));
}

/** Returns the distinct prefixes of all encrypted values; each identifies a key. */
export async function sealPrefixes(db: Db): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const column of sealedColumnSpecs) {
    for (const prefix of await sealPrefixesIn(db, column)) found.add(prefix);
  }
  return [...found];
}

/**
 * Re-encrypts everything in the store under the current key, one batch per transaction, and returns the number of
 * values that were under an earlier key. An interrupted run continues when called again. Throws `corrupt` for a value
 * that no key decrypts; values that were already re-encrypted stay.
 */
export async function resealAll(db: Db, seal: Sealer): Promise<number> {
  let resealed = 0;
  for (const sealed of sealedColumnSpecs) {
    for (let count = sealed.batch; count === sealed.batch; resealed += count) {
      count = await inTransaction(db, (tx) => resealBatch(tx, seal, sealed));
    }
  }
  return resealed;
}

/** Re-encrypts the next batch of values under an earlier key and returns their number. */
function resealBatch(
  tx: Db,
  seal: Sealer,
  { table, column, contextOf: placeOf, batch }: SealedColumn,
): Promise<number> {
  return rewriteColumn(
    tx,
    { table, column, exceptPrefix: seal.prefix, limit: batch },
    (sealed, row) => {
      const place = placeOf(row as never);
      return seal.seal(seal.open(sealed, place), place);
    },
  );
}
