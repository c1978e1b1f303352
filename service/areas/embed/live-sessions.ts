// Sessions that have not ended: lists them, and ends them with their tokens.
import type { listEmbedSessions } from "../../../api/embed.ts";
import type { Rights } from "../../../core/operation/authorize.ts";
import { Failure } from "../../../core/errors.ts";
import type { AnswerOf, RequestOf } from "../../../core/operation/operation.ts";
import { requirePermission } from "../../security/require-permission.ts";
import { secretHash } from "../../security/secret-hash.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { omitNullish } from "../shared/operation-handler.ts";

/** Selects the sessions that have not ended. */
export function selectSessions(db: Db, now: Date) {
  return db
    .selectFrom("embed_sessions")
    .innerJoin("users", "users.id", "embed_sessions.user_id")
    .leftJoin("embed_tenants", "embed_tenants.id", "embed_sessions.embed_tenant_id")
    .select(["embed_sessions.id as id", "embed_sessions.deployment_id", "embed_sessions.user_id"])
    .select(["embed_sessions.creator_mode", "embed_sessions.created_at"])
    .select(["embed_sessions.exchanged_at", "embed_sessions.expires_at"])
    .select(["users.username", "users.external_id", "embed_tenants.name as tenant"])
    .where("embed_sessions.revoked_at", "is", null)
    .where("embed_sessions.expires_at", ">", toTimestamp(now));
}

/** Selects the requested sessions in the deployments that the caller may access. */
export function selectRequestedSessions(
  db: Db,
  { deploymentId, embedTenantName, externalId }: RequestOf<typeof listEmbedSessions>["query"],
  { now, reach }: { readonly now: Date; readonly reach: readonly number[] | undefined },
) {
  let found = selectSessions(db, now);
  // A list in SQL must not be empty, and no row has id 0.
  if (reach) found = found.where("embed_sessions.deployment_id", "in", [0, ...reach]);
  if (deploymentId !== undefined)
    found = found.where("embed_sessions.deployment_id", "=", deploymentId);
  if (embedTenantName !== undefined)
    found = found.where("embed_tenants.name", "=", embedTenantName);
  return externalId === undefined ? found : found.where("users.external_id", "=", externalId);
}

type SessionRow = Awaited<ReturnType<ReturnType<typeof selectSessions>["executeTakeFirstOrThrow"]>>;

/** Converts a session to the API form. */
export function showSession(row: SessionRow): AnswerOf<typeof listEmbedSessions> {
  return {
    id: row.id,
    deploymentId: row.deployment_id,
    userId: row.user_id,
    username: row.username,
    ...omitNullish({ externalId: row.external_id, embedTenantName: row.tenant }),
    creatorMode: row.creator_mode === 1,
    createdAt: row.created_at,
    ...omitNullish({ exchangedAt: row.exchanged_at }),
    expiresAt: row.expires_at,
  };
}

/** The caller who ends a session, and the time. */
interface SessionEnd {
  readonly rights: Rights;
  readonly now: Date;
}

/**
 * Ends the session with the given ID and the token created from it. Does nothing if there is no such session. Throws
 * `forbidden` if the caller has no access to its deployment.
 */
export async function revoke(db: Db, sessionId: string, by: SessionEnd): Promise<void> {
  const session = await db
    .selectFrom("embed_sessions")
    .select(["id", "deployment_id"])
    .where("session_hash", "=", secretHash(sessionId))
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (session !== undefined) await end(db, session, by);
}

/**
 * Ends a session by its number. Throws `not_found` for one that has ended, and `forbidden` if the caller has no access to its
 * deployment.
 */
export async function endSession(db: Db, id: number, by: SessionEnd): Promise<void> {
  const session = await selectSessions(db, by.now)
    .where("embed_sessions.id", "=", id)
    .executeTakeFirst();
  if (session === undefined) {
    throw new Failure("not_found", `there is no session ${id}, or it has ended`);
  }
  await end(db, session, by);
}

async function end(
  db: Db,
  { id, deployment_id }: { readonly id: number; readonly deployment_id: number },
  { rights, now }: SessionEnd,
): Promise<void> {
  const deployment = { type: "deployment", id: String(deployment_id) } as const;
  requirePermission(rights, "EmbedSessionsManage", [deployment]);
  await db
    .updateTable("embed_sessions")
    .set({ revoked_at: toTimestamp(now) })
    .where("id", "=", id)
    .execute();
}
