// Rewrites a text column row by row.
import { sql } from "kysely";
import type { Db } from "./schema.ts";

/** Selects texts of a column: those without the prefix `start`, at most `most`. The table must have a column `id`. */
export interface RewriteOptions {
  readonly table: string;
  readonly column: string;
  readonly exceptPrefix: string;
  readonly limit: number;
}

/** Replaces each text by the result of `replace` for the text and its row. Returns the number of rows. */
export async function rewriteColumn(
  tx: Db,
  { table, column, exceptPrefix: start, limit: most }: RewriteOptions,
  replace: (text: string, row: Readonly<Record<string, unknown>>) => string,
): Promise<number> {
  const [from, what] = [sql.table(table), sql.ref(column)];
  const { rows } = await sql<Readonly<Record<string, unknown>>>`
    select * from ${from} where ${what} not like ${`${start}%`} limit ${most}`.execute(tx);
  for (const row of rows) {
    const text = replace(String(row[column]), row);
    await sql`update ${from} set ${what} = ${text} where id = ${row["id"]}`.execute(tx);
  }
  return rows.length;
}
