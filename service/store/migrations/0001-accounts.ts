// The first tables: the account, deployments, users, groups, attributes, keys, and the tables of signed embedding.
import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { type DialectName, cascadingReference, createTableWithId } from "./tables.ts";

/** Creates the tables. */
export function accounts(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createAccountTables(db, dialect);
      await createUserTables(db, dialect);
      await createGroups(db, dialect);
      await createAttributes(db, dialect);
      await createKeys(db, dialect);
      await createSessions(db, dialect);
    },
  };
}

async function createAccountTables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .createTable("account")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("use_creator_mode", "integer", (column) => column.notNull())
    .addColumn("embedding_enabled", "integer", (column) => column.notNull())
    .addColumn("external_user_limit", "integer", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  await createTableWithId(db, dialect, "regions")
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("title", "text")
    .addColumn("provider", "text")
    .addColumn("is_public", "integer", (column) => column.notNull())
    .execute();
  await createTableWithId(db, dialect, "deployments")
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("region", "text", (column) => column.notNull().references("regions.name"))
    .addColumn("deployment_url", "text", (column) => column.notNull())
    .addColumn("cloud_provider", "text", (column) => column.notNull())
    .addColumn("target_platform", "text", (column) => column.notNull())
    .addColumn("is_managed", "integer", (column) => column.notNull())
    .addColumn("creation_step", "text", (column) => column.notNull())
    .addColumn("creation_method", "text")
    .addColumn("deploy_mode", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
}

async function createUserTables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableWithId(db, dialect, "embed_tenants")
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("display_name", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  await createTableWithId(db, dialect, "users")
    .addColumn("username", "text", (column) => column.notNull())
    .addColumn("email", "text")
    .addColumn("email_key", "text")
    .addColumn("display_name", "text")
    .addColumn("picture", "text")
    .addColumn("is_admin", "integer", (column) => column.notNull())
    .addColumn("is_external", "integer", (column) => column.notNull())
    .addColumn("embed_tenant_id", "integer", (column) =>
      column.references("embed_tenants.id").onDelete("cascade"),
    )
    .addColumn("external_id", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("last_login", "text")
    .addUniqueConstraint("users_of_tenant", ["embed_tenant_id", "external_id"])
    .execute();
  for (const column of ["username", "email_key"]) {
    await sql`create unique index ${sql.ref(`users_${column}`)}
      on users (${sql.ref(column)}) where is_external = 0`.execute(db);
  }
}

/** Adds the columns that place a row account-wide or in an embed tenant, and make names unique there. */
function addScopeColumns(
  builder: CreateTableBuilder<string, "id">,
  name: string,
): CreateTableBuilder<string, "id" | "embed_tenant_id" | "tenant_scope" | "name"> {
  return builder
    .addColumn("embed_tenant_id", "integer", (column) =>
      column.references("embed_tenants.id").onDelete("cascade"),
    )
    .addColumn("tenant_scope", "integer", (column) =>
      column.generatedAlwaysAs(sql`coalesce(embed_tenant_id, 0)`).stored(),
    )
    .addColumn("name", "text", (column) => column.notNull())
    .addUniqueConstraint(`${name}_name`, ["tenant_scope", "name"]);
}

async function createGroups(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await addScopeColumns(createTableWithId(db, dialect, "user_groups"), "user_groups")
    .addColumn("description", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("group_members")
    .addColumn("group_id", "integer", cascadingReference("user_groups"))
    .addColumn("user_id", "integer", cascadingReference("users"))
    .addPrimaryKeyConstraint("group_members_key", ["group_id", "user_id"])
    .execute();
  await createIndex(db, "group_members", ["user_id"]);
  await createIndex(db, "user_groups", ["embed_tenant_id", "id"]);
}

async function createAttributes(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await addScopeColumns(createTableWithId(db, dialect, "user_attributes"), "user_attributes")
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("display_name", "text")
    .addColumn("description", "text")
    .addColumn("default_value", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("user_attribute_values")
    .addColumn("user_id", "integer", cascadingReference("users"))
    .addColumn("attribute_id", "integer", cascadingReference("user_attributes"))
    .addColumn("value", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("user_attribute_values_key", ["user_id", "attribute_id"])
    .execute();
  await createIndex(db, "user_attribute_values", ["attribute_id"]);
  await createIndex(db, "user_attributes", ["embed_tenant_id", "id"]);
}

async function createKeys(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableWithId(db, dialect, "api_keys")
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("prefix", "text", (column) => column.notNull())
    .addColumn("secret_hash", "text", (column) => column.notNull().unique())
    .addColumn("owner_user_id", "integer", cascadingReference("users"))
    .addColumn("is_scoped", "integer", (column) => column.notNull())
    .addColumn("is_bootstrap", "integer", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("api_key_deployments")
    .addColumn("api_key_id", "integer", cascadingReference("api_keys"))
    .addColumn("deployment_id", "integer", cascadingReference("deployments"))
    .addPrimaryKeyConstraint("api_key_deployments_key", ["api_key_id", "deployment_id"])
    .execute();
  await createIndex(db, "api_key_deployments", ["deployment_id"]);
  await createIndex(db, "api_keys", ["owner_user_id"]);
}

async function createSessions(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableWithId(db, dialect, "embed_sessions")
    .addColumn("session_hash", "text", (column) => column.notNull().unique())
    .addColumn("user_id", "integer", cascadingReference("users"))
    .addColumn("deployment_id", "integer", cascadingReference("deployments"))
    .addColumn("embed_tenant_id", "integer", (column) =>
      column.references("embed_tenants.id").onDelete("cascade"),
    )
    .addColumn("creator_mode", "integer", (column) => column.notNull())
    .addColumn("security_context", "text")
    .addColumn("settings", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("expires_at", "text", (column) => column.notNull())
    .addColumn("exchanged_at", "text")
    .addColumn("revoked_at", "text")
    .execute();
  // Cascading deletes use these indexes; without them each delete would scan all sessions.
  for (const column of ["user_id", "deployment_id", "embed_tenant_id", "expires_at"]) {
    await createIndex(db, "embed_sessions", [column]);
  }
}

async function createIndex(db: Kysely<unknown>, on: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${on}_by_${columns.join("_")}`)
    .on(on)
    .columns(columns)
    .execute();
}
