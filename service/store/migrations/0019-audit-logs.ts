// The audit log, and whether an account keeps one.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table and the column. */
export function auditLogs(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "audit_logs")
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("event_name", "text", (column) => column.notNull())
        .addColumn("user_id", "integer")
        .addColumn("username", "text")
        .addColumn("user_email", "text")
        .addColumn("credential", "text", (column) => column.notNull())
        .addColumn("key_name", "text")
        .addColumn("object_type", "text", (column) => column.notNull())
        .addColumn("object_ids", "text", (column) => column.notNull())
        .addColumn("deployment_id", "integer")
        .addColumn("before_values", "text")
        .addColumn("after_values", "text")
        .execute();
      await db.schema
        .createIndex("audit_logs_by_type")
        .on("audit_logs")
        .columns(["object_type", "id"])
        .execute();
      await db.schema
        .alterTable("account")
        .addColumn("audit_log_enabled", "integer", (column) => column.notNull().defaultTo(1))
        .execute();
      await db.schema.alterTable("account").addColumn("audit_log_changed_at", "text").execute();
    },
  };
}
