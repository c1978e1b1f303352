// By which name an account's secret key goes: servers that share a database see by it that the key has been changed.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds it. */
export function sealPrefix(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("account").addColumn("seal_prefix", "text").execute();
    },
  };
}
