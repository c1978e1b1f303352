// Roles that administrators define, policies on single objects, and the settings of users.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the tables. */
export function roles(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "roles")
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("name_key", "text", (column) => column.notNull().unique())
        .addColumn("description", "text")
        .addColumn("policies", "text", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text")
        .execute();
      await db.schema
        .createTable("role_users")
        .addColumn("role_id", "integer", cascadingReference("roles"))
        .addColumn("user_id", "integer", cascadingReference("users"))
        .addPrimaryKeyConstraint("role_users_key", ["role_id", "user_id"])
        .execute();
      await db.schema
        .createIndex("role_users_by_user")
        .on("role_users")
        .column("user_id")
        .execute();
      await resourcePolicies(db, dialect);
    },
  };
}

async function resourcePolicies(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableWithId(db, dialect, "resource_policies")
    .addColumn("resource_type", "text", (column) => column.notNull())
    .addColumn("resource_id", "integer", (column) => column.notNull())
    .addColumn("user_id", "integer", (column) => column.references("users.id").onDelete("cascade"))
    .addColumn("group_id", "integer", (column) =>
      column.references("user_groups.id").onDelete("cascade"),
    )
    .addColumn("action", "text", (column) => column.notNull())
    .execute();
  const object = ["resource_type", "resource_id"];
  const index = (name: string) => db.schema.createIndex(name).on("resource_policies");
  await index("resource_policies_of_users")
    .unique()
    .columns([...object, "user_id"])
    .execute();
  await index("resource_policies_of_groups")
    .unique()
    .columns([...object, "group_id"])
    .execute();
  await index("resource_policies_of_all")
    .unique()
    .columns(object)
    .where(sql<boolean>`user_id is null and group_id is null`)
    .execute();
  await index("resource_policies_by_user").columns(["user_id", "resource_type"]).execute();
  await index("resource_policies_by_group").columns(["group_id", "resource_type"]).execute();
}
