// The interface of databases in the SQL of queries, and the SQL that they share.
import type { CalendarUnit } from "../../core/text/calendar-units.ts";
import { lengthOf, parseInterval, printTime } from "./local-time.ts";
import { bind, type BoundValue, raw, type Sql, sql } from "./sql-fragments.ts";

/** Types of values: `integer` has up to 18 digits, `wholeNumber` up to 38, `time` has no zone and is to the microsecond. */
export type ValueType = "text" | "double" | "integer" | "wholeNumber" | "boolean" | "time";

/** A database that queries run on. Its session has the time zone UTC, and quotes names with `"`. */
export interface Dialect {
  readonly name: string;
  readonly types: Readonly<Record<ValueType, string>>;
  /** Returns a value as text in the order of its bytes, in which `Z` comes before `a`; undefined if text has that order. */
  readonly inByteOrder?: (value: Sql) => Sql;
  /** Whether columns can take different texts for equal. Text that is cast is compared by its bytes. */
  readonly isTextLoose: boolean;
  /** Whether text with another order and other cases of letters than in the data source is compared for equality only. */
  readonly isTextOpaque: boolean;
  /** Whether several statements can read one state of the data. */
  readonly hasSnapshots: boolean;
  /** Whether EXISTS finds a key by an index where IN compares all keys that do not fit into its memory. */
  readonly looksUpKeys: boolean;
  /** Whether a term of an order names a column, instead of its position. */
  readonly ordersByName: boolean;
  /** Writes the place of a bound value, from 1. */
  readonly placeholder: (position: number, value: BoundValue) => string;
  /** Returns the condition that two values are equal, or both NULL. */
  readonly isSame: (left: Sql, right: Sql) => Sql;
  /** Returns the condition that a column, whose type is not known, has one of some values. */
  readonly isIn: (column: Sql, values: readonly Exclude<BoundValue, null>[]) => Sql;
  /** Returns the condition that text matches a pattern of LIKE in any case of letters, with a backslash as its escape. */
  readonly matches: (text: Sql, pattern: Sql) => Sql;
  /** Returns whether a condition is true for all rows of a group, except those for which it is NULL. */
  readonly isAlways: (condition: Sql) => Sql;
  /** Counts the distinct values of rows where a condition holds, which have no NULL then. */
  readonly countDistinct: (values: readonly Sql[], where: (value: Sql) => Sql) => Sql;
  readonly approximateDistinct: (expression: Sql) => Sql;
  /** Returns an aggregate of a group, or of a window, with which `over` ends: exact, or with an error. */
  readonly aggregate: (type: string, value: Sql, over: Sql) => Sql;
  /** Returns a sum or an average that a subquery computed, with an error if it is not exact; undefined if all are. */
  readonly requireExact?: (aggregate: Sql) => Sql;
  /** Returns the condition of a join that a time is not NULL. `other` is never NULL, and of the other table. */
  readonly isTime: (time: Sql, other: Sql) => Sql;
  /** Writes a table of times, with its columns under their names. */
  readonly timesTable: (
    alias: Sql,
    columns: readonly string[],
    rows: readonly (readonly (string | null)[])[],
  ) => Sql;
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
  /**
   * Ends a subquery whose conditions must hold before any expression outside of it is evaluated, because the error of
   * an expression would reveal a hidden row.
   */
  readonly fence: Sql;
  /**
   * Ends the rows of a cube whose row filter reads joins, so that no other condition decides for which rows columns that
   * SQL computes are evaluated. Set if they are evaluated before joins, for rows too that the row filter hides.
   */
  readonly joinFence?: Sql;
}

/** Returns the condition that two values are equal or both NULL, in standard SQL. */
export function isNotDistinct(left: Sql, right: Sql): Sql {
  return sql`${left} IS NOT DISTINCT FROM ${right}`;
}

/** Converts a value to a type. */
export function cast(value: Sql, type: ValueType, { types }: Pick<Dialect, "types">): Sql {
  return sql`CAST(${value} AS ${raw(types[type])})`;
}

/** Quotes a name. */
export function quote(name: string): Sql {
  return raw(`"${name.replaceAll('"', '""')}"`);
}

/** Returns a calendar time, or an instant in UTC, as a value. */
export function timeLiteral(time: string | null, dialect: Pick<Dialect, "types">): Sql {
  return cast(time === null ? raw("NULL") : bind(time), "time", dialect);
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
