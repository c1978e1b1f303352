// Ends what users signed in with: their browser sessions, OAuth tokens and links.
import type { Db } from "../store/schema.ts";

/** Ends every browser session, token and link of a user. API keys stay. */
export async function endAccess(tx: Db, userId: number): Promise<void> {
  for (const table of ["browser_sessions", "oauth_records", "password_links"] as const) {
    await tx.deleteFrom(table).where("user_id", "=", userId).execute();
  }
}
