// The creation times of branches.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the column. It is null for branches that are older than the column. */
export function branchTimes(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("branches").addColumn("created_at", "text").execute();
    },
  };
}
