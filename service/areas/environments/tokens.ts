// Tokens of environments: signed claims. Rows list them for the credential that created them.
import { tokenScopes } from "../../../api/environments.ts";
import { authorize } from "../../../core/operation/authorize.ts";
import type { JsonObject } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { fromJson, toJson, toShortJson, toTimestamp } from "../../store/codec.ts";
import { tokenCreatorOf } from "../../security/query-principal.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { Call } from "../shared/operation-handler.ts";

type TokenRow = Row<"environment_tokens">;
type Scope = (typeof tokenScopes)[number];

/** An environment has the ID of the branch that it serves. */
type Environment = Pick<Row<"branches">, "id">;

interface TokenCall extends Pick<Call, "db" | "now" | "principal" | "tokens"> {
  readonly params: { readonly deploymentId: number };
}

/** The request for a token. */
interface TokenInput {
  readonly security_context: Readonly<Record<string, unknown>>;
  readonly expires_in?: number | null;
}

/** Returns the requested scopes that exist. */
export function grantedScopes(requested: readonly string[]): readonly Scope[] {
  return tokenScopes.filter((scope) => requested.includes(scope));
}

/** Records a token of an environment. `scopes` are null for a token that is not limited. */
export async function addToken(
  { db, now, principal, params, body }: TokenCall & { readonly body: TokenInput },
  { id }: Environment,
  scopes: readonly Scope[] | null,
): Promise<TokenRow> {
  const context = toShortJson(body.security_context as JsonObject, {
    name: "security_context",
    most: limits.securityContextBytes,
  });
  const seconds = body.expires_in ?? limits.environmentTokenSeconds;
  const issued_at = Math.floor(now().getTime() / 1000);
  // A context decides which rows a query returns, so only callers who can change the data model may set it.
  const target = { type: "deployment", id: String(params.deploymentId) } as const;
  const mayEdit = authorize(principal, "SchemaUpdate", [target]) === undefined;
  // Without a context, the metadata is that of the creator.
  const isForMetadata = scopes !== null && Object.keys(body.security_context).length === 0;
  const row = await db
    .insertInto("environment_tokens")
    .values({
      branch_id: id,
      user_id: principal.userId,
      credential: principal.credentialId,
      security_context: mayEdit && !isForMetadata ? context : null,
      scopes: scopes && toJson(scopes),
      issued_at,
      expires_at: toTimestamp((issued_at + seconds) * 1000),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await forgetOldTokens(db, row);
  return row;
}

/** Deletes the rows of the oldest tokens above the limit. The tokens stay valid. */
async function forgetOldTokens(db: Db, { branch_id, credential }: TokenRow): Promise<void> {
  const oldest = await db
    .selectFrom("environment_tokens")
    .select("id")
    .where("branch_id", "=", branch_id)
    .where("credential", "=", credential)
    .orderBy("id", "desc")
    .offset(limits.environmentTokensKept)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await db
    .deleteFrom("environment_tokens")
    .where("branch_id", "=", branch_id)
    .where("credential", "=", credential)
    .where("id", "<=", oldest.id)
    .execute();
}

/** Returns a query for the tokens that the caller's credential created and that are valid. */
export function ownTokens({ db, now, principal }: TokenCall, { id }: Environment) {
  return db
    .selectFrom("environment_tokens")
    .selectAll()
    .where("branch_id", "=", id)
    .where("user_id", "=", principal.userId)
    .where("credential", "=", principal.credentialId)
    .where("expires_at", ">", toTimestamp(now()));
}

/** Converts a row to the API form, with its token, which is signed again: equal claims have equal signatures. */
export async function showToken({ tokens, params, principal }: TokenCall, row: TokenRow) {
  const securityContext =
    row.security_context === null ? undefined : (fromJson(row.security_context) as JsonObject);
  const scopes = row.scopes === null ? undefined : (fromJson(row.scopes) as readonly Scope[]);
  const { issued_at: issuedAt, expires_at } = row;
  const token = await tokens.issueDataToken({
    ...tokenCreatorOf(principal),
    deploymentId: params.deploymentId,
    environmentId: row.branch_id,
    issuedAt,
    seconds: Date.parse(expires_at) / 1000 - issuedAt,
    ...(securityContext && { securityContext }),
    ...(scopes && { scopes }),
  });
  return {
    token,
    security_context: { ...securityContext },
    ...(scopes && { scopes: [...scopes] }),
    created_at: toTimestamp(issuedAt * 1000),
    expires_at,
  };
}
