// The catalogue of the names of recipients' groups and attributes: the account's, or the embed tenant's.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the column to recipients. */
export function recipientCatalogues(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable("recipients")
        .addColumn("names_of_tenant", "integer", (column) => column.notNull().defaultTo(0))
        .execute();
    },
  };
}
