// The server that sends a run of a notification.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds its number. A run without it waits for the end of its lease. */
export function leaseHolders(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("notification_runs").addColumn("leased_by", "integer").execute();
    },
  };
}
