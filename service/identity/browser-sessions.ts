// Sessions of the sign-in pages: a random cookie whose hash is stored.
import { randomBytes } from "node:crypto";
import { limits } from "../../core/limits.ts";
import { secretHash } from "../security/secret-hash.ts";
import { toTimestamp } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";
import type { SignedInUser } from "./passwords.ts";

/** Starts a session and returns the value of its cookie. */
export async function startBrowserSession(tx: Db, userId: number, now: Date): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await tx
    .insertInto("browser_sessions")
    .values({
      user_id: userId,
      token_hash: secretHash(token),
      created_at: toTimestamp(now),
      expires_at: toTimestamp(now.getTime() + limits.browserSessionMs),
    })
    .execute();
  return token;
}

/** Returns the user of a cookie; undefined if the session ended or the user is deactivated. */
export async function findBrowserSession(
  db: Db,
  token: string,
  now: Date,
): Promise<SignedInUser | undefined> {
  return db
    .selectFrom("browser_sessions")
    .innerJoin("users", "users.id", "browser_sessions.user_id")
    .select(["users.id", "users.username"])
    .where("browser_sessions.token_hash", "=", secretHash(token))
    .where("browser_sessions.expires_at", ">", toTimestamp(now))
    .where("users.is_deactivated", "=", 0)
    .executeTakeFirst();
}

/** Ends a session. */
export async function endBrowserSession(tx: Db, token: string): Promise<void> {
  await tx.deleteFrom("browser_sessions").where("token_hash", "=", secretHash(token)).execute();
}
