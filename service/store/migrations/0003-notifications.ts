// Workbooks with dashboards, notifications, and their recipients.
import type { CreateTableBuilder, Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { type DialectName, cascadingReference, createTableWithId } from "./tables.ts";

/** Creates the tables. */
export function notifications(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createWorkbooks(db, dialect);
      await createNotifications(db, dialect);
      await createRecipients(db, dialect);
    },
  };
}

/** Creates a table whose numeric `id` is never reused and whose rows are deleted with their parent's. */
function childTable(
  db: Kysely<unknown>,
  dialect: DialectName,
  { name, parent, key }: { name: string; parent: string; key: string },
): CreateTableBuilder<string, string> {
  return createTableWithId(db, dialect, name).addColumn(key, "integer", cascadingReference(parent));
}

async function createWorkbooks(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const workbooks = { name: "workbooks", parent: "deployments", key: "deployment_id" };
  await childTable(db, dialect, workbooks)
    .addColumn("slug", "text")
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("meta", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .addUniqueConstraint("workbooks_slug", ["deployment_id", "slug"])
    .execute();
  await createIndex(db, "workbooks", ["deployment_id", "id"]);
  const dashboards = { name: "dashboards", parent: "workbooks", key: "workbook_id" };
  await childTable(db, dialect, dashboards)
    .addColumn("deployment_id", "integer", cascadingReference("deployments"))
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("public_id", "text", (column) => column.unique())
    .addColumn("allow_embed", "integer", (column) => column.notNull())
    .addColumn("config", "text", (column) => column.notNull())
    .addColumn("version_number", "integer", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addUniqueConstraint("dashboards_status", ["workbook_id", "status"])
    .execute();
  await createIndex(db, "dashboards", ["deployment_id"]);
}

async function createNotifications(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const child = { name: "notifications", parent: "deployments", key: "deployment_id" };
  await childTable(db, dialect, child)
    .addColumn("dashboard_id", "integer", cascadingReference("dashboards"))
    .addColumn("schedule_type", "text", (column) => column.notNull())
    .addColumn("cron_expression", "text", (column) => column.notNull())
    .addColumn("timezone", "text", (column) => column.notNull())
    .addColumn("is_enabled", "integer", (column) => column.notNull())
    .addColumn("notification_enabled", "integer", (column) => column.notNull())
    .addColumn("notification_format", "text", (column) => column.notNull())
    .addColumn("notification_ai_summary", "integer", (column) => column.notNull())
    .addColumn("filters", "text")
    .addColumn("time_grains", "text")
    .addColumn("member_switchers", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  await createIndex(db, "notifications", ["deployment_id", "id"]);
  await createIndex(db, "notifications", ["dashboard_id"]);
}

async function createRecipients(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const child = { name: "recipients", parent: "notifications", key: "notification_id" };
  await childTable(db, dialect, child)
    .addColumn("user_id", "integer", cascadingReference("users"))
    .addColumn("user_groups", "text")
    .addColumn("security_context", "text")
    .addColumn("user_attributes", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addUniqueConstraint("recipients_key", ["notification_id", "user_id"])
    .execute();
  await createIndex(db, "recipients", ["user_id"]);
  await createIndex(db, "recipients", ["notification_id", "id"]);
}

async function createIndex(db: Kysely<unknown>, on: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${on}_by_${columns.join("_")}`)
    .on(on)
    .columns(columns)
    .execute();
}
