// Runs of notifications, and the delivery of each run to each recipient.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the tables, and adds the next run of each notification. */
export function notificationRuns(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("notifications").addColumn("next_run_at", "text").execute();
      await createTableWithId(db, dialect, "notification_runs")
        .addColumn("notification_id", "integer", cascadingReference("notifications"))
        .addColumn("trigger_name", "text", (column) => column.notNull())
        .addColumn("scheduled_at", "text", (column) => column.notNull())
        .addColumn("status", "text", (column) => column.notNull())
        .addColumn("claims", "integer", (column) => column.notNull())
        .addColumn("leased_until", "text")
        .addColumn("next_attempt_at", "text", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addUniqueConstraint("notification_runs_slot", [
          "notification_id",
          "trigger_name",
          "scheduled_at",
        ])
        .execute();
      await createTableWithId(db, dialect, "notification_deliveries")
        .addColumn("run_id", "integer", cascadingReference("notification_runs"))
        .addColumn("notification_id", "integer", cascadingReference("notifications"))
        .addColumn("user_id", "integer", cascadingReference("users"))
        .addColumn("email", "text", (column) => column.notNull())
        .addColumn("status", "text", (column) => column.notNull())
        .addColumn("attempts", "integer", (column) => column.notNull())
        .addColumn("next_attempt_at", "text", (column) => column.notNull())
        .addColumn("error_text", "text")
        .addColumn("sent_at", "text")
        .addUniqueConstraint("notification_deliveries_key", ["run_id", "user_id"])
        .execute();
      const indexes: readonly (readonly [string, string[]])[] = [
        ["notifications", ["next_run_at"]],
        ["notification_runs", ["status", "next_attempt_at"]],
        ["notification_runs", ["created_at"]],
        ["notification_deliveries", ["notification_id", "id"]],
        ["notification_deliveries", ["run_id", "status", "id"]],
        ["notification_deliveries", ["user_id"]],
      ];
      for (const [on, columns] of indexes) {
        const name = `${on}_by_${columns.join("_")}`;
        await db.schema.createIndex(name).on(on).columns(columns).execute();
      }
    },
  };
}
