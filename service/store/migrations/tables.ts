// What the migrations make tables with. Published migrations use it, so what it makes may not change.
import type { CreateTableBuilder, Kysely } from "kysely";

/** The databases that a store can be on. */
export type DialectName = "sqlite" | "postgres";

/** A table whose `id` is a number that is never used again. */
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

/** A column that holds the `id` of a row of `parent`, and goes with that row. */
export function cascadingReference(parent: string): (column: Column) => Column {
  return (column) => column.notNull().references(`${parent}.id`).onDelete("cascade");
}
