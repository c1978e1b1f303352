// A value for each of many rows in one statement, alike on both databases.
import { type RawBuilder, sql } from "kysely";

/** The text that goes with the `id` of a row; for an update that is limited to these ids, of which there is at least one. */
export function caseById(
  texts: readonly (readonly [id: number, text: string])[],
): RawBuilder<string> {
  const cases = texts.map(([id, text]) => sql`when ${id} then ${text}`);
  return sql<string>`case id ${sql.join(cases, sql` `)} end`;
}
