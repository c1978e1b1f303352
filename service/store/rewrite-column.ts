// Rewrites a text column of any table row by row, whatever else the table holds.
import { sql } from "kysely";
import type { Db } from "./schema.ts";

/** Which texts of which column: those that do not begin with `start`, at most `most` of them. Its table has a column `id`. */
export interface RewriteOptions {
  readonly table: string;
  readonly column: string;
  readonly exceptPrefix: string;
  readonly limit: number;
}

/** Puts what `anew` makes of a text and its row in the text's place; answers how many there were. */
export async function rewriteColumn(
  tx: Db,
  { table, column, exceptPrefix: start, limit: most }: RewriteOptions,
  anew: (text: string, row: Readonly<Record<string, unknown>>) => string,
): Promise<number> {
  const [from, what] = [sql.table(table), sql.ref(column)];
  const { rows } = await sql<Readonly<Record<string, unknown>>>`
    select * from ${from} where ${what} not like ${`${start}%`} limit ${most}`.execute(tx);
  for (const row of rows) {
    const text = anew(String(row[column]), row);
    await sql`update ${from} set ${what} = ${text} where id = ${row["id"]}`.execute(tx);
  }
  return rows.length;
}
