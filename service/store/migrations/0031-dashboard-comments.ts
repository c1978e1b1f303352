// Comments on embedded dashboards.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table. */
export function dashboardComments(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "dashboard_comments")
        .addColumn("dashboard_id", "integer", cascadingReference("dashboards"))
        .addColumn("embed_tenant_id", "integer", cascadingReference("embed_tenants"))
        .addColumn("thread_id", "integer", (column) =>
          column.references("dashboard_comments.id").onDelete("cascade"),
        )
        .addColumn("user_id", "integer", (column) =>
          column.references("users.id").onDelete("set null"),
        )
        .addColumn("widget_id", "text")
        .addColumn("body", "text", (column) => column.notNull())
        .addColumn("mentions", "text", (column) => column.notNull())
        .addColumn("resolved_at", "text")
        .addColumn("resolved_by", "integer")
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute();
      const indexes = {
        thread: ["thread_id", "id"],
        dashboard: ["dashboard_id", "embed_tenant_id", "thread_id", "id"],
        tenant: ["embed_tenant_id"],
        user: ["user_id"],
      };
      for (const [name, columns] of Object.entries(indexes)) {
        const index = db.schema.createIndex(`dashboard_comments_by_${name}`);
        await index.on("dashboard_comments").columns(columns).execute();
      }
    },
  };
}
