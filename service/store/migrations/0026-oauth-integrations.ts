// OAuth integrations, authorizations in progress, and the tokens of users.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the tables. */
export function oauthIntegrations(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      let integrations = createTableWithId(db, dialect, "oauth_integrations").addColumn(
        "name",
        "text",
        (column) => column.notNull().unique(),
      );
      for (const name of requiredTexts) {
        integrations = integrations.addColumn(name, "text", (column) => column.notNull());
      }
      await integrations.addColumn("config", "text").execute();
      await createTableWithId(db, dialect, "oauth_authorizations")
        .addColumn("user_id", "integer", cascadingReference("users"))
        .addColumn("integration_id", "integer", cascadingReference("oauth_integrations"))
        .addColumn("state_hash", "text", (column) => column.notNull().unique())
        .addColumn("sealed_verifier", "text", (column) => column.notNull())
        .addColumn("expires_at", "text", (column) => column.notNull())
        .execute();
      await createTableWithId(db, dialect, "user_oauth_tokens")
        .addColumn("user_id", "integer", cascadingReference("users"))
        .addColumn("integration_id", "integer", cascadingReference("oauth_integrations"))
        .addColumn("status", "text", (column) => column.notNull())
        .addColumn("has_refresh_token", "integer", (column) => column.notNull())
        .addColumn("sealed_tokens", "text", (column) => column.notNull())
        .addColumn("access_expires_at", "text")
        .addColumn("refresh_expires_at", "text")
        .addColumn("last_error", "text")
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .addUniqueConstraint("user_oauth_tokens_by_user", ["user_id", "integration_id"])
        .execute();
      for (const table of ["oauth_authorizations", "user_oauth_tokens"]) {
        for (const column of ["user_id", "integration_id"]) {
          await db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
        }
      }
    },
  };
}

const requiredTexts = [
  "type",
  "auth_url",
  "token_url",
  "client_id",
  "redirect_uri",
  "sealed_secret",
  "scopes",
  "created_at",
  "updated_at",
];
