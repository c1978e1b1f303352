// Keyset pagination of a query: the last page is as fast as the first.
import {
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
  type StringReference,
} from "kysely";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";

/** The requested rows: after a position, or after an offset. */
export interface PageWindow {
  /** Only rows behind this position. */
  readonly after?: string;
  readonly offset?: number;
  readonly count: number;
}

/** A list that can be read in pages. */
export interface PageSource<Row> {
  /** Number of rows that one query reads, if their items are too large for the default number. */
  readonly rowsPerQuery?: number;
  /** Returns at most `count` rows. Throws `invalid` for a position that does not belong to this list. */
  read(window: PageWindow): Promise<Row[]>;
  /** Returns true if a row is at this position or before it. */
  hasUpTo(position: string): Promise<boolean>;
  /** Returns the number of rows. */
  count(): Promise<number>;
  /** Returns the position of a row, which is opaque to callers. */
  positionOf(row: Row): string;
  /** Returns the part of the list whose rows have these ids. Lists of tables have it. */
  select?(ids: readonly number[]): PageSource<Row>;
}

/** Returns the error for a cursor that no list returned. */
export function invalidCursor(): Failure {
  return new Failure(
    "invalid",
    "after is not a valid cursor; pass pageInfo.endCursor of the previous page unchanged",
  );
}

/** Parses a position that is the id of a row, as databases compare it. Throws `invalid` for any other text. */
export function idAt(position: string): number {
  if (!/^[1-9][0-9]{0,9}$/.test(position)) throw invalidCursor();
  return Math.min(Number(position), limits.idMax);
}

/**
 * Returns pages of `query`, newest first. It selects the column `key` as `id` and has no order, group or limit. Counts
 * per row, such as members, must be subqueries in the selection.
 */
export function keyset<DB, TB extends keyof DB, Row extends { id: number }>(
  query: SelectQueryBuilder<DB, TB, Row>,
  key: StringReference<DB, TB>,
): PageSource<Row> {
  const column = sql.ref(key);
  return {
    async read({ after, offset, count }) {
      let page = query.orderBy(column, "desc").limit(count);
      if (after !== undefined) page = page.where(sql<SqlBool>`${column} < ${idAt(after)}`);
      if (offset !== undefined && offset > 0) page = page.offset(offset);
      return page.execute();
    },
    hasUpTo: (position) => exists(query, sql<SqlBool>`${column} >= ${idAt(position)}`),
    count: () => countRows(query),
    positionOf: ({ id }) => String(id),
    select: (ids) => keyset(query.where(isOneOf(column, ids)), key),
  };
}

/** The column or the expression that orders a list, and the direction. Rows with equal values are ordered by `id`. */
export interface SortOrder<Row> {
  readonly column: string | RawBuilder<unknown>;
  readonly id: string;
  readonly direction: "asc" | "desc";
  readonly type: "text" | "integer";
  /** Returns the value of the column, which is never null. */
  readonly valueOf: (row: Row) => string | number;
}

/** Returns pages of `query` in the given order. See {@link keyset}. */
export function sortedKeyset<DB, TB extends keyof DB, Row extends { id: number }>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { column, id, direction, type, valueOf }: SortOrder<Row>,
): PageSource<Row> {
  const first = typeof column === "string" ? sql.ref(column) : column;
  const second = sql.ref(id);
  const behind = sql.raw(direction === "asc" ? ">" : "<");
  const upTo = sql.raw(direction === "asc" ? "<=" : ">=");
  const compare = (operator: typeof behind, position: string) => {
    const [value, last] = sortedPlace(position, type);
    return sql<SqlBool>`(${first}, ${second}) ${operator} (${value}, ${last})`;
  };
  return {
    async read({ after, offset, count }) {
      let page = query.orderBy(first, direction).orderBy(second, direction).limit(count);
      if (after !== undefined) page = page.where(compare(behind, after));
      if (offset !== undefined && offset > 0) page = page.offset(offset);
      return page.execute();
    },
    hasUpTo: (position) => exists(query, compare(upTo, position)),
    count: () => countRows(query),
    positionOf: (row) => sortedPosition(valueOf(row), row.id),
    select: (ids) =>
      sortedKeyset(query.where(isOneOf(second, ids)), { column, id, direction, type, valueOf }),
  };
}

function isOneOf(column: RawBuilder<unknown>, ids: readonly number[]) {
  return sql<SqlBool>`${column} in (${sql.join(ids)})`;
}

/** Returns the position of a row in a sorted list. */
function sortedPosition(value: string | number, id: number): string {
  return JSON.stringify([value, id]);
}

function sortedPlace(
  position: string,
  type: "text" | "integer",
): readonly [string | number, number] {
  const parsed = parsePosition(position);
  const [value, id] = Array.isArray(parsed) ? (parsed as readonly unknown[]) : [];
  const last = typeof id === "number" ? idAt(String(id)) : 0;
  if (type === "text" && typeof value === "string" && !value.includes("\0") && last > 0) {
    return [value, last];
  }
  if (type === "integer" && Number.isSafeInteger(value) && last > 0) {
    return [Math.max(-limits.idMax, Math.min(value as number, limits.idMax)), last];
  }
  throw invalidCursor();
}

/** Parses a position that is JSON. Throws `invalid` for any other text. */
export function parsePosition(position: string): unknown {
  try {
    return JSON.parse(position);
  } catch {
    throw invalidCursor();
  }
}

async function exists<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  condition: ReturnType<typeof sql<SqlBool>>,
): Promise<boolean> {
  const found = query
    .clearSelect()
    .select(sql<number>`1`.as("found"))
    .where(condition);
  return (await found.limit(1).execute()).length > 0;
}

/** Returns the number of rows that a query selects. */
export async function countRows<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
): Promise<number> {
  const counted = query.clearSelect().select(sql<number>`count(*)`.as("total"));
  const [row]: readonly object[] = await counted.execute();
  return row && "total" in row ? Number(row.total) : 0;
}
