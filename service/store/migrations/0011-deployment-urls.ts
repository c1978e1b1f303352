// Deployments without a stored URL: it is derived from the name and from the hosts of the account.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Removes the column. */
export function deploymentUrls(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("deployments").dropColumn("deployment_url").execute();
    },
  };
}
