// Rewrites a text column row by row.
import { sql } from "kysely";
import type { Db } from "./schema.ts";

/** Selects texts of a column: those without `exceptPrefix`, at most `limit`. The table must have a column `id`. */
export interface RewriteOptions {
  readonly table: string;
  readonly column: string;
  readonly exceptPrefix: string;
  readonly limit: number;
}

/** Returns the distinct key prefixes (`s1.KEY.`) of the encrypted texts in a column. SQLite only. */
export async function sealPrefixesIn(
  db: Db,
  { table, column }: Pick<RewriteOptions, "table" | "column">,
): Promise<readonly string[]> {
  const text = sql.ref<string>(column);
  const { rows } = await sql<{ prefix: string }>`
    select distinct substr(${text}, 1, instr(substr(${text}, 4), '.') + 3) as prefix
    from ${sql.table(table)} where ${text} <> ''`.execute(db);
  return rows.map(({ prefix }) => prefix);
}

/** Replaces each text by the result of `replace` for the text and its row. Returns the number of rows. */
export async function rewriteColumn(
  tx: Db,
  { table, column, exceptPrefix, limit }: RewriteOptions,
  replace: (text: string, row: Readonly<Record<string, unknown>>) => string,
): Promise<number> {
  const [from, what] = [sql.table(table), sql.ref(column)];
  const { rows } = await sql<Readonly<Record<string, unknown>>>`
    select * from ${from} where ${what} not like ${`${exceptPrefix}%`} limit ${limit}`.execute(tx);
  for (const row of rows) {
    const text = replace(String(row[column]), row);
    await sql`update ${from} set ${what} = ${text} where id = ${row["id"]}`.execute(tx);
  }
  return rows.length;
}
