// Statements in SQL and the queries that they become, with what is refused and where.
import { describe, expect, test } from "vitest";
import { isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { anyone, validModel } from "../../test/support/query-database.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import { normalizeQueries } from "../query/normalize.ts";
import { planQuery } from "../query/query-to-sql.ts";
import { requireComplete, requireJoined, sqlToQuery } from "./statement-to-query.ts";

const model = validModel(`
cubes:
  - name: orders
    sql_table: orders
    joins:
      - { name: Users, relationship: many_to_one, sql: "{CUBE}.user_id = {Users.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - { name: amount, sql: amount, type: number }
      - { name: paid, sql: paid, type: boolean }
      - { name: created_at, sql: created_at, type: time }
      - { name: secret, sql: secret, type: string, public: false }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: amount }
      - { name: mean, type: avg, sql: amount }
      - { name: share, type: number, sql: "1.0 * {total} / NULLIF({count}, 0)" }
      - { name: running, type: sum, sql: amount, rolling_window: { trailing: unbounded } }
    segments:
      - { name: completed, sql: "{status} = 'completed'" }
  - name: Users
    sql_table: users
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: cityName, sql: city, type: string }
    measures: [{ name: count, type: count, sql: id }]
views:
  - name: overview
    cubes:
      - { join_path: orders, includes: [status, count] }
`);

function translate(text: string, timezone = "UTC") {
  return sqlToQuery(text, { model, caller: anyone, timezone, rowsMax: 50_000 });
}

/** Returns the message of a refusal. */
function refusal(text: string): string {
  try {
    translate(text);
  } catch (error) {
    if (isFailure(error, "invalid") || isFailure(error, "limit_reached")) return error.message;
    throw error;
  }
  throw new Error("the statement is accepted");
}

describe("translated statements", () => {
  test("can have comments and any text in quotes", () => {
    const { query } = translate(
      "-- it's a comment\nSELECT status FROM orders WHERE status = 'SELECT $1 -- CASE E''/*'",
    );
    expect(query).toMatchObject({ filters: [{ values: ["SELECT $1 -- CASE E'/*"] }] });
  });

  test("group by what GROUP BY names, and keep the columns of SELECT", () => {
    const { query, columns, isLimited } = translate(
      `SELECT date_trunc('MONTH', created_at) AS "Month", status, MEASURE(count), SUM(total) AS revenue
       FROM orders WHERE completed AND status <> 'open' AND amount > 12345678901234567.89
       GROUP BY 1, status, paid HAVING AVG(mean) >= 2 ORDER BY revenue DESC NULLS LAST, "Month" LIMIT 5 OFFSET 10`,
    );
    expect(query).toEqual({
      measures: ["orders.count", "orders.total"],
      dimensions: ["orders.status", "orders.paid"],
      segments: ["orders.completed"],
      timeDimensions: [{ dimension: "orders.created_at", granularity: "month" }],
      filters: [
        { member: "orders.status", operator: "notEquals", values: ["open", null] },
        { member: "orders.amount", operator: "gt", values: ["12345678901234567.89"] },
        { member: "orders.mean", operator: "gte", values: ["2"] },
      ],
      order: [
        ["orders.total", "desc"],
        ["orders.created_at.month", "asc"],
      ],
      limit: 5,
      offset: 10,
      timezone: "UTC",
    });
    expect(columns).toEqual([
      { name: "Month", key: "orders.created_at.month", type: "Timestamp" },
      { name: "status", key: "orders.status", type: "String" },
      { name: "measure", key: "orders.count", type: "Int64" },
      { name: "revenue", key: "orders.total", type: "Double" },
    ]);
    expect(isLimited).toBe(true);
  });

  test("take names in any case, and join cubes", () => {
    const { query } = translate(
      `SELECT u.cityName, COUNT(o.count) FROM Orders o LEFT JOIN users u ON u.__cubeJoinField = o.__cubeJoinField GROUP BY cityname`,
    );
    expect(query).toMatchObject({
      dimensions: ["Users.cityName"],
      measures: ["orders.count"],
      joinHints: [["orders", "Users"]],
      limit: 50_000,
    });
    const crossed = translate(`SELECT "cityName", status FROM orders CROSS JOIN "Users"`).query;
    expect(crossed).toMatchObject({
      ungrouped: true,
      dimensions: ["Users.cityName", "orders.status"],
    });
    expect(crossed).not.toHaveProperty("joinHints");
  });

  test("select every visible dimension with *", () => {
    const { columns } = translate("SELECT * FROM overview");
    expect(columns.map(({ name }) => name)).toEqual(["status"]);
    const names = translate("SELECT * FROM orders").columns.map(({ name }) => name);
    expect(names).not.toContain("secret");
    expect(names).not.toContain("id");
    expect(names).toContain("created_at");
  });

  test("turn half-open conditions on a time into its date range", () => {
    const where = "created_at >= '2026-01-01' AND created_at < DATE '2026-02-01'";
    expect(
      translate(
        `SELECT date_trunc('day', created_at), MEASURE(running) FROM orders WHERE ${where} GROUP BY 1`,
      ).query,
    ).toMatchObject({
      timeDimensions: [
        {
          dimension: "orders.created_at",
          granularity: "day",
          dateRange: ["2026-01-01T00:00:00.000", "2026-01-31T23:59:59.999"],
        },
      ],
      filters: [],
    });
    // The same text in another type, one that is part of OR, and an end that is shown twice by clocks stay filters.
    const kept = (condition: string, zone?: string) =>
      translate(`SELECT MEASURE(count) FROM orders WHERE ${condition}`, zone).query[
        "timeDimensions"
      ];
    expect(kept("status >= '2026-01-01' AND status < '2026-02-01'")).toEqual([]);
    expect(kept(`(${where}) OR paid`)).toEqual([]);
    expect(kept("created_at >= '2026-01-01' AND created_at < '2026-02-01 00:00:00.500'")).toEqual(
      [],
    );
    const folded = "created_at >= '2026-01-01' AND created_at < '2026-10-25 02:30:00'";
    expect(kept(folded)).toHaveLength(1);
    expect(kept(folded, "Europe/Berlin")).toEqual([]);
  });
});

test("a join in another direction than that of the data model is refused", () => {
  const joined = (text: string) => {
    const translated = translate(text);
    const now = new Date("2026-03-18T10:30:00Z");
    const [query] = normalizeQueries(translated.query, now);
    if (query === undefined) throw new Error("no query");
    const input = { model, caller: anyone, dialect: duckdb, clock: { now, timezone: "UTC" } };
    const { tree } = planQuery({ ...query, allowsEqualRows: true }, input);
    requireJoined(translated, tree);
  };
  const on = "ON o.__cubeJoinField = u.__cubeJoinField";
  joined(`SELECT status, "cityName" FROM orders o LEFT JOIN Users u ${on}`);
  joined(`SELECT status, "cityName" FROM Users u CROSS JOIN orders o`);
  const backward = `SELECT status, "cityName" FROM Users u LEFT JOIN orders o ${on}`;
  expect(() => joined(backward)).toThrow("does not join Users to orders in this direction");
});

describe("refused statements", () => {
  test.each([
    ["", "the SQL is empty"],
    ["SELECT", "write SELECT columns FROM a cube or view"],
    [
      "SELECT status\nFROM orders WHERE status == 'x'",
      "the SQL has a syntax error in line 2, column 27",
    ],
    [
      "SELECT status FROM orders; SELECT 1",
      "write one SELECT, without WITH, UNION and subqueries (line 1, column 28)",
    ],
    [
      "DELETE FROM orders",
      "write one SELECT, without WITH, UNION and subqueries (line 1, column 1)",
    ],
    ["WITH x AS (SELECT 1) SELECT * FROM x", "write one SELECT, without WITH"],
    ["SELECT 1", "write SELECT columns FROM a cube or view"],
    ["SELECT 1 FROM orders", "the expression is not supported"],
    ["SELECT constructor(count) FROM orders", "the expression is not supported"],
    ["SELECT __proto__ FROM constructor", "there is no cube or view constructor"],
    [
      "SELECT status FROM (SELECT * FROM orders) x",
      "FROM takes cubes and views, not subqueries or functions; write the SELECT on the cube or view itself, with WHERE, GROUP BY and HAVING (line 1, column 20)",
    ],
    ["SELECT status FROM order", "syntax error"],
    [
      "SELECT status FROM ordrs",
      "there is no cube or view ordrs. Did you mean orders? (line 1, column 20)",
    ],
    ["SELECT state FROM orders", "'state' not found for path 'orders.state'"],
    ["SELECT o.status FROM orders", "FROM has no o"],
    ["SELECT status FROM public.orders", "cubes and views have no schema"],
    [
      "SELECT count FROM orders CROSS JOIN Users",
      "the name is ambiguous: orders.count and users.count",
    ],
    ["SELECT status FROM orders CROSS JOIN Users", "the query uses no member of Users"],
    ['SELECT status, "cityName" FROM orders, Users', "write CROSS JOIN, or LEFT JOIN"],
    [
      "SELECT status FROM orders o JOIN Users u ON o.__cubeJoinField = u.__cubeJoinField",
      "write CROSS JOIN",
    ],
    [
      "SELECT status FROM orders o LEFT JOIN Users u ON o.user_id = u.id",
      "the data model defines the conditions",
    ],
    ["SELECT o.status FROM orders o CROSS JOIN overview v", "a view has its joins already"],
    [
      "SELECT status, MEASURE(count) FROM orders",
      "Projection references non-aggregate values: add status to GROUP BY as it is in SELECT (line 1, column 8)",
    ],
    [
      "SELECT status, count FROM orders GROUP BY 1",
      "Projection references non-aggregate values: write MEASURE(count) (line 1, column 16)",
    ],
    [
      "SELECT date_trunc('day', created_at), MEASURE(count) FROM orders GROUP BY created_at",
      "add created_at",
    ],
    [
      "SELECT SUM(mean) FROM orders",
      "Measure aggregation type doesn't match: orders.mean is of type avg",
    ],
    [
      "SELECT SUM(amount) FROM orders",
      "orders.amount is a dimension; functions aggregate measures",
    ],
    [
      "SELECT status FROM orders WHERE status IN (SELECT status FROM orders)",
      "write one SELECT, without WITH, UNION and subqueries (line 1, column 44)",
    ],
    ["SELECT status FROM orders UNION SELECT status FROM orders", "write one SELECT, without WITH"],
    ["SELECT status FROM generate_series(1, 2)", "not subqueries or functions"],
    ["SELECT SUM(total) FILTER (WHERE paid) FROM orders", "functions take no FILTER"],
    ["SELECT SUM(total) OVER () FROM orders", "functions take no FILTER, OVER"],
    ["SELECT date_trunc(DISTINCT 'day', created_at) FROM orders", "date_trunc takes a unit"],
    ["SELECT amount + 1 FROM orders", "the sign + is not supported (line 1, column 15)"],
    ["SELECT status FROM orders WHERE amount = 5 = paid", "syntax error in line 1, column 44"],
    ["SELECT status FROM orders WHERE status = 'x", "text in single quotes has no end"],
    ["SELECT status x y FROM orders", "syntax error in line 1, column 17"],
    ["SELECT COUNT(*) FROM overview", "count(*) needs a single cube"],
    ["SELECT COUNT(*) FROM Users", "count(*) needs a single cube with a visible measure"],
    ["SELECT completed FROM orders", "orders.completed is a segment"],
    ["SELECT status FROM orders WHERE completed OR paid", "which only AND can join"],
    ["SELECT status FROM orders WHERE NOT completed", "which only AND can join"],
    ["SELECT status FROM orders WHERE count > 5", "write HAVING MEASURE(count)"],
    [
      "SELECT MEASURE(count) FROM orders GROUP BY status HAVING status = 'x'",
      "the condition is not supported",
    ],
    ["SELECT status FROM orders WHERE status = NULL", "NULL equals nothing, so use IS NULL"],
    ["SELECT status FROM orders WHERE status NOT IN ('x', NULL)", "NULL equals nothing"],
    ["SELECT status FROM orders WHERE status = 5", "with text in single quotes only"],
    ["SELECT status FROM orders WHERE amount = '5'", "with a number such as 10.5 only"],
    ["SELECT status FROM orders WHERE amount = amount", "with a number such as 10.5 only"],
    ["SELECT status FROM orders WHERE created_at > '2026-01-01T10:00:00Z'", "with a time such as"],
    [
      "SELECT status FROM orders WHERE created_at > '2026-01-01 10:00:00.123456'",
      "with a time such as",
    ],
    [
      "SELECT status FROM orders WHERE created_at > '2026-01-01 10:00'::date",
      "with a time such as",
    ],
    [
      "SELECT status FROM orders WHERE created_at >= '2026-02-30' AND created_at < '2026-03-01'",
      "Can't parse date",
    ],
    ["SELECT status FROM orders WHERE created_at > now()", "with a time such as"],
    [
      "SELECT status FROM orders WHERE date_trunc('day', created_at) = '2026-01-01'",
      "the condition is not supported",
    ],
    ["SELECT status FROM orders WHERE status LIKE 'comp%'", "patterns ignore case; write ILIKE"],
    [
      "SELECT status FROM orders WHERE status ILIKE 'a_b'",
      "a pattern has text, and % at its start",
    ],
    ["SELECT status FROM orders WHERE status ILIKE 'abc'", "write ILIKE with %, or ="],
    ["SELECT status FROM orders WHERE status ILIKE 'abc\\'", "a pattern has text"],
    ["SELECT status FROM orders WHERE amount LIKE '5%'", "orders.amount is a number"],
    ["SELECT status FROM orders WHERE amount IS TRUE", "orders.amount is not a boolean"],
    ["SELECT status FROM orders WHERE 1 = 1", "the condition is not supported"],
    ["SELECT status FROM orders ORDER BY amount", "ORDER BY takes columns of the result"],
    ["SELECT status FROM orders ORDER BY 2", "SELECT has no column 2"],
    ["SELECT status FROM orders ORDER BY 1 NULLS FIRST", "NULL comes last"],
    ["SELECT status AS a, paid AS a FROM orders ORDER BY a", "SELECT has several columns a"],
    [
      "SELECT MEASURE(count) FROM orders GROUP BY 1",
      "orders.count is a measure, and GROUP BY takes dimensions",
    ],
    ["SELECT status FROM orders LIMIT 1.5", "LIMIT and OFFSET take whole numbers"],
    ["SELECT DISTINCT ON (status) paid FROM orders", "DISTINCT ON is not supported"],
    ["SELECT DISTINCT status FROM orders GROUP BY 1", "DISTINCT with GROUP BY is not supported"],
    ["SELECT status FROM orders FOR UPDATE", "FOR UPDATE is not supported"],
    [
      "SELECT date_trunc('day', status) FROM orders",
      "orders.status is not a dimension of type time",
    ],
    ["SELECT CASE WHEN paid THEN 1 END FROM orders", "CASE is not supported (line 1, column 8)"],
    ["SELECT status FROM orders WHERE amount = $1", "parameters are not supported"],
  ])("%s", (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  test("what has no end, or more parts than a statement may have", () => {
    const nested = `${"(".repeat(60)}paid${")".repeat(60)}`;
    expect(refusal(`SELECT status FROM orders WHERE ${nested}`)).toContain("nested parentheses");
    const hidden = `-- '\n${"(".repeat(60)}paid${")".repeat(60)} -- '`;
    expect(refusal(`SELECT status FROM orders WHERE ${hidden}`)).toContain("nested parentheses");
    expect(refusal(`SELECT a${"[ OVER ".repeat(90)}`)).toContain("the sign [ is not supported");
    const spaces = " ".repeat(500);
    expect(refusal(`SELECT $$${spaces}`)).toContain("parameters are not supported");
    expect(refusal(`SELECT --'\n$$${spaces}`)).toContain("parameters are not supported");
    expect(refusal(`SELECT E'${"\\ ".repeat(500)}`)).toContain("text with escapes");
    expect(refusal(`SELECT /* ' */ $$${spaces}`)).toContain("comments in /* */");
    expect(refusal(`SELECT ${"*, ".repeat(900)}status FROM orders`)).toContain("1000 columns");
    const list = Array(limits.sqlTokens).fill("1").join();
    const many = refusal(`SELECT status FROM orders WHERE amount IN (${list})`);
    expect(many).toContain("words, values and signs");
    expect(refusal(`SELECT '${"x".repeat(limits.sqlTextLength)}'`)).toContain("characters");
  });

  test("a result that may be incomplete", () => {
    const whole = translate("SELECT status FROM orders");
    expect(() => requireComplete(whole, 50_000, 50_000)).toThrow("50000 rows or more");
    expect(() => requireComplete(whole, 49_999, 50_000)).not.toThrow();
    const page = translate("SELECT status FROM orders LIMIT 50000");
    expect(() => requireComplete(page, 50_000, 50_000)).not.toThrow();
  });
});

describe("a hostile statement takes little more time than a plain one of its size", () => {
  const { sqlNesting: depth } = limits;
  const parentheses = `${"(".repeat(depth)}paid${")".repeat(depth)}`;
  const calls = `${"f(".repeat(depth)}status${")".repeat(depth)}`;
  const select = "SELECT status FROM orders WHERE";

  /** Repeats a part until the statement has as many tokens as it may have. */
  function filled(start: string, part: string, end: string): string {
    const tokens = (text: string) => text.match(/'[^']*'|\w+|::|[^\s\w]/g)?.length ?? 0;
    const left = limits.sqlTokens - tokens(start) - tokens(end);
    return `${start}${part.repeat(Math.floor(left / tokens(part)))}${end}`;
  }

  /** Returns the shortest time of some runs in milliseconds. */
  function timeOf(text: string): number {
    const times = Array.from({ length: 7 }, () => {
      const start = performance.now();
      try {
        translate(text);
      } catch (error) {
        if (!isFailure(error, "invalid")) throw error;
      }
      return performance.now() - start;
    });
    return Math.min(...times);
  }

  const plain = filled("SELECT status", ", status", " FROM orders");
  test.each([
    ["nested parentheses", filled(select, ` ${parentheses} OR`, " paid")],
    ["open parentheses", filled(select, " (", "")],
    ["a chain of OR", filled(select, " paid OR", " paid")],
    ["alternating OR and AND", filled(select, " amount = 1 OR paid AND", " paid")],
    ["a chain of NOT", filled(select, " NOT", " paid")],
    ["casts of a value", filled(`${select} created_at = '2026-01-01'`, "::date", "")],
    ["casts of values", filled(select, " created_at = '2026-01-01'::date OR", " paid")],
    ["ranges", filled(select, " amount BETWEEN 1 AND 2 AND", " paid")],
    ["nested functions", filled("SELECT ", `${calls}, `, "status FROM orders")],
    ["stars", filled("SELECT *", ", *", " FROM orders")],
    ["groups", filled("SELECT MEASURE(count) FROM orders GROUP BY 1", ", status", "")],
    ["joins", filled("SELECT status FROM orders", " CROSS JOIN Users", "")],
    ["texts", filled("SELECT", " ''", "")],
    ["quotes", `SELECT ${"'".repeat(limits.sqlTextLength - 8)}`],
    ["spaces", `SELECT${" ".repeat(limits.sqlTextLength - 7)}`],
  ])("%s", (_, text) => {
    expect(text.length).toBeGreaterThan(limits.sqlTokens / 2);
    expect(timeOf(text)).toBeLessThan(20 * timeOf(plain));
  });
});
