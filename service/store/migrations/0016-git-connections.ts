// Git connections of deployments, and the common state of their branches and the remote's.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the tables. */
export function gitConnections(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "git_connections")
        .addColumn("deployment_id", "integer", (column) =>
          cascadingReference("deployments")(column).unique(),
        )
        .addColumn("remote_url", "text", (column) => column.notNull())
        .addColumn("username", "text")
        .addColumn("known_hosts", "text")
        .addColumn("installation_id", "integer")
        .addColumn("pull_requested", "integer", (column) => column.notNull())
        .addColumn("attempts", "integer", (column) => column.notNull())
        .addColumn("next_attempt_at", "text")
        .addColumn("synced_at", "text")
        .addColumn("sealed_secrets", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .createTable("git_branches")
        .addColumn("branch_id", "integer", (column) =>
          column.primaryKey().references("branches.id").onDelete("cascade"),
        )
        .addColumn("commit_id", "integer")
        .addColumn("remote_commit", "text")
        .addColumn("pushing_commit_id", "integer")
        .addColumn("pushing_remote_commit", "text")
        .addColumn("problem", "text")
        .addColumn("error_text", "text")
        .execute();
      for (const column of ["commit_id", "pushing_commit_id"]) {
        await db.schema
          .createIndex(`git_branches_by_${column}`)
          .on("git_branches")
          .column(column)
          .execute();
      }
      await db.schema.alterTable("model_commits").addColumn("remote_commit", "text").execute();
    },
  };
}
