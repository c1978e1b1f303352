// Planned queries on DuckDB: the numbers that they return, and what they refuse.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  answer,
  openDuckDb,
  plan,
  type ResultRow,
  type TestDatabase,
  validModel,
} from "../../test/support/duckdb.ts";
import type { JsonObject } from "../../core/json.ts";
import { normalizeQueries } from "./normalize.ts";

const model = validModel(`
cubes:
  - name: customers
    sql_table: customers
    joins:
      - { name: orders, relationship: one_to_many, sql: "{CUBE}.id = {orders.customer_id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: city, sql: city, type: string }
      - { name: order_count, sql: "{orders.count}", type: number, sub_query: true }
    measures:
      - { name: count, type: count }
      - { name: credit, type: sum, sql: credit }
      - { name: average_orders, type: avg, sql: "{order_count}" }
  - name: orders
    sql: "SELECT * FROM orders WHERE {FILTER_PARAMS.orders.created_at.filter('created_at')} -- all orders"
    joins:
      - { name: items, relationship: one_to_many, sql: "{CUBE}.id = {items}.order_id" }
      - { name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: customer_id, sql: customer_id, type: number }
      - { name: status, sql: status, type: string, mask: "hidden" }
      - name: size
        type: string
        case: { when: [{ sql: "{CUBE}.amount >= 50", label: large }], else: { label: small } }
      - name: created_at
        sql: created_at
        type: time
        granularities:
          - { name: fiscal_year, interval: 1 year, offset: 1 month }
          - { name: two_days, interval: 2 days, origin: "2026-01-01" }
    measures:
      - { name: count, type: count }
      - { name: revenue, type: sum, sql: amount }
      - { name: paid, type: sum, sql: amount, filters: [{ sql: "{status} = 'paid'" }] }
      - { name: cities, type: count_distinct, sql: "{customers.city}" }
      - { name: share, type: number, sql: "1.0 * {paid} / NULLIF({revenue}, 0)" }
      - { name: per_customer, type: number, sql: "1.0 * {revenue} / NULLIF({customers.count}, 0)" }
      - { name: last_two_days, type: sum, sql: amount, rolling_window: { trailing: 2 day } }
      - { name: so_far, type: sum, sql: amount, rolling_window: { trailing: unbounded } }
    segments:
      - { name: large, sql: "{size} = 'large'" }
  - name: items
    sql_table: items
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: product, sql: product, type: string }
    measures:
      - { name: quantity, type: sum, sql: quantity }
  - name: notes
    sql_table: notes
    dimensions:
      - { name: text, sql: text, type: string, public: false }
    measures:
      - { name: count, type: count }
views:
  - name: sales
    cubes:
      - { join_path: orders, includes: [count, revenue, created_at, status] }
      - { join_path: orders.customers, includes: [{ name: city, alias: town }] }
`);

const data = [
  "CREATE TABLE customers AS SELECT * FROM (VALUES (1, 'Berlin', 10), (2, 'Paris', 20), (3, NULL, 30)) AS t(id, city, credit)",
  `CREATE TABLE orders AS SELECT id, customer_id, amount, status, CAST(placed AS TIMESTAMP) AS created_at FROM (VALUES
    (1, 1, 10, 'paid', '2026-01-01 23:30:00'), (2, 1, 20, 'open', '2026-01-02 12:00:00'),
    (3, 2, 70, 'paid', '2026-01-04 00:30:00'), (4, NULL, 100, NULL, '2026-02-28 00:00:00')) AS t(id, customer_id, amount, status, placed)`,
  "CREATE TABLE items AS SELECT * FROM (VALUES (1, 1, 'tea', 2), (2, 1, 'cup', 3), (3, 3, 'tea', 5)) AS t(id, order_id, product, quantity)",
  "CREATE TABLE notes AS SELECT 'x' AS text",
];

let database: TestDatabase;
beforeAll(async () => {
  database = await openDuckDb(data);
});
afterAll(() => database.close());

function ask(query: JsonObject): Promise<readonly ResultRow[]> {
  return answer(database, plan(model, query));
}

describe("numbers", () => {
  test("a group-by over a join keeps rows without a partner", async () => {
    expect(
      await ask({
        measures: ["orders.revenue"],
        dimensions: ["customers.city"],
        order: { "customers.city": "asc" },
      }),
    ).toEqual([
      { "customers.city": "Berlin", "orders.revenue": 30 },
      { "customers.city": "Paris", "orders.revenue": 70 },
      { "customers.city": null, "orders.revenue": 100 },
    ]);
  });

  test("measures of both sides of a join that repeats rows are computed by keys", async () => {
    expect(
      await ask({
        measures: ["customers.credit", "customers.count", "orders.revenue", "items.quantity"],
      }),
    ).toEqual([
      {
        "customers.credit": 60,
        "customers.count": 3,
        "orders.revenue": 100,
        "items.quantity": 10,
      },
    ]);
  });

  test("ratios are computed after the join of their parts", async () => {
    expect(
      await ask({
        measures: ["orders.share", "orders.per_customer"],
        dimensions: ["customers.city"],
        filters: [{ member: "customers.city", operator: "set" }],
        order: [["customers.city", "asc"]],
      }),
    ).toEqual([
      { "customers.city": "Berlin", "orders.share": 10 / 30, "orders.per_customer": 30 },
      { "customers.city": "Paris", "orders.share": 1, "orders.per_customer": 70 },
    ]);
  });

  test("dimensions with sub_query group and aggregate", async () => {
    expect(
      await ask({
        measures: ["customers.count"],
        dimensions: ["customers.order_count"],
        order: [["customers.order_count", "asc"]],
      }),
    ).toEqual([
      { "customers.order_count": 0, "customers.count": 1 },
      { "customers.order_count": 1, "customers.count": 1 },
      { "customers.order_count": 2, "customers.count": 1 },
    ]);
    expect(await ask({ measures: ["customers.average_orders"] })).toEqual([
      { "customers.average_orders": 1 },
    ]);
  });

  test("running measures have a value for every interval of the range", async () => {
    const rows = await ask({
      measures: ["orders.revenue", "orders.last_two_days", "orders.so_far"],
      timeDimensions: [
        {
          dimension: "orders.created_at",
          granularity: "day",
          dateRange: ["2026-01-02", "2026-01-04"],
        },
      ],
    });
    expect(
      rows.map((row) => [
        row["orders.created_at.day"],
        row["orders.revenue"],
        row["orders.last_two_days"],
        row["orders.so_far"],
      ]),
    ).toEqual([
      ["2026-01-02 00:00:00", 20, 30, 30],
      ["2026-01-03 00:00:00", null, 20, 30],
      ["2026-01-04 00:00:00", 70, 70, 100],
    ]);
  });

  test("ungrouped queries return rows", async () => {
    const query = {
      measures: ["orders.revenue", "orders.paid"],
      dimensions: ["orders.id"],
      ungrouped: true,
      order: [["orders.id", "asc"]],
      limit: 2,
      offset: 1,
    };
    expect(await ask(query)).toEqual([
      { "orders.id": 2, "orders.revenue": 20, "orders.paid": null },
      { "orders.id": 3, "orders.revenue": 70, "orders.paid": 70 },
    ]);
  });

  test("total counts the groups without limit and offset", async () => {
    const planned = plan(model, {
      measures: ["orders.count"],
      dimensions: ["orders.status"],
      limit: 1,
      total: true,
    });
    const { total = { text: "", values: [] } } = planned;
    expect(await answer(database, planned)).toHaveLength(1);
    expect(await database.run(total)).toEqual([["3"]]);
  });
});

describe("time", () => {
  test("granularities are truncated in the zone of the query", async () => {
    const days = async (timezone: string) => {
      const rows = await ask({
        measures: ["orders.count"],
        timeDimensions: [{ dimension: "orders.created_at", granularity: "day" }],
        timezone,
      });
      return rows.map((row) => String(row["orders.created_at.day"]).slice(0, 10));
    };
    expect(await days("UTC")).toEqual(["2026-01-01", "2026-01-02", "2026-01-04", "2026-02-28"]);
    expect(await days("Europe/Berlin")).toEqual(["2026-01-02", "2026-01-04", "2026-02-28"]);
    expect(await days("America/New_York")).toEqual([
      "2026-01-01",
      "2026-01-02",
      "2026-01-03",
      "2026-02-27",
    ]);
  });

  test("a date range has local bounds and includes its last day", async () => {
    const count = async (timezone: string, dateRange: string | readonly string[]) => {
      const timeDimensions = [{ dimension: "orders.created_at", dateRange }];
      const [row] = await ask({ measures: ["orders.count"], timeDimensions, timezone });
      return row?.["orders.count"];
    };
    expect(await count("UTC", ["2026-01-01", "2026-01-01"])).toBe(1);
    expect(await count("Europe/Berlin", ["2026-01-01", "2026-01-01"])).toBe(0);
    expect(await count("UTC", "from 80 days ago to now")).toBe(4);
    expect(await count("UTC", " last  month\t")).toBe(1);
    expect(await count("UTC", "from  2026-01-01 \n to 2026-01-04")).toBe(3);
    expect(await count("UTC", "this year")).toBe(4);
  });

  test.each([
    "2026-02-30",
    "2026-13-01",
    "0000-01-01",
    "next 999999 years",
    "last 3000 years",
    "2026-01-01T25:00",
  ])("%s is refused", (dateRange) => {
    const timeDimensions = [{ dimension: "orders.created_at", dateRange }];
    expect(() => plan(model, { measures: ["orders.count"], timeDimensions })).toThrow(
      "Can't parse date: ",
    );
    const filters = [{ member: "orders.created_at", operator: "equals", values: [dateRange] }];
    expect(() => plan(model, { measures: ["orders.count"], filters })).toThrow(
      "Can't parse date: ",
    );
  });

  test("the first and last years are read in every zone", async () => {
    for (const timezone of ["UTC", "Pacific/Kiritimati", "America/New_York"]) {
      const dateRange = ["0001-01-01", "9999-12-31"];
      const timeDimensions = [{ dimension: "orders.created_at", dateRange }];
      expect(await ask({ measures: ["orders.count"], timeDimensions, timezone })).toEqual([
        { "orders.count": 4 },
      ]);
    }
  });

  test("names of zones are canonical", () => {
    const query = { measures: ["orders.count"], timezone: "europe/berlin" };
    const [normalized] = normalizeQueries(query, new Date(0));
    expect(normalized?.timezone).toBe("Europe/Berlin");
    expect(() => plan(model, { ...query, timezone: "+02:00" })).toThrow("is not a time zone");
  });

  test("custom granularities start at their offset or origin", async () => {
    const starts = async (granularity: string) => {
      const timeDimensions = [{ dimension: "orders.created_at", granularity }];
      const rows = await ask({ timeDimensions });
      return rows.map((row) => String(row[`orders.created_at.${granularity}`]).slice(0, 10));
    };
    expect(await starts("fiscal_year")).toEqual(["2025-02-01", "2026-02-01"]);
    expect(await starts("two_days")).toEqual(["2026-01-01", "2026-01-03", "2026-02-28"]);
  });
});

describe("filters", () => {
  const ids = async (filter: JsonObject): Promise<readonly unknown[]> => {
    const rows = await ask({
      dimensions: ["orders.id"],
      filters: [filter],
      order: [["orders.id", "asc"]],
    });
    return rows.map((row) => row["orders.id"]);
  };

  test.each<[string, string, readonly (string | number | null)[] | undefined, readonly number[]]>([
    ["orders.status", "equals", ["paid"], [1, 3]],
    ["orders.status", "equals", [null], [4]],
    ["orders.status", "equals", ["open", null], [2, 4]],
    ["orders.status", "notEquals", ["paid"], [2, 4]],
    ["orders.status", "notEquals", ["paid", null], [2]],
    ["orders.status", "notIn", ["paid", "open"], [4]],
    ["orders.status", "contains", ["AI"], [1, 3]],
    ["orders.status", "contains", ["_a"], []],
    ["orders.status", "startsWith", ["op"], [2]],
    ["orders.status", "endsWith", ["n", null], [2, 4]],
    ["orders.status", "notContains", ["pa"], [2, 4]],
    ["orders.status", "notStartsWith", ["pa", null], [2]],
    ["orders.status", "set", undefined, [1, 2, 3]],
    ["orders.status", "notSet", undefined, [4]],
    ["orders.id", "gt", [2], [3, 4]],
    ["orders.id", "gte", [null, "2"], [2, 3, 4]],
    ["orders.id", "lt", ["1.5"], [1]],
    ["orders.id", "lte", [null], []],
    ["orders.size", "equals", ["small"], [1, 2]],
    ["orders.created_at", "inDateRange", ["2026-01-01", "2026-01-02"], [1, 2]],
    ["orders.created_at", "notInDateRange", ["2026-01-02", "2026-01-05"], [1, 4]],
    ["orders.created_at", "onTheDate", ["2026-01-02"], [2]],
    ["orders.created_at", "beforeDate", ["2026-01-02"], [1]],
    ["orders.created_at", "beforeOrOnDate", ["2026-01-02"], [1, 2]],
    ["orders.created_at", "afterDate", ["2026-01-02"], [3, 4]],
    ["orders.created_at", "afterOrOnDate", ["2026-01-02"], [2, 3, 4]],
  ])("%s %s %j", async (member, operator, values, expected) => {
    expect(await ids({ member, operator, ...(values && { values }) })).toEqual(expected);
  });

  test("groups nest, and measures filter groups", async () => {
    const large = { member: "orders.id", operator: "gt", values: [3] };
    const open = { member: "orders.status", operator: "equals", values: ["open"] };
    expect(await ids({ or: [large, { and: [open, { or: [] }] }] })).toEqual([2, 4]);
    expect(
      await ask({
        dimensions: ["orders.status"],
        filters: [{ member: "orders.revenue", operator: "gt", values: [90] }],
      }),
    ).toEqual([{ "orders.status": null }]);
  });

  test("segments and measureFilter restrict rows", async () => {
    expect(await ask({ measures: ["orders.count"], segments: ["orders.large"] })).toEqual([
      { "orders.count": 2 },
    ]);
    expect(await ids({ member: "orders.paid", operator: "measureFilter" })).toEqual([1, 3]);
  });

  test("values are bound, never text", async () => {
    const value = "'; DROP TABLE orders; --";
    const filter = { member: "orders.status", operator: "equals", values: [value] };
    const { statement } = plan(model, { dimensions: ["orders.id"], filters: [filter] });
    expect(statement.text).not.toContain("DROP");
    expect(statement.values).toContain(value);
    expect(await ids(filter)).toEqual([]);
  });
});

test("a view reads its members on its join path", async () => {
  expect(
    await ask({
      measures: ["sales.revenue"],
      dimensions: ["sales.town"],
      order: { "sales.revenue": "asc" },
    }),
  ).toEqual([
    { "sales.town": "Berlin", "sales.revenue": 30 },
    { "sales.town": "Paris", "sales.revenue": 70 },
    { "sales.town": null, "sales.revenue": 100 },
  ]);
});

describe("errors", () => {
  test.each<[string, JsonObject, string]>([
    ["an empty query", {}, "Query should contain either measures"],
    ["an unknown key", { measurez: [] }, "Invalid query format: "],
    ["an unknown member", { measures: ["orders.rev"] }, "'rev' not found for path 'orders.rev'"],
    [
      "an unknown cube",
      { measures: ["order.count"] },
      "'order' not found for path 'order.count'; did you mean orders?",
    ],
    [
      "another kind",
      { measures: ["orders.status"] },
      "orders.status is a dimension, not a measure",
    ],
    [
      "a filter without values",
      {
        measures: ["orders.count"],
        filters: [{ member: "orders.status", operator: "equals", values: [] }],
      },
      'Values required for filter: {"member":"orders.status"',
    ],
    [
      "a group of both kinds",
      {
        measures: ["orders.count"],
        filters: [
          {
            or: [
              { member: "orders.status", operator: "set" },
              { member: "orders.count", operator: "set" },
            ],
          },
        ],
      },
      "You cannot use dimension and measure in same condition: ",
    ],
    [
      "a date",
      {
        measures: ["orders.count"],
        timeDimensions: [{ dimension: "orders.created_at", dateRange: "someday" }],
      },
      "Can't parse date: 'someday'",
    ],
    [
      "many filters in groups",
      {
        measures: ["orders.count"],
        filters: Array.from({ length: 2 }, () => ({
          or: Array.from({ length: 500 }, () => ({ member: "orders.status", operator: "set" })),
        })),
      },
      "a query has more than 1000 filters and groups",
    ],
    [
      "a large order",
      {
        measures: ["orders.count"],
        order: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`a.b${at}`, "asc"])),
      },
      "at most 1000",
    ],
    [
      "many compared ranges",
      {
        measures: ["orders.count"],
        timeDimensions: [
          {
            dimension: "orders.created_at",
            compareDateRange: Array.from({ length: 21 }, () => "someday"),
          },
        ],
      },
      "a request has at most 20 queries",
    ],
    [
      "a long date",
      {
        measures: ["orders.count"],
        timeDimensions: [{ dimension: "orders.created_at", dateRange: `from${" ".repeat(9990)}x` }],
      },
      "has more than 200 characters",
    ],
    ["a zone", { measures: ["orders.count"], timezone: "Mars/Base" }, "is not a time zone"],
    ["a large limit", { measures: ["orders.count"], limit: 50_001 }, "The query limit has been"],
    [
      "cubes without a path",
      { measures: ["orders.count", "notes.count"] },
      "Can't find join path to join 'orders', 'notes'",
    ],
    [
      "a hidden member",
      { dimensions: ["notes.text"] },
      "You requested hidden member: 'notes.text'",
    ],
    [
      "missing keys",
      { dimensions: ["orders.status"], ungrouped: true },
      "Ungrouped query requires primary keys to be present in dimensions: 'orders.id'",
    ],
    [
      "a running measure without a range",
      {
        measures: ["orders.so_far"],
        timeDimensions: [{ dimension: "orders.created_at", granularity: "day" }],
      },
      "needs a dateRange of orders.created_at",
    ],
    [
      "a granularity",
      { timeDimensions: [{ dimension: "orders.created_at", granularity: "decade" }] },
      'Granularity "decade" does not exist in dimension orders.created_at',
    ],
  ])("%s", (_, query, message) => {
    expect(() => plan(model, query)).toThrow(message);
  });

  test("a cube that joins itself, or another one twice, is refused", () => {
    const staff = validModel(`
cubes:
  - name: people
    sql_table: people
    joins:
      - { name: people, alias: boss, relationship: many_to_one, sql: "{CUBE}.boss = {boss.id}" }
      - { name: towns, alias: home, relationship: many_to_one, sql: "{CUBE}.home = {home.id}" }
      - { name: towns, alias: office, relationship: many_to_one, sql: "{CUBE}.office = {office.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: boss_id, sql: "{boss.id}", type: number }
    measures: [{ name: count, type: count }]
  - name: towns
    sql_table: towns
    dimensions: [{ name: id, sql: id, type: number, primary_key: true, public: true }]
views:
  - name: bosses
    cubes:
      - { join_path: people, includes: [count] }
      - { join_path: people.boss, prefix: true, includes: [boss_id] }
`);
    expect(() => plan(staff, { dimensions: ["people.boss_id"] })).toThrow(
      "'people' joins itself, which queries do not support. Declare a second cube that extends 'people'",
    );
    expect(() => plan(staff, { dimensions: ["bosses.people_boss_id"] })).toThrow(
      "'people' joins itself",
    );
    expect(() => plan(staff, { measures: ["people.count"], dimensions: ["towns.id"] })).toThrow(
      "'people' has 2 joins to 'towns', which queries do not support",
    );
  });

  test("two equally short join paths are ambiguous", () => {
    const diamond = validModel(`
cubes:
  - name: a
    sql_table: a
    joins:
      - { name: b, relationship: many_to_one, sql: "{CUBE}.b = {b.id}" }
      - { name: c, relationship: many_to_one, sql: "{CUBE}.c = {c.id}" }
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]
    measures: [{ name: count, type: count }]
  - name: b
    sql_table: b
    joins: [{ name: d, relationship: many_to_one, sql: "{CUBE}.d = {d.id}" }]
    dimensions: [{ name: id, sql: id, type: number }]
  - name: c
    sql_table: c
    joins: [{ name: d, relationship: many_to_one, sql: "{CUBE}.d = {d.id}" }]
    dimensions: [{ name: id, sql: id, type: number }]
  - name: d
    sql_table: d
    dimensions: [{ name: id, sql: id, type: number }]
views:
  - name: by_c
    cubes:
      - { join_path: a, includes: [count] }
      - { join_path: a.c.d, includes: [id] }
`);
    expect(() => plan(diamond, { measures: ["a.count"], dimensions: ["d.id"] })).toThrow(
      "The join path from 'a' to 'd' is ambiguous: equally short paths lead over 'b' and 'c'",
    );
    const hinted = {
      measures: ["a.count"],
      dimensions: ["d.id"],
      joinHints: [
        ["a", "c"],
        ["c", "d"],
      ],
    };
    expect(plan(diamond, hinted).cubes).toEqual(["a", "c", "d"]);
    const { cubes } = plan(diamond, { measures: ["by_c.count"], dimensions: ["by_c.id"] });
    expect(cubes).toEqual(["a", "c", "d"]);
  });
});
