// Exports of dashboards: jobs that draw a file.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table. */
export function dashboardExports(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "dashboard_exports")
        .addColumn("deployment_id", "integer", cascadingReference("deployments"))
        .addColumn("dashboard_id", "integer", cascadingReference("dashboards"))
        .addColumn("user_id", "integer", cascadingReference("users"))
        .addColumn("job_id", "text", (column) => column.notNull().unique())
        .addColumn("format", "text", (column) => column.notNull())
        .addColumn("controls", "text", (column) => column.notNull())
        .addColumn("viewer", "text", (column) => column.notNull())
        .addColumn("status", "text", (column) => column.notNull())
        .addColumn("error_text", "text")
        .addColumn("content", "text")
        .addColumn("attempts", "integer", (column) => column.notNull())
        .addColumn("leased_until", "text")
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("expires_at", "text", (column) => column.notNull())
        .execute();
      const indexes = [
        ["status", "id"],
        ["user_id", "status"],
        ["expires_at"],
        ["dashboard_id"],
        ["deployment_id"],
      ];
      for (const columns of indexes) {
        await db.schema
          .createIndex(`dashboard_exports_by_${columns.join("_")}`)
          .on("dashboard_exports")
          .columns(columns)
          .execute();
      }
    },
  };
}
