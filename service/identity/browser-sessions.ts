// Sessions of the sign-in pages: a random cookie whose hash is stored.
import { randomBytes } from "node:crypto";
import { signInEvent } from "../../api/audit-logs.ts";
import type { JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { secretHash } from "../security/secret-hash.ts";
import { insertAuditEntry } from "../store/audit-entries.ts";
import { toJson, toTimestamp } from "../store/codec.ts";
import type { Db, Row } from "../store/schema.ts";
import type { SignedInUser } from "./passwords.ts";

/**
 * The user of a new session, and how the user signed in: with a password, with a link that sets one, or at a provider.
 */
export interface NewSession {
  readonly userId: number;
  readonly method: "password" | "password-link" | Pick<Row<"identity_providers">, "id" | "name">;
}

/** A session that has not ended, and its user. */
export interface BrowserSession extends SignedInUser {
  readonly sessionId: number;
  readonly displayName: string | null;
}

/** Starts a session, records it in the audit log, and returns the value of its cookie. */
export async function startBrowserSession(
  tx: Db,
  { userId, method }: NewSession,
  now: Date,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const provider = typeof method === "object" ? method : undefined;
  const { id } = await tx
    .insertInto("browser_sessions")
    .values({
      user_id: userId,
      token_hash: secretHash(token),
      created_at: toTimestamp(now),
      expires_at: toTimestamp(now.getTime() + limits.browserSessionMs),
      provider_id: provider?.id ?? null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const how = typeof method === "string" ? { method } : { identityProvider: method.name };
  await recordSignIn(tx, { userId, sessionId: id, how }, now);
  return token;
}

/**
 * Adds a sign-in to the audit log. Failed sign-ins are not recorded, because anyone could use them to push changes out
 * of the bounded log.
 */
async function recordSignIn(
  tx: Db,
  { userId, sessionId, how }: { userId: number; sessionId: number; how: JsonObject },
  now: Date,
): Promise<void> {
  const { username, email } = await tx
    .selectFrom("users")
    .select(["username", "email"])
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
  const entry = {
    created_at: toTimestamp(now),
    event_name: signInEvent,
    user_id: userId,
    username,
    user_email: email,
    credential: `browser-session:${sessionId}`,
    key_name: null,
    object_type: "sign-ins",
    object_ids: toJson([String(userId)]),
    deployment_id: null,
    before_values: null,
    after_values: toJson(how),
  };
  await insertAuditEntry(tx, entry);
}

/** Returns the session of a cookie; undefined if the session ended or the user is deactivated. */
export async function findBrowserSession(
  db: Db,
  token: string,
  now: Date,
): Promise<BrowserSession | undefined> {
  return db
    .selectFrom("browser_sessions")
    .innerJoin("users", "users.id", "browser_sessions.user_id")
    .select(["users.id", "users.username", "users.display_name as displayName"])
    .select("browser_sessions.id as sessionId")
    .where("browser_sessions.token_hash", "=", secretHash(token))
    .where("browser_sessions.expires_at", ">", toTimestamp(now))
    .where("users.is_deactivated", "=", 0)
    .executeTakeFirst();
}

/** Ends a session. */
export async function endBrowserSession(tx: Db, token: string): Promise<void> {
  await tx.deleteFrom("browser_sessions").where("token_hash", "=", secretHash(token)).execute();
}
