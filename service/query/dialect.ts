// The differences between databases in the SQL of queries.
import type { CalendarUnit } from "../../core/text/calendar-units.ts";
import { lengthOf, parseInterval, printTime } from "./local-time.ts";
import { bind, raw, type Sql, sql } from "./sql-fragments.ts";

/** A database that queries run on. Its session has the time zone UTC, and quotes names with `"`. */
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
  /** The type of times without a zone, to the microsecond. */
  readonly time: string;
  /** Writes the place of a bound value, from 1. */
  readonly placeholder: (position: number) => string;
  /** Returns the condition that two values are equal, or both NULL. */
  readonly isSame: (left: Sql, right: Sql) => Sql;
  /** Writes a term of an order in which NULL comes last. */
  readonly nullsLast: (term: Sql, direction: "ASC" | "DESC") => Sql;
  /** Converts a column, which is read as UTC, to the calendar time of a zone. */
  readonly toZone: (column: Sql, timezone: string) => Sql;
  /** Converts a calendar time of a zone to UTC. */
  readonly fromZone: (local: Sql, timezone: string) => Sql;
  /** Adds a whole number of a unit to a time. */
  readonly addUnits: (time: Sql, count: number, unit: CalendarUnit) => Sql;
  /** Truncates a calendar time to a unit. */
  readonly truncate: (time: Sql, unit: CalendarUnit) => Sql;
  /** Truncates a time to intervals of seconds that start at a time. */
  readonly bucketSeconds: (time: Sql, seconds: number, origin: string) => Sql;
  /** Truncates a time to intervals of months that start at a time, in milliseconds of UTC. */
  readonly bucketMonths: (time: Sql, months: number, origin: number) => Sql;
  readonly approximateDistinct: (expression: Sql) => Sql;
  /**
   * Ends a subquery whose conditions must hold before any expression outside of it is evaluated, because the error of
   * an expression would reveal a hidden row.
   */
  readonly fence: Sql;
}

const timestamp = (time: string): Sql => sql`CAST(${bind(time)} AS TIMESTAMP)`;

/** What DuckDB has from PostgreSQL. */
const shared = {
  time: "TIMESTAMP",
  placeholder: (position) => `$${position}`,
  isSame: (left, right) => sql`${left} IS NOT DISTINCT FROM ${right}`,
  nullsLast: (term, direction) => sql`${term} ${raw(direction)} NULLS LAST`,
  toZone(column, timezone) {
    if (timezone === "UTC") return sql`CAST(${column} AS TIMESTAMP)`;
    return sql`(CAST(${column} AS TIMESTAMPTZ) AT TIME ZONE ${bind(timezone)})`;
  },
  fromZone(local, timezone) {
    if (timezone === "UTC") return local;
    return sql`((${local} AT TIME ZONE ${bind(timezone)}) AT TIME ZONE 'UTC')`;
  },
  addUnits(time, count, unit) {
    // PostgreSQL does not support quarters in intervals.
    const [number, name] = unit === "quarter" ? [count * 3, "month"] : [count, unit];
    return sql`(${time} + INTERVAL '${raw(`${number} ${name}`)}')`;
  },
  truncate: (time, unit) => sql`date_trunc('${raw(unit)}', ${time})`,
  bucketMonths(time, count, origin) {
    // Months differ in length, so count the months from the origin's month and add its day and time again.
    const date = new Date(origin);
    const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    const rest = sql`(CAST(${bind((origin - start) / 1000)} AS DOUBLE PRECISION) * INTERVAL '1 second')`;
    const first = bind(date.getUTCFullYear() * 12 + date.getUTCMonth());
    const shifted = sql`(${time} - ${rest})`;
    const month = sql`(EXTRACT(YEAR FROM ${shifted}) * 12 + EXTRACT(MONTH FROM ${shifted}) - 1 - CAST(${first} AS INTEGER))`;
    const months = sql`(CAST(floor(${month} / ${raw(`${count}.0`)}) AS INTEGER) * ${raw(String(count))})`;
    return sql`(${timestamp(printTime(start))} + ${months} * INTERVAL '1 month' + ${rest})`;
  },
} satisfies Partial<Dialect>;

/** DuckDB. */
export const duckdb: Dialect = {
  ...shared,
  name: "duckdb",
  text: "VARCHAR",
  wholeNumber: "HUGEINT",
  isTextOpaque: false,
  bucketSeconds: (time, seconds, origin) =>
    sql`time_bucket(to_seconds(CAST(${bind(seconds)} AS BIGINT)), ${time}, ${timestamp(origin)})`,
  approximateDistinct: (expression) => sql`approx_count_distinct(${expression})`,
  // DuckDB never moves an expression that can fail below a condition.
  fence: [],
};

/** DuckDB with rows of another database. Throws `invalid` for queries that order text, or match parts of it. */
export const duckdbOfOthers: Dialect = { ...duckdb, isTextOpaque: true };

/** PostgreSQL 14 and later. */
export const postgres: Dialect = {
  ...shared,
  name: "postgres",
  text: "TEXT",
  wholeNumber: "NUMERIC",
  inByteOrder: (value) => sql`CAST(${value} AS TEXT) COLLATE "C"`,
  isTextOpaque: false,
  bucketSeconds: (time, seconds, origin) =>
    sql`date_bin(make_interval(secs => CAST(${bind(seconds)} AS DOUBLE PRECISION)), ${time}, ${timestamp(origin)})`,
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
export function timeLiteral(time: string | null, dialect: Dialect): Sql {
  return sql`CAST(${time === null ? raw("NULL") : bind(time)} AS ${raw(dialect.time)})`;
}

/** Adds intervals to a column, which is read as UTC, in the calendar of a zone. */
export function shiftTime(
  column: Sql,
  shifts: readonly { readonly interval: string; readonly sign: 1 | -1 }[],
  { dialect, timezone }: { readonly dialect: Dialect; readonly timezone: string },
): Sql {
  let local = dialect.toZone(column, timezone);
  for (const { interval, sign } of shifts) {
    for (const { count, unit } of parseInterval(interval)) {
      local = dialect.addUnits(local, count * sign, unit);
    }
  }
  return dialect.fromZone(local, timezone);
}

/** Truncates a calendar time to a custom interval. */
export function truncateTo(
  dialect: Dialect,
  time: Sql,
  { interval, origin }: { readonly interval: string; readonly origin: number },
): Sql {
  const length = lengthOf(interval);
  return "seconds" in length
    ? dialect.bucketSeconds(time, length.seconds, printTime(origin))
    : dialect.bucketMonths(time, length.months, origin);
}
