// Identity providers at which users sign in, and the sessions of the sign-in pages that they started.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table, and marks sessions. */
export function identityProviders(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "identity_providers")
        .addColumn("name", "text", (column) => column.notNull().unique())
        .addColumn("display_name", "text")
        .addColumn("issuer", "text", (column) => column.notNull())
        .addColumn("client_id", "text", (column) => column.notNull())
        .addColumn("sealed_secret", "text", (column) => column.notNull())
        .addColumn("email_domains", "text")
        .addColumn("claims", "text", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .alterTable("browser_sessions")
        .addColumn("provider_id", "integer", (column) =>
          column.references("identity_providers.id").onDelete("cascade"),
        )
        .execute();
      await db.schema
        .createIndex("browser_sessions_by_provider_id")
        .on("browser_sessions")
        .column("provider_id")
        .execute();
    },
  };
}
