// The writers of a dashboard's widgets that name reports, instead of the user who last stored the dashboard.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Replaces the column. Dashboards keep their reports. A report that is created later appears once a user who may read
 * it writes the widget again, because the user who stored a dashboard may not have written its widgets.
 */
export function reportWriters(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("dashboards").dropColumn("written_by").execute();
      await db.schema
        .alterTable("dashboards")
        .addColumn("report_writers", "text", (column) => column.notNull().defaultTo("[]"))
        .execute();
    },
  };
}
