// The files of the last upload to a branch.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the column. It is null for branches without an upload since this migration. */
export function lastUploads(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("branches").addColumn("upload_tree_id", "integer").execute();
    },
  };
}
