// Integrations of transformation projects, and their syncs.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the tables. */
export function transformSync(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "transform_integrations")
        .addColumn("deployment_id", "integer", (column) =>
          cascadingReference("deployments")(column).unique(),
        )
        .addColumn("repo_url", "text", (column) => column.notNull())
        .addColumn("branch", "text")
        .addColumn("project_root", "text", (column) => column.notNull())
        .addColumn("manifest_path", "text", (column) => column.notNull())
        .addColumn("output_path", "text", (column) => column.notNull())
        .addColumn("username", "text")
        .addColumn("known_hosts", "text")
        .addColumn("sealed_secrets", "text", (column) => column.notNull())
        .execute();
      await createTableWithId(db, dialect, "sync_runs")
        .addColumn("deployment_id", "integer", cascadingReference("deployments"))
        .addColumn("job_id", "text", (column) => column.notNull().unique())
        .addColumn("status", "text", (column) => column.notNull())
        .addColumn("stage", "text", (column) => column.notNull())
        .addColumn("trigger_name", "text", (column) => column.notNull())
        .addColumn("source", "text", (column) => column.notNull())
        .addColumn("output", "text", (column) => column.notNull())
        .addColumn("output_path", "text", (column) => column.notNull())
        .addColumn("branch_name", "text", (column) => column.notNull())
        .addColumn("git_ref", "text")
        .addColumn("head_sha", "text")
        .addColumn("manifest", "text")
        .addColumn("user_id", "integer")
        .addColumn("attempts", "integer", (column) => column.notNull())
        .addColumn("leased_until", "text")
        .addColumn("started_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .addColumn("completed_at", "text")
        .addColumn("duration_ms", "integer")
        .addColumn("failed_phase", "text")
        .addColumn("error_text", "text")
        .addColumn("phases", "text", (column) => column.notNull())
        .addColumn("stats", "text")
        .addColumn("paths", "text")
        .addColumn("tree_id", "integer")
        .execute();
      await db.schema
        .createIndex("sync_runs_by_deployment")
        .on("sync_runs")
        .columns(["deployment_id", "id"])
        .execute();
      await db.schema
        .createIndex("sync_runs_by_status")
        .on("sync_runs")
        .columns(["status", "id"])
        .execute();
    },
  };
}
