// Who wrote the widgets of a dashboard that name reports, in place of who stored the dashboard last.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Replaces the column. What dashboards show stays; a report that is created later is shown once a user who may read it writes
 * the widget again, as who stored a dashboard need not have written its widgets.
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
