// Keyset pagination of a query: the last page is as fast as the first.
import { type SelectQueryBuilder, sql, type SqlBool, type StringReference } from "kysely";

/** The largest id: id columns have 32 bits, and databases compare larger numbers poorly. */
const idMax = 2 ** 31 - 1;

/** The requested rows: after a key, or after an offset. */
export interface PageWindow {
  /** Only rows with a smaller id. */
  readonly after?: number;
  readonly offset?: number;
  readonly count: number;
}

/** A list that can be read in pages, newest first. */
export interface PageSource<Row extends { id: number }> {
  /** Returns at most `count` rows. */
  read(window: PageWindow): Promise<Row[]>;
  /** Returns true if a row has this id or a greater one. */
  hasIdAtLeast(id: number): Promise<boolean>;
  /** Returns the number of rows. */
  count(): Promise<number>;
}

/**
 * Returns pages of `query`, which selects the column `key` as `id` and has no order, group or limit. Counts per row,
 * such as members, must be subqueries in the selection.
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
