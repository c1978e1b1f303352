// Support for several servers on one database and for background jobs: the operator's salt, and a table of jobs on
// SQLite.
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { DialectName } from "./tables.ts";

/** Adds both. On PostgreSQL pg-boss has its own tables. */
export function servers(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable("account").addColumn("operator_salt", "text").execute();
      if (dialect === "sqlite") await createJobs(db);
    },
  };
}

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("jobs")
    .addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("job_key", "text")
    .addColumn("payload", "text", (column) => column.notNull())
    .addColumn("run_at", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("leased_until", "text")
    .addColumn("failed_at", "text")
    .addColumn("error", "text")
    .addUniqueConstraint("jobs_key", ["name", "job_key"])
    .execute();
  await db.schema
    .createIndex("jobs_by_run_at")
    .on("jobs")
    .columns(["failed_at", "run_at"])
    .execute();
}
