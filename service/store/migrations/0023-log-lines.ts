// Log lines of deployments.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table. */
export function logLines(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "log_lines")
        .addColumn("deployment_id", "integer", cascadingReference("deployments"))
        .addColumn("source", "text", (column) => column.notNull())
        .addColumn("pod", "text", (column) => column.notNull())
        .addColumn("container", "text", (column) => column.notNull())
        .addColumn("logged_at", "text", (column) => column.notNull())
        .addColumn("message", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex("log_lines_by_deployment")
        .on("log_lines")
        .columns(["deployment_id", "id"])
        .execute();
    },
  };
}
