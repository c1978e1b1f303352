// Conditions that several queries share: a part of a text whatever its case, alike on both databases; own users.
import { type RawBuilder, sql, type SqlBool } from "kysely";

/** True for rows where `column` holds `part`, in any case. */
export function contains(column: string, part: string): RawBuilder<SqlBool> {
  const pattern = `%${part.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}

/** True for rows where `column` begins with `start`, to the letter. */
export function beginsWith(column: string, start: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`substr(${sql.ref(column)}, 1, ${start.length}) = ${start}`;
}

/** True for the account's own users; a literal, as only that lets SQLite use the indexes of them alone. */
export const isInternalUser = sql<SqlBool>`is_external = 0`;
