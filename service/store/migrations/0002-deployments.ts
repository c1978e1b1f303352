// Deployments in full: settings and version, the versions that the account ran, and environment variables.
import { type AlterTableColumnAlteringBuilder, type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { type DialectName, cascadingReference, createTableWithId } from "./tables.ts";

/** Adds the columns and tables. */
export function deployments(dialect: DialectName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const [name, fallback] of settings) await addSetting(db, name, fallback);
      await createVersions(db);
      await createVariables(db, dialect);
    },
  };
}

/** Columns with values for existing deployments; `null` means no value. */
const settings: readonly (readonly [name: string, fallback: string | number | null])[] = [
  ["template", "single"],
  ["release_channel", "latest"],
  ["version", null],
  ["version_hold", 0],
  ["deploy_branch_name", "main"],
  ["deploy_branch_read_only", 0],
  ["deploy_branch_merge_allowed", 1],
  ["deploy_project_root", ""],
  ["custom_domain", null],
  ["default_launchpad_view_group", null],
  ["launchpad_tabs", "[]"],
  ["template_variables", "{}"],
  ["csps_config", null],
];

async function addSetting(
  db: Kysely<unknown>,
  name: string,
  fallback: string | number | null,
): Promise<void> {
  const type = typeof fallback === "number" ? "integer" : "text";
  const altered: AlterTableColumnAlteringBuilder = db.schema
    .alterTable("deployments")
    .addColumn(name, type, (column) =>
      fallback === null ? column : column.notNull().defaultTo(sql.lit(fallback)),
    );
  await altered.execute();
}

async function createVersions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("versions_run")
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("release_channel", "text", (column) => column.notNull())
    .addColumn("first_run_at", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("versions_run_key", ["version", "release_channel"])
    .execute();
}

async function createVariables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableWithId(db, dialect, "deployment_variables")
    .addColumn("deployment_id", "integer", cascadingReference("deployments"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("sealed_value", "text", (column) => column.notNull())
    .addUniqueConstraint("deployment_variables_name", ["deployment_id", "name"])
    .execute();
}
