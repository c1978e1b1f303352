// Clients of the OAuth server, and their records.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table, and marks records. */
export function oauthClients(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "oauth_clients")
        .addColumn("client_id", "text", (column) => column.notNull().unique())
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("sealed_secret", "text")
        .addColumn("redirect_uris", "text", (column) => column.notNull())
        .addColumn("allows_devices", "integer", (column) => column.notNull())
        .addColumn("scopes", "text")
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .alterTable("oauth_records")
        .addColumn("client_row_id", "integer", (column) =>
          column.references("oauth_clients.id").onDelete("cascade"),
        )
        .execute();
      await db.schema
        .createIndex("oauth_records_by_client_row_id")
        .on("oauth_records")
        .column("client_row_id")
        .execute();
    },
  };
}
