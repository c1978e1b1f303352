// Table builders for migrations. Published migrations use them, so their output must not change.
import type { CreateTableBuilder, Kysely } from "kysely";

/** The supported databases. */
export type DialectName = "sqlite" | "postgres";

/** Creates a table whose numeric `id` is never reused. */
export function createTableWithId(
  db: Kysely<unknown>,
  dialect: DialectName,
  name: string,
): CreateTableBuilder<string, "id"> {
  return db.schema
    .createTable(name)
    .addColumn("id", "integer", (column) =>
      dialect === "sqlite"
        ? column.primaryKey().autoIncrement()
        : column.primaryKey().generatedByDefaultAsIdentity(),
    );
}

type Column = Parameters<Parameters<CreateTableBuilder<string>["addColumn"]>[2] & {}>[0];

/** Creates a foreign key column to `parent`; rows are deleted with their parent's. */
export function cascadingReference(parent: string): (column: Column) => Column {
  return (column) => column.notNull().references(`${parent}.id`).onDelete("cascade");
}
