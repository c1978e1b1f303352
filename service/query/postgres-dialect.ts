// The SQL of queries on PostgreSQL 14 and later.
import { type Dialect, quote, timeLiteral } from "./dialect.ts";
import { printTime } from "./local-time.ts";
import { bind, joinSql, raw, type Sql, sql } from "./sql-fragments.ts";

const types = {
  text: "TEXT",
  double: "DOUBLE PRECISION",
  integer: "BIGINT",
  wholeNumber: "NUMERIC",
  boolean: "BOOLEAN",
  time: "TIMESTAMP",
} as const;

const timestamp = (time: string | null): Sql => timeLiteral(time, { types });

/** PostgreSQL. */
export const postgres: Dialect = {
  name: "postgres",
  types,
  inByteOrder: (value) => sql`CAST(${value} AS TEXT) COLLATE "C"`,
  isTextLoose: false,
  isTextOpaque: false,
  hasSnapshots: true,
  looksUpKeys: true,
  ordersByName: false,
  placeholder: (position) => `$${position}`,
  // It can hash equal arrays, which have equal NULLs, and would compare all rows by IS NOT DISTINCT FROM.
  isSame: (left, right) => sql`ARRAY[${left}] = ARRAY[${right}]`,
  isIn: (column, values) => sql`${column} IN (${joinSql(values.map(bind), ", ")})`,
  matches: (text, pattern) => sql`${text} ILIKE ${pattern} ESCAPE '\\'`,
  isAlways: (condition) => sql`bool_and(${condition})`,
  countDistinct(values, where) {
    const [only] = values;
    const value = only && values.length === 1 ? only : sql`ROW(${joinSql(values, ", ")})`;
    return sql`count(DISTINCT ${where(value)})`;
  },
  // Exact, because PostgreSQL has no built-in approximation.
  approximateDistinct: (expression) => sql`count(DISTINCT ${expression})`,
  aggregate: (type, value, over) => sql`${raw(type)}(${value})${over}`,
  isTime: (time) => sql`${time} IS NOT NULL`,
  timesTable(alias, columns, rows) {
    const list = rows.map((row) => sql`(${joinSql(row.map(timestamp), ", ")})`);
    return sql`(VALUES ${joinSql(list, ", ")}) AS ${alias} (${joinSql(columns.map(quote), ", ")})`;
  },
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
  bucketSeconds: (time, seconds, origin) =>
    sql`date_bin(make_interval(secs => CAST(${bind(seconds)} AS DOUBLE PRECISION)), ${time}, ${timestamp(origin)})`,
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
  // PostgreSQL evaluates conditions in the order of their cost, but moves none into a subquery with an offset.
  fence: raw(" OFFSET 0"),
};
