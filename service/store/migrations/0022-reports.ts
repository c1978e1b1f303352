// Reports.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

const texts = [
  "title",
  "json_query",
  "sql_query",
  "pivot_items",
  "source",
  "host",
  "external_workbook_id",
  "result_location",
  "end_result_cell",
  "sheet_id",
  "workbook_name",
  "result_checksum",
  "refreshed_at",
];

const indexes = {
  deployment: ["id"],
  deployment_names: ["name_key", "id"],
  deployment_times: ["updated_at", "id"],
  workbook: ["workbook_id", "id"],
  in_folder_ids: ["folder_id", "id"],
  in_folder_names: ["folder_id", "name_key", "id"],
  in_folder_times: ["folder_id", "updated_at", "id"],
};

/** Creates the table. */
export function reports(dialect: DialectName): Migration {
  const keyType = dialect === "sqlite" ? sql`text` : sql`text collate "C"`;
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      let table = createTableWithId(db, dialect, "reports")
        .addColumn("deployment_id", "integer", cascadingReference("deployments"))
        .addColumn("public_id", "text", (column) => column.notNull().unique())
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("name_key", keyType, (column) => column.notNull())
        .addColumn("folder_id", "integer")
        .addColumn("workbook_id", "integer")
        .addColumn("meta", "text", (column) => column.notNull())
        .addColumn("version", "integer", (column) => column.notNull())
        .addColumn("created_by", "integer")
        .addColumn("refreshed_by", "integer")
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull());
      for (const name of texts) table = table.addColumn(name, "text");
      await table.execute();
      for (const [name, columns] of Object.entries(indexes)) {
        const index = db.schema.createIndex(`reports_by_${name}`).on("reports");
        await index.columns(["deployment_id", ...columns]).execute();
      }
    },
  };
}
