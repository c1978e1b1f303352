// Options of sessions, and users that end with their sessions.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the columns. */
export function sessionOptions(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("embed_sessions").addColumn("options", "text").execute();
      await db.schema
        .alterTable("users")
        .addColumn("is_ephemeral", "integer", (column) => column.notNull().defaultTo(0))
        .execute();
      await db.schema
        .createIndex("users_by_is_ephemeral")
        .on("users")
        .column("id")
        .where(sql.ref("is_ephemeral"), "=", 1)
        .execute();
    },
  };
}
