// What becomes of a session: exchanged once for a token, or revoked with it.
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits.ts";
import { secretHash } from "../../security/principal.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import type { EmbedClaims } from "../../security/tokens.ts";

/**
 * Takes a session for its token and returns what the token is to say; `unauthenticated` where there is none, or it is used,
 * revoked or expired. From now on the session lives as long as its token.
 */
export async function consumeSession(db: Db, sessionId: string, now: Date): Promise<EmbedClaims> {
  const at = toTimestamp(now);
  const session = await db
    .updateTable("embed_sessions")
    .set({
      exchanged_at: at,
      expires_at: toTimestamp(now.getTime() + limits.embedTokenSeconds * 1000),
    })
    .where("session_hash", "=", secretHash(sessionId))
    .where("exchanged_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", at)
    .returning(["id", "user_id", "embed_tenant_id"])
    .executeTakeFirst();
  if (!session) {
    throw new Failure("unauthenticated", "the session is unknown, used, revoked or expired");
  }
  await db.updateTable("users").set({ last_login: at }).where("id", "=", session.user_id).execute();
  const { id: sessionRow, user_id: userId, embed_tenant_id: tenant } = session;
  const name = tenant === null ? undefined : await tenantName(db, tenant);
  const claims = { userId, sessionId: sessionRow };
  return name === undefined ? claims : { ...claims, embedTenantName: name };
}

async function tenantName(db: Db, id: number): Promise<string | undefined> {
  const tenant = await db
    .selectFrom("embed_tenants")
    .select("name")
    .where("id", "=", id)
    .executeTakeFirst();
  return tenant?.name;
}

/** Ends a session and the token that was made from it; nothing happens where there is none. */
export async function revoke(db: Db, sessionId: string, now: Date): Promise<void> {
  await db
    .updateTable("embed_sessions")
    .set({ revoked_at: toTimestamp(now) })
    .where("session_hash", "=", secretHash(sessionId))
    .where("revoked_at", "is", null)
    .execute();
}
