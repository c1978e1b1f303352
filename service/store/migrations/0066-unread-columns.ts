// Columns that were written but never read by an operation.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Drops the columns. */
export function unreadColumns(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("user_passwords").dropColumn("changed_at").execute();
      await db.schema.alterTable("versions_run").dropColumn("first_run_at").execute();
      await db.schema.alterTable("builds").dropColumn("cubes_count").execute();
    },
  };
}
