// Tokens of environments, for listing them to their creators.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table. */
export function environmentTokens(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "environment_tokens")
        .addColumn("branch_id", "integer", cascadingReference("branches"))
        .addColumn("user_id", "integer", cascadingReference("users"))
        .addColumn("credential", "text", (column) => column.notNull())
        .addColumn("security_context", "text")
        .addColumn("scopes", "text")
        .addColumn("issued_at", "integer", (column) => column.notNull())
        .addColumn("expires_at", "text", (column) => column.notNull())
        .execute();
      const index = (name: string, columns: string[]) =>
        db.schema.createIndex(name).on("environment_tokens").columns(columns).execute();
      await index("environment_tokens_by_credential", ["branch_id", "credential"]);
      await index("environment_tokens_by_user", ["user_id"]);
      await index("environment_tokens_by_expiry", ["expires_at"]);
    },
  };
}
