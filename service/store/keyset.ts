// Pages of a query by key: as fast on the last page as on the first.
import { type SelectQueryBuilder, sql, type SqlBool, type StringReference } from "kysely";

/** Above every id: columns of ids have 32 bits, and no database likes to compare them with more. */
const idMax = 2 ** 31 - 1;

/** Which rows are wanted: from behind a key, or past an offset. */
export interface PageWindow {
  /** Only rows with a smaller id. */
  readonly after?: number;
  readonly offset?: number;
  readonly count: number;
}

/** A list that can be read by the page, newest first. */
export interface PageSource<Row extends { id: number }> {
  /** At most `count` rows. */
  read(window: PageWindow): Promise<Row[]>;
  /** True when some row has this id or a greater one. */
  hasIdAtLeast(id: number): Promise<boolean>;
  /** All rows of the list. */
  count(): Promise<number>;
}

/**
 * Pages of `query`, which selects the column `key` as `id` and neither orders, groups nor limits; a number per row, such as
 * a count of members, is a subquery in the selection.
 */
export function keyset<DB, TB extends keyof DB, Row extends { id: number }>(
  query: SelectQueryBuilder<DB, TB, Row>,
  key: StringReference<DB, TB>,
): PageSource<Row> {
  const column = sql.ref(key);
  return {
    async read({ after, offset, count }) {
      let page = query.orderBy(column, "desc").limit(count);
      if (after !== undefined)
        page = page.where(sql<SqlBool>`${column} < ${Math.min(after, idMax)}`);
      if (offset !== undefined && offset > 0) page = page.offset(offset);
      return page.execute();
    },
    async hasIdAtLeast(id) {
      const found = query
        .clearSelect()
        .select(sql<number>`1`.as("found"))
        .where(sql<SqlBool>`${column} >= ${Math.min(id, idMax)}`);
      return (await found.limit(1).execute()).length > 0;
    },
    async count() {
      const counted = query.clearSelect().select(sql<number>`count(*)`.as("total"));
      const [row]: readonly object[] = await counted.execute();
      return row && "total" in row ? Number(row.total) : 0;
    },
  };
}
