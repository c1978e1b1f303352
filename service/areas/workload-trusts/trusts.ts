// Workload trusts: their rows, and the rules that keep foreign tokens out.
import {
  type createWorkloadTrust,
  type updateWorkloadTrust,
  workloadTrustRules,
} from "../../../api/workload-trusts.ts";
import { Failure } from "../../../core/errors.ts";
import type { JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { memberPath } from "../../../core/pointer.ts";
import { ruleErrors } from "../../../core/schema/member-rules.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { type RequiredClaim, trustClaims, trustLimits } from "../../security/workload-trust.ts";
import { countRows } from "../../store/keyset.ts";
import { toFlag, toJson } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";
import { fieldError } from "../shared/field-error.ts";
import { omitNullish } from "../shared/operation-handler.ts";

/**
 * Throws `invalid` for claims that tokens of other organizations could have. If a request has all members, its schema
 * already reports this.
 */
export function refuseOpenTrust(trust: {
  readonly issuer: string;
  readonly claims: readonly RequiredClaim[];
}): void {
  const [error] = ruleErrors(workloadTrustRules, trust);
  if (error === undefined) return;
  const { path, message } = error;
  throw new Failure("invalid", message, {
    details: { errors: [{ path: memberPath("body", path), message }] },
  });
}

/** Converts a trust to its API form. */
export function showTrust(row: Row<"workload_trusts">) {
  const { actions, states, deployments } = trustLimits(row);
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    ...omitNullish({ jwksUri: row.jwks_uri }),
    audience: row.audience,
    claims: [...trustClaims(row)],
    isReusable: row.is_reusable === 1,
    tokenSeconds: row.token_seconds,
    ownerUserId: row.owner_user_id,
    deploymentIds: deployments ? [...deployments] : null,
    permissions: actions ? [...actions] : null,
    states: states ? [...states] : null,
    isDisabled: row.is_disabled === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

type Update = RequestOf<typeof updateWorkloadTrust>["body"];

/** Returns the columns that a request sets; `null` restores the default. */
export function trustColumns(body: Update) {
  const { name, issuer, jwksUri, audience, claims, isReusable, tokenSeconds } = body;
  const { deploymentIds, permissions, states, isDisabled } = body;
  return {
    ...(name !== undefined && { name }),
    ...(issuer !== undefined && { issuer }),
    ...(jwksUri !== undefined && { jwks_uri: jwksUri }),
    ...(audience !== undefined && { audience }),
    ...(claims !== undefined && { claims: toJson(claims) }),
    ...(isReusable !== undefined && { is_reusable: toFlag(isReusable ?? false) }),
    ...(tokenSeconds !== undefined && {
      token_seconds: tokenSeconds ?? limits.workloadTokenSeconds,
    }),
    ...(deploymentIds !== undefined && {
      deployment_ids: jsonOrNull(deploymentIds && [...new Set(deploymentIds)]),
    }),
    ...(permissions !== undefined && { permissions: jsonOrNull(permissions) }),
    ...(states !== undefined && { states: jsonOrNull(states) }),
    ...(isDisabled !== undefined && { is_disabled: toFlag(isDisabled) }),
  };
}

function jsonOrNull(value: JsonValue): string | null {
  return value === null ? null : toJson(value);
}

/** The input of a new trust. */
interface NewTrust {
  readonly body: RequestOf<typeof createWorkloadTrust>["body"];
  readonly columns: ReturnType<typeof trustColumns> & { readonly owner_user_id: number };
}

/** Stores a trust. Throws `conflict` if the name is taken, and `limit_reached` for too many. */
export async function insertTrust(
  db: Db,
  { body, columns }: NewTrust,
  at: string,
): Promise<Row<"workload_trusts">> {
  await refuseTakenName(db, body.name);
  const count = await countRows(db.selectFrom("workload_trusts"));
  if (count >= limits.workloadTrusts) {
    const text = `an account has at most ${limits.workloadTrusts} workload trusts`;
    throw new Failure("limit_reached", text);
  }
  const { name, issuer, audience, claims } = body;
  return db
    .insertInto("workload_trusts")
    .values({
      is_reusable: 0,
      token_seconds: limits.workloadTokenSeconds,
      ...columns,
      name,
      issuer,
      audience,
      claims: toJson(claims),
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Throws `conflict` if another trust has the name. */
export async function refuseTakenName(db: Db, name: string, id = 0): Promise<void> {
  const other = await db
    .selectFrom("workload_trusts")
    .select("id")
    .where("name", "=", name)
    .where("id", "!=", id)
    .executeTakeFirst();
  if (other) throw new Failure("conflict", `a workload trust named ${JSON.stringify(name)} exists`);
}

/** Returns a trust. Throws `not_found`. */
export async function readTrust(db: Db, id: number): Promise<Row<"workload_trusts">> {
  const row = await db
    .selectFrom("workload_trusts")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (row) return row;
  throw trustNotFound(id);
}

/** Returns the error for a trust that does not exist. */
export function trustNotFound(id: number): Failure {
  return new Failure("not_found", `there is no workload trust ${id}`);
}

/** Throws `invalid` unless the user is one of the account's own. */
export async function requireOwner(db: Db, id: number): Promise<void> {
  const owner = await db
    .selectFrom("users")
    .select("id")
    .where("id", "=", id)
    .where(isInternalUser)
    .executeTakeFirst();
  if (owner) return;
  const text = `there is no user ${id} whose permissions the tokens could have`;
  throw fieldError("ownerUserId", ["invalid", text]);
}
