// Folders, the folders of workbooks, and indexes in the orders of the workspace.
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { cascadingReference, createTableWithId, type DialectName } from "./tables.ts";

/** Creates the table and the columns. */
export function folders(dialect: DialectName): Migration {
  // Both databases compare the column by bytes, so that lists have the same order everywhere.
  const keyType = dialect === "sqlite" ? sql`text` : sql`text collate "C"`;
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createTableWithId(db, dialect, "folders")
        .addColumn("deployment_id", "integer", cascadingReference("deployments"))
        .addColumn("parent_id", "integer")
        .addColumn("name", "text", (column) => column.notNull())
        .addColumn("name_key", keyType, (column) => column.notNull())
        .addColumn("position", "integer", (column) => column.notNull())
        .addColumn("created_by", "integer")
        .addColumn("updated_by", "integer")
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("updated_at", "text", (column) => column.notNull())
        .execute();
      await createOrders(db, "folders", "parent_id");
      const orders = { position: ["parent_id", "position", "id"], deployment: ["id"] };
      for (const [name, columns] of Object.entries(orders)) {
        const index = db.schema.createIndex(`folders_by_${name}`).on("folders");
        await index.columns(["deployment_id", ...columns]).execute();
      }
      const added = { folder_id: sql`integer`, created_by: sql`integer`, name_key: keyType };
      for (const [name, type] of Object.entries(added)) {
        const table = db.schema.alterTable("workbooks");
        await (
          name === "name_key"
            ? table.addColumn(name, type, (column) => column.notNull().defaultTo(""))
            : table.addColumn(name, type)
        ).execute();
      }
      await sql`update workbooks set name_key = lower(name)`.execute(db);
      await createOrders(db, "workbooks", "folder_id");
    },
  };
}

/** Creates the indexes of a list of the items in one folder, newest first, by name and by time. */
async function createOrders(db: Kysely<unknown>, table: string, folder: string): Promise<void> {
  const orders = { ids: ["id"], names: ["name_key", "id"], times: ["updated_at", "id"] };
  for (const [name, columns] of Object.entries(orders)) {
    await db.schema
      .createIndex(`${table}_in_folder_${name}`)
      .on(table)
      .columns(["deployment_id", folder, ...columns])
      .execute();
  }
}
