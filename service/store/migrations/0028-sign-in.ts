// Passwords, links to set them, sessions of the sign-in pages, and the records of the OAuth server.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the tables. */
export function signIn(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("user_passwords")
        .addColumn("user_id", "integer", (column) =>
          cascadingReference("users")(column).primaryKey(),
        )
        .addColumn("password_hash", "text", (column) => column.notNull())
        .addColumn("changed_at", "text", (column) => column.notNull())
        .addColumn("failures", "integer", (column) => column.notNull())
        .addColumn("retry_at", "text")
        .execute();
      await createTableWithId(db, dialect, "password_links")
        .addColumn("user_id", "integer", (column) => cascadingReference("users")(column).unique())
        .addColumn("token_hash", "text", (column) => column.notNull().unique())
        .addColumn("expires_at", "text", (column) => column.notNull())
        .execute();
      await createTableWithId(db, dialect, "browser_sessions")
        .addColumn("user_id", "integer", cascadingReference("users"))
        .addColumn("token_hash", "text", (column) => column.notNull().unique())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("expires_at", "text", (column) => column.notNull())
        .execute();
      await createTableWithId(db, dialect, "oauth_records")
        .addColumn("model", "text", (column) => column.notNull())
        .addColumn("key_hash", "text", (column) => column.notNull())
        .addColumn("user_id", "integer", (column) =>
          column.references("users.id").onDelete("cascade"),
        )
        .addColumn("grant_id", "text")
        .addColumn("code_hash", "text")
        .addColumn("scope", "text")
        .addColumn("sealed_payload", "text", (column) => column.notNull())
        .addColumn("consumed_at", "text")
        .addColumn("poll_at", "text")
        .addColumn("poll_seconds", "integer", (column) => column.notNull())
        .addColumn("expires_at", "text", (column) => column.notNull())
        .addUniqueConstraint("oauth_records_by_key", ["key_hash", "model"])
        .addUniqueConstraint("oauth_records_by_code", ["code_hash", "model"])
        .execute();
      const indexes = [
        ["password_links", "expires_at"],
        ["browser_sessions", "user_id"],
        ["browser_sessions", "expires_at"],
        ["oauth_records", "user_id"],
        ["oauth_records", "grant_id"],
        ["oauth_records", "expires_at"],
      ] as const;
      for (const [table, column] of indexes) {
        await db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
      }
    },
  };
}
