// The time at which recipients unsubscribed from notifications with the link in a mail.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the column to recipients. */
export function unsubscribedRecipients(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("recipients").addColumn("unsubscribed_at", "text").execute();
    },
  };
}
