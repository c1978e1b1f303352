// Data models: contents, trees of files, branches, dev-mode sessions, uploads and builds.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { type DialectName, cascadingReference, createTableWithId } from "./tables.ts";

/** SHA-1 of no files, as `treeHash` computes it. */
const emptyTreeHash = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

/** Creates the tables, and the empty deploy branch of each existing deployment. */
export function dataModels(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTrees(db, dialect);
      await createBranches(db, dialect);
      await createUploads(db);
      await createBuilds(db, dialect);
      await sql`insert into model_trees (deployment_id, hash, used_at)
        select id, ${sql.lit(emptyTreeHash)}, created_at from deployments`.execute(db);
      await sql`insert into model_commits (deployment_id, tree_id, message, created_at)
        select deployment_id, id, 'Create the branch', used_at from model_trees`.execute(db);
      await sql`insert into branches (deployment_id, name, tree_id, head_id)
        select d.id, d.deploy_branch_name, c.tree_id, c.id from deployments d
        join model_commits c on c.deployment_id = d.id`.execute(db);
    },
  };
}

async function createTrees(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableWithId(db, dialect, "model_contents")
    .addColumn("sha256", "text", (column) => column.notNull().unique())
    .addColumn("sha1", "text", (column) => column.notNull())
    .addColumn("bytes", "integer", (column) => column.notNull())
    .addColumn("encoding", "text", (column) => column.notNull())
    .addColumn("used_at", "text", (column) => column.notNull())
    // Must be the last column, so that SQLite reads the other columns without it.
    .addColumn("content", "text", (column) => column.notNull())
    .execute();
  await createTableWithId(db, dialect, "model_trees")
    .addColumn("deployment_id", "integer", cascadingReference("deployments"))
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("used_at", "text", (column) => column.notNull())
    .addUniqueConstraint("model_trees_hash", ["deployment_id", "hash"])
    .execute();
  for (const table of ["model_contents", "model_trees"]) {
    await db.schema.createIndex(`${table}_by_use`).on(table).column("used_at").execute();
  }
  await db.schema
    .createTable("model_tree_files")
    .addColumn("tree_id", "integer", cascadingReference("model_trees"))
    .addColumn("path", "text", (column) => column.notNull())
    .addColumn("content_id", "integer", (column) =>
      column.notNull().references("model_contents.id"),
    )
    .addPrimaryKeyConstraint("model_tree_files_key", ["tree_id", "path"])
    .execute();
  const index = db.schema.createIndex("model_tree_files_by_content").on("model_tree_files");
  await index.column("content_id").execute();
}

async function createBranches(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableWithId(db, dialect, "model_commits")
    .addColumn("deployment_id", "integer", cascadingReference("deployments"))
    .addColumn("tree_id", "integer")
    .addColumn("first_parent_id", "integer")
    .addColumn("second_parent_id", "integer")
    .addColumn("message", "text", (column) => column.notNull())
    .addColumn("user_id", "integer")
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  const commits = db.schema.createIndex("model_commits_by_deployment").on("model_commits");
  await commits.columns(["deployment_id", "id"]).execute();
  await createTableWithId(db, dialect, "branches")
    .addColumn("deployment_id", "integer", cascadingReference("deployments"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("tree_id", "integer", (column) => column.notNull())
    .addColumn("head_id", "integer", (column) => column.notNull())
    .addColumn("parent_id", "integer")
    .addColumn("dev_user_id", "integer")
    .addUniqueConstraint("branches_name", ["deployment_id", "name"])
    .execute();
  await db.schema
    .createTable("dev_sessions")
    .addColumn("deployment_id", "integer", cascadingReference("deployments"))
    .addColumn("credential", "text", (column) => column.notNull())
    .addColumn("branch_id", "integer", cascadingReference("branches"))
    .addPrimaryKeyConstraint("dev_sessions_key", ["deployment_id", "credential"])
    .execute();
  for (const table of ["branches", "model_commits"]) {
    await db.schema.createIndex(`${table}_by_tree`).on(table).column("tree_id").execute();
  }
  const indexes = { branches: ["deployment_id", "id"], dev_sessions: ["branch_id"] };
  for (const [table, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(`${table}_by_${columns[0]}`).on(table).columns(columns).execute();
  }
  await db.schema.createIndex("branches_by_parent").on("branches").column("parent_id").execute();
}

async function createUploads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("uploads")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("deployment_id", "integer", cascadingReference("deployments"))
    .addColumn("branch_id", "integer", cascadingReference("branches"))
    .addColumn("credential", "text", (column) => column.notNull())
    .addColumn("base_tree_id", "integer", (column) => column.notNull())
    .addColumn("expires_at", "text", (column) => column.notNull())
    .execute();
  const open = db.schema.createIndex("uploads_by_deployment").on("uploads");
  await open.columns(["deployment_id", "expires_at"]).execute();
  await db.schema.createIndex("uploads_by_branch").on("uploads").column("branch_id").execute();
  await db.schema
    .createTable("upload_files")
    .addColumn("upload_id", "text", (column) =>
      column.notNull().references("uploads.id").onDelete("cascade"),
    )
    .addColumn("path", "text", (column) => column.notNull())
    .addColumn("content_id", "integer", (column) =>
      column.notNull().references("model_contents.id"),
    )
    .addPrimaryKeyConstraint("upload_files_key", ["upload_id", "path"])
    .execute();
  const contents = db.schema.createIndex("upload_files_by_content").on("upload_files");
  await contents.column("content_id").execute();
}

async function createBuilds(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableWithId(db, dialect, "builds")
    .addColumn("branch_id", "integer", cascadingReference("branches"))
    .addColumn("tree_id", "integer", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("leased_until", "text")
    .addColumn("error_text", "text")
    .addColumn("cubes_count", "integer")
    .addColumn("updated_at", "text", (column) => column.notNull())
    .execute();
  const byBranch = db.schema.createIndex("builds_by_branch").on("builds");
  await byBranch.columns(["branch_id", "id"]).execute();
  await db.schema.createIndex("builds_by_tree").on("builds").column("tree_id").execute();
  const byStatus = db.schema.createIndex("builds_by_status").on("builds");
  await byStatus.columns(["status", "id"]).execute();
}
