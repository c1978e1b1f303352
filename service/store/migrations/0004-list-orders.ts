// Indexes in list order: a page is read without sorting or skipping rows.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Creates the indexes. */
export function listOrders(): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const table of ["user_groups", "user_attributes"]) {
        const index = db.schema.createIndex(`${table}_by_scope`).on(table);
        await index.columns(["tenant_scope", "id"]).execute();
      }
      const users = db.schema.createIndex("users_by_tenant").on("users");
      await users.columns(["embed_tenant_id", "id"]).execute();
      const variables = db.schema.createIndex("deployment_variables_by_deployment");
      await variables.on("deployment_variables").columns(["deployment_id", "id"]).execute();
      await sql`create index users_by_email on users (lower(email))`.execute(db);
      await sql`create index users_by_external_id on users (external_id)`.execute(db);
      await sql`create index users_own on users (id) where is_external = 0`.execute(db);
    },
  };
}
