// The differences between databases in the SQL of queries. All share `$1` placeholders, FILTER and IS NOT DISTINCT
// FROM.
import type { CalendarUnit } from "../../core/text/calendar-units.ts";
import { lengthOf, parseInterval, printTime } from "./local-time.ts";
import { bind, joinSql, raw, type Sql, sql } from "./sql-fragments.ts";

/** A database that queries run on. Its session has the time zone UTC. */
export interface Dialect {
  readonly name: string;
  /** The type of text. */
  readonly text: string;
  /** The type of integers of up to 38 digits. */
  readonly wholeNumber: string;
  /** Returns a value as text in the order of its bytes, in which `Z` comes before `a`; undefined if text has that order. */
  readonly inByteOrder?: (value: Sql) => Sql;
  /** Whether text with another order and other cases of letters than in the data source is compared for equality only. */
  readonly isTextOpaque: boolean;
  /** Truncates a time to intervals of seconds that start at a time. */
  readonly bucketSeconds: (time: Sql, seconds: number, origin: string) => Sql;
  readonly approximateDistinct: (expression: Sql) => Sql;
  /**
   * Ends a subquery whose conditions must hold before any expression outside of it is evaluated, because the error of
   * an expression would reveal a hidden row.
   */
  readonly fence: Sql;
}

/** DuckDB. */
export const duckdb: Dialect = {
  name: "duckdb",
  text: "VARCHAR",
  wholeNumber: "HUGEINT",
  isTextOpaque: false,
  bucketSeconds: (time, seconds, origin) =>
    sql`time_bucket(to_seconds(CAST(${bind(seconds)} AS BIGINT)), ${time}, ${timeLiteral(origin)})`,
  approximateDistinct: (expression) => sql`approx_count_distinct(${expression})`,
  // DuckDB never moves an expression that can fail below a condition.
  fence: [],
};

/** DuckDB with rows of another database. Throws `invalid` for queries that order text, or match parts of it. */
export const duckdbOfOthers: Dialect = { ...duckdb, isTextOpaque: true };

/** PostgreSQL 14 and later. */
export const postgres: Dialect = {
  name: "postgres",
  text: "TEXT",
  wholeNumber: "NUMERIC",
  inByteOrder: (value) => sql`CAST(${value} AS TEXT) COLLATE "C"`,
  isTextOpaque: false,
  bucketSeconds: (time, seconds, origin) =>
    sql`date_bin(make_interval(secs => CAST(${bind(seconds)} AS DOUBLE PRECISION)), ${time}, ${timeLiteral(origin)})`,
  // Exact, because PostgreSQL has no built-in approximation.
  approximateDistinct: (expression) => sql`count(DISTINCT ${expression})`,
  // PostgreSQL evaluates conditions in the order of their cost, but moves none into a subquery with an offset.
  fence: raw(" OFFSET 0"),
};

/** Quotes a name. */
export function quote(name: string): Sql {
  return raw(`"${name.replaceAll('"', '""')}"`);
}

/** Returns a calendar time, or an instant in UTC, as a value. */
export function timeLiteral(time: string): Sql {
  return sql`CAST(${bind(time)} AS TIMESTAMP)`;
}

/** Converts a column, which is read as UTC, to the calendar time of a zone. */
export function toZone(column: Sql, timezone: string): Sql {
  if (timezone === "UTC") return sql`CAST(${column} AS TIMESTAMP)`;
  return sql`(CAST(${column} AS TIMESTAMPTZ) AT TIME ZONE ${bind(timezone)})`;
}

/** Adds intervals to a column, which is read as UTC, in the calendar of a zone. */
export function shiftTime(
  column: Sql,
  shifts: readonly { readonly interval: string; readonly sign: 1 | -1 }[],
  timezone: string,
): Sql {
  const terms = shifts.flatMap(({ interval, sign }) =>
    parseInterval(interval).map(({ count, unit }) => {
      // PostgreSQL does not support quarters in intervals.
      const [number, name] = unit === "quarter" ? [count * 3, "month"] : [count, unit];
      return raw(` + INTERVAL '${number * sign} ${name}'`);
    }),
  );
  const local = sql`(${toZone(column, timezone)}${joinSql(terms, "")})`;
  return timezone === "UTC"
    ? local
    : sql`((${local} AT TIME ZONE ${bind(timezone)}) AT TIME ZONE 'UTC')`;
}

/** Truncates a calendar time to a unit. */
export function truncate(time: Sql, unit: CalendarUnit): Sql {
  return sql`date_trunc('${raw(unit)}', ${time})`;
}

/** Truncates a calendar time to a custom interval. */
export function truncateTo(
  dialect: Dialect,
  time: Sql,
  { interval, origin }: { readonly interval: string; readonly origin: number },
): Sql {
  const length = lengthOf(interval);
  if ("seconds" in length) return dialect.bucketSeconds(time, length.seconds, printTime(origin));
  // Months differ in length, so count the months from the origin's month and add its day and time again.
  const date = new Date(origin);
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const rest = sql`(CAST(${bind((origin - start) / 1000)} AS DOUBLE PRECISION) * INTERVAL '1 second')`;
  const first = bind(date.getUTCFullYear() * 12 + date.getUTCMonth());
  const shifted = sql`(${time} - ${rest})`;
  const month = sql`(EXTRACT(YEAR FROM ${shifted}) * 12 + EXTRACT(MONTH FROM ${shifted}) - 1 - CAST(${first} AS INTEGER))`;
  const months = sql`(CAST(floor(${month} / ${raw(`${length.months}.0`)}) AS INTEGER) * ${raw(String(length.months))})`;
  return sql`(${timeLiteral(printTime(start))} + ${months} * INTERVAL '1 month' + ${rest})`;
}
