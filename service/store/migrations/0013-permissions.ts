// Roles of users, and the chosen permissions and states of API keys.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the columns. */
export function permissions(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("users").addColumn("default_roles", "text").execute();
      const keys = db.schema.alterTable("api_keys");
      await keys.addColumn("permissions", "text").execute();
      await keys.addColumn("states", "text").execute();
    },
  };
}
