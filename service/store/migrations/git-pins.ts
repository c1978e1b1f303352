// Adds the commit that the deploy branch of a Git connection is pinned to.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The name that databases record. */
export const gitPinsName = "0077-git-pins";

/** Connections follow their branch until someone pins them. */
export const gitPins: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw("alter table git_connections add column pinned_commit text").execute(db);
  },
};
