// Builds an SQL expression with one value per row, for both databases.
import { type RawBuilder, sql } from "kysely";

/** Returns the text for the `id` of a row. The update must be limited to these ids; at least one is required. */
export function caseById(
  texts: readonly (readonly [id: number, text: string])[],
): RawBuilder<string> {
  const cases = texts.map(([id, text]) => sql`when ${id} then ${text}`);
  return sql<string>`case id ${sql.join(cases, sql` `)} end`;
}
