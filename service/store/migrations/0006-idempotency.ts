// Results of writes with an idempotency key.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Creates the table. */
export function idempotency(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable("idempotency_records")
        .addColumn("id", "text", (column) => column.primaryKey().notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("sealed_record", "text", (column) => column.notNull())
        .execute();
      const index = db.schema.createIndex("idempotency_records_by_age");
      await index.on("idempotency_records").column("created_at").execute();
    },
  };
}
