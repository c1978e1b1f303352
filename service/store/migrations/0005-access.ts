// User management: titles, deactivation, time of the last change, and the account's setting for personal keys.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the columns. */
export function access(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const users = db.schema.alterTable("users");
      await users.addColumn("title", "text").execute();
      await users
        .addColumn("is_deactivated", "integer", (column) => column.notNull().defaultTo(0))
        .execute();
      await users.addColumn("updated_at", "text").execute();
      await db.schema
        .alterTable("account")
        .addColumn("personal_keys", "integer", (column) => column.notNull().defaultTo(1))
        .execute();
    },
  };
}
