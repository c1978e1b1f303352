// States of Terraform, Pulumi and svc: contents with versions, a lock and a journal.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { type DialectName, cascadingReference, createTableWithId } from "./tables.ts";

/** Creates the tables. */
export function states(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "states")
        .addColumn("name", "text", (column) => column.notNull().unique())
        .addColumn("version", "integer", (column) => column.notNull())
        .addColumn("bytes", "integer", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .addColumn("journal_calls", "integer", (column) => column.notNull())
        .addColumn("lock_id", "text")
        .addColumn("lock_info", "text")
        .addColumn("lock_until", "text")
        .execute();
      await createTableWithId(db, dialect, "state_versions")
        .addColumn("state_id", "integer", cascadingReference("states"))
        .addColumn("version", "integer", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("user_id", "integer", (column) => column.notNull())
        .addColumn("bytes", "integer", (column) => column.notNull())
        .addColumn("sealed_content", "text", (column) => column.notNull())
        .addUniqueConstraint("state_versions_key", ["state_id", "version"])
        .execute();
      await createTableWithId(db, dialect, "state_journal")
        .addColumn("state_id", "integer", cascadingReference("states"))
        .addColumn("position", "integer", (column) => column.notNull())
        .addColumn("sealed_lines", "text", (column) => column.notNull())
        .addUniqueConstraint("state_journal_key", ["state_id", "position"])
        .execute();
      for (const name of ["state_versions", "state_journal"]) {
        const index = db.schema.createIndex(`${name}_by_state`).on(name);
        await index.columns(["state_id", "id"]).execute();
      }
    },
  };
}
