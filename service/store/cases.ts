// A value for each row of an update, chosen by what the row holds in one column.
import { type RawBuilder, sql } from "kysely";

/** The value that goes with what `column` holds, null where none does; at least one pair has to be given. */
export function chosenBy<Value>(
  column: string,
  pairs: readonly (readonly [key: number, value: Value])[],
): RawBuilder<Value> {
  const cases = pairs.map(([key, value]) => sql`when ${key} then ${value}`);
  return sql<Value>`case ${sql.ref(column)} ${sql.join(cases, sql` `)} end`;
}
