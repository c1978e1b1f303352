// Sessions of pages that a signed-in user opens: they end with the sign-in.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the column. */
export function pageSessions(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable("embed_sessions")
        .addColumn("browser_session_id", "integer", (column) =>
          column.references("browser_sessions.id").onDelete("cascade"),
        )
        .execute();
      await db.schema
        .createIndex("embed_sessions_by_browser_session_id")
        .on("embed_sessions")
        .columns(["browser_session_id"])
        .execute();
    },
  };
}
