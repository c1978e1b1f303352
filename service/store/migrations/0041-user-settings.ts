// Settings of users, the security context of their queries, and the theme of pages that embed their content.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the columns to users. */
export function userSettings(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const name of ["settings", "security_context", "embed_theme"]) {
        await db.schema.alterTable("users").addColumn(name, "text").execute();
      }
    },
  };
}
