// The configuration of the application, OIDC token configurations, and the keys that sign their tokens.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { createTableWithId, type DialectName } from "./tables.ts";

/** Creates the tables and columns. */
export function accountSettings(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("account").addColumn("app_config", "text").execute();
      await db.schema
        .alterTable("account")
        .addColumn("oidc_enabled", "integer", (column) => column.notNull().defaultTo(1))
        .execute();
      await createTableWithId(db, dialect, "oidc_token_configs")
        .addColumn("audience_type", "text", (column) => column.notNull())
        .addColumn("custom_audience", "text")
        .addColumn("name", "text", (column) => column.notNull().unique())
        .addColumn("sub_format", "text")
        .addColumn("target_env_var", "text")
        .addColumn("custom_claims", "text")
        .addColumn("is_enabled", "integer", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute();
      await createTableWithId(db, dialect, "signing_keys")
        .addColumn("kid", "text", (column) => column.notNull().unique())
        .addColumn("public_jwk", "text", (column) => column.notNull())
        .addColumn("sealed_private_key", "text", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("retired_at", "text")
        .execute();
    },
  };
}
