// The identifier of the account's secret key, by which servers on a shared database detect a rotation.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the column. */
export function sealPrefix(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("account").addColumn("seal_prefix", "text").execute();
    },
  };
}
