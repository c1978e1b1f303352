// Grants that users gave in sessions that they started at identity providers.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Marks grants. */
export function grantProviders(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable("oauth_records")
        .addColumn("provider_id", "integer", (column) =>
          column.references("identity_providers.id").onDelete("cascade"),
        )
        .execute();
      await db.schema
        .createIndex("oauth_records_by_provider_id")
        .on("oauth_records")
        .column("provider_id")
        .execute();
    },
  };
}
