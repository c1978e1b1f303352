// Staging environments of branches, and deployments by custom domain.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the column and the index. */
export function environments(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable("branches")
        .addColumn("staging_enabled", "integer", (column) => column.notNull().defaultTo(0))
        .execute();
      const domains = db.schema.createIndex("deployments_by_domain").on("deployments");
      await domains.column("custom_domain").execute();
    },
  };
}
