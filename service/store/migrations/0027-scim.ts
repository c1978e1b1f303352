// SCIM: what an identity provider stores with the users and groups that it manages, and the indexes of its lookups.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference } from "./tables.ts";

/** Adds the tables and the setting. */
export function scim(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable("account")
        .addColumn("scim_enabled", "integer", (column) => column.notNull().defaultTo(0))
        .execute();
      await db.schema
        .createTable("scim_users")
        .addColumn("user_id", "integer", (column) =>
          cascadingReference("users")(column).primaryKey(),
        )
        .addColumn("attributes", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .createTable("scim_emails")
        .addColumn("user_id", "integer", cascadingReference("users"))
        .addColumn("email_key", "text", (column) => column.notNull())
        .addPrimaryKeyConstraint("scim_emails_key", ["email_key", "user_id"])
        .execute();
      await db.schema
        .createTable("scim_groups")
        .addColumn("group_id", "integer", (column) =>
          cascadingReference("user_groups")(column).primaryKey(),
        )
        .addColumn("external_id", "text")
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute();
      for (const [table, column] of [
        ["scim_groups", "external_id"],
        ["scim_emails", "user_id"],
      ] as const) {
        await db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
      }
      await sql`create index own_users_by_external_id on users (external_id) where is_external = 0`.execute(
        db,
      );
      await sql`create index users_by_lower_username on users (lower(username)) where is_external = 0`.execute(
        db,
      );
      await sql`create index user_groups_by_lower_name on user_groups (tenant_scope, lower(name))`.execute(
        db,
      );
    },
  };
}
