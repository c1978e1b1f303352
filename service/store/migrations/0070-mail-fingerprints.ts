// The mail of each delivery of a notification, and whether an earlier request already sent it.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Adds the columns. A delivery without a fingerprint, such as one of an earlier version, does not prevent sending the
 * mail again.
 */
export function mailFingerprints(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable("notification_deliveries")
        .addColumn("fingerprint", "text")
        .execute();
      await db.schema
        .alterTable("notification_deliveries")
        .addColumn("was_sent_before", "integer", (column) => column.notNull().defaultTo(0))
        .execute();
    },
  };
}
