// Trusts in the OIDC tokens of CI systems, and the tokens that were issued because of them.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table, and marks grants of the OAuth server. */
export function workloadTrusts(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "workload_trusts")
        .addColumn("name", "text", (column) => column.notNull().unique())
        .addColumn("owner_user_id", "integer", cascadingReference("users"))
        .addColumn("issuer", "text", (column) => column.notNull())
        .addColumn("jwks_uri", "text")
        .addColumn("audience", "text", (column) => column.notNull())
        .addColumn("claims", "text", (column) => column.notNull())
        .addColumn("is_reusable", "integer", (column) => column.notNull())
        .addColumn("token_seconds", "integer", (column) => column.notNull())
        .addColumn("deployment_ids", "text")
        .addColumn("permissions", "text")
        .addColumn("states", "text")
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute();
      for (const column of ["owner_user_id", "issuer"]) {
        await db.schema
          .createIndex(`workload_trusts_by_${column}`)
          .on("workload_trusts")
          .column(column)
          .execute();
      }
      await db.schema
        .alterTable("oauth_records")
        .addColumn("trust_id", "integer", (column) =>
          column.references("workload_trusts.id").onDelete("cascade"),
        )
        .execute();
      await db.schema.alterTable("oauth_records").addColumn("subject", "text").execute();
      await db.schema
        .createIndex("oauth_records_by_trust_id")
        .on("oauth_records")
        .column("trust_id")
        .execute();
    },
  };
}
