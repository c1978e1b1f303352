// What a deactivation of a user leaves behind: disabled API keys and trusts, and data tokens that stay dead.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the columns. */
export function disabledCredentials(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const columns = [
        ["api_keys", "is_disabled"],
        ["workload_trusts", "is_disabled"],
        ["users", "deactivations"],
      ] as const;
      for (const [table, name] of columns) {
        await db.schema
          .alterTable(table)
          .addColumn(name, "integer", (column) => column.notNull().defaultTo(0))
          .execute();
      }
    },
  };
}
