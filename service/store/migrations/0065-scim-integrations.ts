// SCIM integrations: identity providers with separate tokens, and the users and groups that they manage.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table, and marks users and groups. */
export function scimIntegrations(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "scim_integrations")
        .addColumn("name", "text", (column) => column.notNull().unique())
        .addColumn("provider", "text", (column) => column.notNull())
        .addColumn("is_enabled", "integer", (column) => column.notNull())
        .addColumn("default_roles", "text")
        .addColumn("token_prefix", "text", (column) => column.notNull())
        .addColumn("token_hash", "text", (column) => column.notNull().unique())
        .addColumn("previous_token_hash", "text", (column) => column.unique())
        .addColumn("previous_token_expires_at", "text")
        .addColumn("last_request_at", "text")
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute();
      for (const table of ["scim_users", "scim_groups"] as const) {
        await db.schema
          .alterTable(table)
          .addColumn("integration_id", "integer", (column) =>
            column.references("scim_integrations.id").onDelete("cascade"),
          )
          .execute();
        await db.schema
          .createIndex(`${table}_by_integration_id`)
          .on(table)
          .column("integration_id")
          .execute();
      }
    },
  };
}
