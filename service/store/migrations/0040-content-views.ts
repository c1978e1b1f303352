// Views of dashboards and reports, by day and user, and the time of the last view of content.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table, and adds the columns to dashboards, reports and workbooks. */
export function contentViews(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "content_views")
        .addColumn("object_key", "text", (column) => column.notNull())
        .addColumn("day", "text", (column) => column.notNull())
        .addColumn("user_id", "integer", cascadingReference("users"))
        .addColumn("deployment_id", "integer", cascadingReference("deployments"))
        .addColumn("dashboard_id", "integer", (column) =>
          column.references("dashboards.id").onDelete("cascade"),
        )
        .addColumn("report_id", "integer", (column) =>
          column.references("reports.id").onDelete("cascade"),
        )
        .addColumn("workbook_id", "integer", (column) =>
          column.references("workbooks.id").onDelete("set null"),
        )
        .addColumn("views", "integer", (column) => column.notNull())
        .addColumn("queries", "integer", (column) => column.notNull())
        .addColumn("last_viewed_at", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex("content_views_by_key")
        .on("content_views")
        .columns(["object_key", "user_id", "day"])
        .unique()
        .execute();
      const indexes = {
        deployment: ["deployment_id", "id"],
        user: ["user_id", "report_id"],
        user_workbook: ["user_id", "workbook_id"],
        dashboard: ["dashboard_id"],
        report: ["report_id"],
        workbook: ["workbook_id"],
        day: ["day"],
      };
      for (const [name, columns] of Object.entries(indexes)) {
        const index = db.schema.createIndex(`content_views_by_${name}`);
        await index.on("content_views").columns(columns).execute();
      }
      for (const table of ["dashboards", "reports", "workbooks"]) {
        await db.schema
          .alterTable(table)
          .addColumn("last_viewed_at", "text", (column) => column.notNull().defaultTo(""))
          .execute();
      }
      await db.schema
        .createIndex("reports_by_last_view")
        .on("reports")
        .columns(["deployment_id", "last_viewed_at", "id"])
        .execute();
    },
  };
}
