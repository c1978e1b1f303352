// Ends the access of users: their browser sessions, OAuth tokens, links and embed sessions.
import { toTimestamp } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";

/** Ends every browser session, token and link of a user. API keys stay. */
export async function endAccess(tx: Db, userId: number): Promise<void> {
  for (const table of ["browser_sessions", "oauth_records", "password_links"] as const) {
    await tx.deleteFrom(table).where("user_id", "=", userId).execute();
  }
}

/**
 * Ends the access of a user who is deactivated: as {@link endAccess}, embed sessions and data tokens, and disables API
 * keys and workload trusts. All of it stays so when the user is activated again.
 */
export async function endDeactivated(tx: Db, userId: number, now: Date): Promise<void> {
  await endAccess(tx, userId);
  await tx
    .updateTable("embed_sessions")
    .set({ revoked_at: toTimestamp(now) })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
  await tx
    .updateTable("users")
    .set((eb) => ({ deactivations: eb("deactivations", "+", 1) }))
    .where("id", "=", userId)
    .execute();
  await tx.deleteFrom("environment_tokens").where("user_id", "=", userId).execute();
  for (const table of ["api_keys", "workload_trusts"] as const) {
    const owned = tx.updateTable(table).set({ is_disabled: 1 });
    await owned.where("owner_user_id", "=", userId).execute();
  }
}
