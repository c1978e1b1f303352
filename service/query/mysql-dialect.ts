// The SQL of queries on MariaDB 10.6 and later, and on MySQL 8.0.17 and later.
import { cast as castTo, type Dialect, type ValueType } from "./dialect.ts";
import { printTime } from "./local-time.ts";
import { bind, joinSql, raw, type Sql, sql } from "./sql-fragments.ts";

const types = {
  text: "CHAR",
  double: "DOUBLE",
  integer: "SIGNED",
  wholeNumber: "DECIMAL(38,0)",
  boolean: "SIGNED",
  time: "DATETIME(6)",
} as const satisfies Record<ValueType, string>;

const cast = (value: Sql, type: ValueType): Sql => castTo(value, type, { types });

/** The start of a unit in the format of a time; of other units, in that of their year or day. */
const formats = {
  second: "%Y-%m-%d %H:%i:%s",
  minute: "%Y-%m-%d %H:%i:00",
  hour: "%Y-%m-%d %H:00:00",
  day: "%Y-%m-%d",
  month: "%Y-%m-01",
  year: "%Y-01-01",
} as const;

const startOf = (time: Sql, unit: keyof typeof formats): Sql =>
  cast(sql`DATE_FORMAT(${time}, '${raw(formats[unit])}')`, "time");

/**
 * Converts a time between zones. CONVERT_TZ returns NULL without the zones in the tables of the server, and a time that
 * TIMESTAMP cannot hold unchanged: a warning, which fails the query, says so.
 */
function convert(time: Sql, [from, to]: readonly [string, string]): Sql {
  const at = cast(time, "time");
  const known = sql`CASE WHEN ${at} BETWEEN '1970-01-02' AND '2038-01-17' THEN ${at} END`;
  const zone = from === "+00:00" ? to : from;
  const early = `the server has ${zone} from 1970 to 2037, not at `;
  const absent = `the server has no time zone ${zone}: load it with mariadb-tzinfo-to-sql, for `;
  const text = sql`CASE WHEN ${known} IS NULL THEN ${bind(early)} ELSE ${bind(absent)} END`;
  const problem = sql`CASE WHEN ${at} IS NOT NULL THEN CAST(CONCAT(${text}, ${at}) AS DATETIME(6)) END`;
  return sql`COALESCE(CONVERT_TZ(${known}, ${bind(from)}, ${bind(to)}), ${problem})`;
}

const countDistinct: Dialect["countDistinct"] = (values, where) => {
  // Text of a column can be equal in its collation and differ in its bytes.
  const both = values.flatMap((value) => [where(value), where(sql`CAST(${value} AS BINARY)`)]);
  return sql`count(DISTINCT ${joinSql(both, ", ")})`;
};

/** MariaDB and MySQL. */
export const mysql: Dialect = {
  name: "mysql",
  types,
  isTextLoose: true,
  isTextOpaque: false,
  hasSnapshots: true,
  looksUpKeys: false,
  ordersByName: true,
  placeholder: () => "?",
  isSame: (left, right) => sql`${left} <=> ${right}`,
  // A number that is compared with text would be equal to much more. The first condition lets it use an index.
  isIn(column, values) {
    const texts = values.map((value) =>
      bind(String(typeof value === "boolean" ? Number(value) : value)),
    );
    const list = texts.map((text) => cast(text, "text"));
    return sql`${column} IN (${joinSql(texts, ", ")}) AND ${cast(column, "text")} IN (${joinSql(list, ", ")})`;
  },
  matches: (text, pattern) => sql`LOWER(${text}) LIKE LOWER(${pattern}) ESCAPE '\\'`,
  isAlways: (condition) => sql`min(${condition})`,
  countDistinct,
  // Exact, because there is no built-in approximation.
  approximateDistinct: (expression) => countDistinct([expression], (value) => value),
  aggregate: (type, value, over) => sql`${raw(type)}(${value})${over}`,
  // What a table of groups cannot hold becomes its largest number: 65 digits 9, or that of a double.
  requireExact(aggregate) {
    const isDouble = sql`ABS(${aggregate}) >= 1.7976931348623157e308`;
    const isDecimal = sql`CAST(${aggregate} AS CHAR) REGEXP '^-?(9[.]?){65}$'`;
    const problem = raw("CAST('a sum or an average has too many digits' AS SIGNED)");
    return sql`(CASE WHEN ABS(${aggregate}) >= 1e26 AND (${isDouble} OR ${isDecimal}) THEN ${problem} ELSE ${aggregate} END)`;
  },
  isTime: (time) => sql`${time} IS NOT NULL`,
  timesTable(alias, columns, rows) {
    const list = columns.map((name, at) => `"${name}" DATETIME(6) PATH '$[${at}]'`).join(", ");
    return sql`JSON_TABLE(${bind(JSON.stringify(rows))}, '$[*]' COLUMNS (${raw(list)})) AS ${alias}`;
  },
  nullsLast: (term, direction) =>
    direction === "DESC" ? sql`${term} DESC` : sql`${term} IS NULL, ${term}`,
  toZone: (column, timezone) =>
    timezone === "UTC" ? cast(column, "time") : convert(column, ["+00:00", timezone]),
  fromZone: (local, timezone) =>
    timezone === "UTC" ? local : convert(local, [timezone, "+00:00"]),
  addUnits: (time, count, unit) => sql`(${time} + INTERVAL ${raw(`${count} ${unit}`)})`,
  truncate(time, unit) {
    if (unit === "week") return sql`(${startOf(time, "day")} - INTERVAL WEEKDAY(${time}) DAY)`;
    if (unit !== "quarter") return startOf(time, unit);
    return sql`(${startOf(time, "year")} + INTERVAL QUARTER(${time}) - 1 QUARTER)`;
  },
  bucketSeconds(time, seconds, origin) {
    const start = cast(bind(origin), "time");
    const passed = sql`TIMESTAMPDIFF(MICROSECOND, ${start}, ${time})`;
    const length = raw(String(seconds));
    return sql`(${start} + INTERVAL FLOOR(${passed} / (${length} * 1000000)) * ${length} SECOND)`;
  },
  bucketMonths(time, count, origin) {
    const date = new Date(origin);
    const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    const rest = raw(`INTERVAL ${((origin - start) / 1000).toFixed(3)} SECOND`);
    const first = raw(String(date.getUTCFullYear() * 12 + date.getUTCMonth()));
    const shifted = sql`(${time} - ${rest})`;
    const month = sql`(YEAR(${shifted}) * 12 + MONTH(${shifted}) - 1 - ${first})`;
    const length = raw(String(count));
    return sql`(${cast(bind(printTime(start)), "time")} + INTERVAL FLOOR(${month} / ${length}) * ${length} MONTH + ${rest})`;
  },
  // No condition is moved into a subquery with a limit, and no expression out of it.
  fence: raw(" LIMIT 18446744073709551615"),
};
