// The SQL of queries on ClickHouse 26.7 and later, with the settings of engine/clickhouse.ts.
import { cast as castTo, type Dialect, isNotDistinct, quote, type ValueType } from "./dialect.ts";
import { printTime } from "./local-time.ts";
import { postgres } from "./postgres-dialect.ts";
import { bind, joinSql, raw, type Sql, sql } from "./sql-fragments.ts";

const types = {
  text: "String",
  double: "Float64",
  integer: "Int64",
  wholeNumber: "Decimal(38, 0)",
  boolean: "Bool",
  time: "DateTime64(6, 'UTC')",
} as const satisfies Record<ValueType, string>;

const cast = (value: Sql, type: ValueType): Sql => castTo(value, type, { types });

/** Returns the calendar time of a zone at an instant. timeZoneOffset is a day off where a zone crossed the date line. */
const localTime = (instant: Sql, timezone: string): Sql =>
  sql`toDateTime64(toString(toTimeZone(${instant}, ${bind(timezone)})), 6, 'UTC')`;

/** Returns the difference of the calendar time of a zone from UTC, at an instant, in seconds. */
const offset = (instant: Sql, timezone: string): Sql =>
  sql`dateDiff('second', ${instant}, ${localTime(instant, timezone)})`;

/**
 * Writes a sum. That of integers and decimals wraps around at the end of their type, which a sum of doubles shows: it
 * fails the query.
 */
function sumOf(value: Sql, over: Sql): Sql {
  const sum = sql`sum(${value})${over}`;
  const doubles = sql`sum(toFloat64(${value}))${over}`;
  const size = sql`sum(abs(toFloat64(${value})))${over}`;
  const isWrong = sql`ifNull(abs(toFloat64(${sum}) - ${doubles}) > 1e-9 * ${size}, FALSE)`;
  return sql`if(throwIf(${isWrong}, 'a sum has too many digits') = 0, ${sum}, NULL)`;
}

/** Times of one bound value, which has up to 128 KiB. */
const timesPerValue = 1000;

/** Writes rows of times as an array of tuples. */
function timesArray(rows: readonly (readonly (string | null)[])[], width: number): Sql {
  const type = `Array(Tuple(${Array.from({ length: width }, () => "Nullable(String)").join(", ")}))`;
  const parts = rows.flatMap((_, at) =>
    at % timesPerValue === 0 ? [rows.slice(at, at + timesPerValue)] : [],
  );
  const arrays = parts.map(
    (part) => sql`JSONExtract(${bind(JSON.stringify(part))}, '${raw(type)}')`,
  );
  return sql`arrayConcat(${joinSql(arrays, ", ")})`;
}

const { inByteOrder: _, ...shared } = postgres;

/** ClickHouse. */
const fence = raw(" LIMIT 18446744073709551615");

export const clickhouse: Dialect = {
  ...shared,
  looksUpKeys: false,
  name: "clickhouse",
  hasSnapshots: false,
  types,
  placeholder(position, value) {
    if (value === null) return "NULL";
    if (typeof value === "boolean") return `{p${position}:Bool}`;
    if (typeof value === "string") return `{p${position}:String}`;
    return Number.isSafeInteger(value) ? `{p${position}:Int64}` : `{p${position}:Float64}`;
  },
  isSame: isNotDistinct,
  // Text is converted to the type of the column.
  isIn: (column, values) =>
    sql`${column} IN (${joinSql(
      values.map((value) => bind(String(value))),
      ", ",
    )})`,
  matches: (text, pattern) => sql`${text} ILIKE ${pattern}`,
  isAlways: (condition) => sql`min(${condition})`,
  countDistinct: (values, where) => sql`toInt64(uniqExact(${joinSql(values.map(where), ", ")}))`,
  approximateDistinct: (expression) => sql`toInt64(uniq(${expression}))`,
  aggregate(type, value, over) {
    if (type === "sum") return sumOf(value, over);
    // An unsigned integer has no type in common with other numbers.
    if (type === "count") return sql`toInt64(count(${value})${over})`;
    if (type !== "avg") return sql`${raw(type)}(${value})${over}`;
    return sql`(toFloat64(${sumOf(value, over)}) / count(${value})${over})`;
  },
  // A join needs an equality of both sides that is no constant.
  isTime: (time, other) => sql`toYear(${time}) * 0 = toYear(${other}) * 0`,
  timesTable(alias, columns, rows) {
    const list = columns.map(
      (name, at) => sql`${cast(raw(`r.${at + 1}`), "time")} AS ${quote(name)}`,
    );
    return sql`(SELECT ${joinSql(list, ", ")} FROM (SELECT arrayJoin(${timesArray(rows, columns.length)}) AS r)) AS ${alias}`;
  },
  toZone(column, timezone) {
    // A cast would make NULL of text that is no time.
    const time = sql`toDateTime64(${column}, 6, 'UTC')`;
    return timezone === "UTC" ? time : localTime(time, timezone);
  },
  // Of the offsets before and after, the lesser one holds for a time that the zone has twice or never.
  fromZone(local, timezone) {
    if (timezone === "UTC") return local;
    const near = (hours: number) =>
      offset(sql`(t + toIntervalHour(${raw(String(hours))}))`, timezone);
    const both = sql`(${near(-24)}, ${near(24)})`;
    const [least, greatest] = [raw("least(o.1, o.2)"), raw("greatest(o.1, o.2)")];
    const before = (seconds: Sql) => sql`(t - toIntervalSecond(${seconds}))`;
    const holds = (seconds: Sql) => sql`${offset(before(seconds), timezone)} = ${seconds}`;
    const chosen = sql`if(NOT ${holds(least)} AND ${holds(greatest)}, ${greatest}, ${least})`;
    return sql`arrayMap((t, o) -> ${before(chosen)}, [${local}], arrayMap(t -> ${both}, [${local}]))[1]`;
  },
  addUnits: (time, count, unit) => sql`(${time} + INTERVAL ${raw(`${count} ${unit}`)})`,
  truncate: (time, unit) => cast(sql`date_trunc('${raw(unit)}', ${time})`, "time"),
  bucketSeconds(time, seconds, origin) {
    const start = cast(bind(origin), "time");
    // A large number is unsigned, and would make the other one so too.
    const length = raw(`toInt64(${seconds * 1_000_000})`);
    const passed = sql`dateDiff('microsecond', ${start}, ${time})`;
    return sql`(${time} - toIntervalMicrosecond(positiveModulo(${passed}, ${length})))`;
  },
  bucketMonths(time, count, origin) {
    const date = new Date(origin);
    const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    const rest = raw(`toIntervalMillisecond(${origin - start})`);
    const first = raw(String(date.getUTCFullYear() * 12 + date.getUTCMonth()));
    const shifted = sql`(${time} - ${rest})`;
    const month = sql`(toYear(${shifted}) * 12 + toMonth(${shifted}) - 1 - ${first})`;
    const passed = sql`(${month} - positiveModulo(${month}, ${raw(String(count))}))`;
    return sql`(${cast(bind(printTime(start)), "time")} + toIntervalMonth(${passed}) + ${rest})`;
  },
  // No condition is moved into a subquery with a limit.
  fence,
  joinFence: fence,
};
