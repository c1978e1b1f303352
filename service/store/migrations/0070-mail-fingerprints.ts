// Which mail each delivery of a notification brings, and whether an earlier request brought it.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Adds the columns. A delivery without a fingerprint, such as one of an earlier version, keeps no one from getting a mail that is
 * sent again.
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
