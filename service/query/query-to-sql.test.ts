// The results of planned queries on DuckDB.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import {
  answer,
  anyone,
  plan,
  testedDialect,
  validModel,
} from "../../test/support/query-database.ts";
import { onClickhouse, onMysql } from "../../test/support/test-database.ts";
import { ordersModel, useOrders } from "../../test/support/orders-model.ts";
import type { Dialect } from "./dialect.ts";
import { normalizeQueries } from "./normalize.ts";
import { planQuery } from "./query-to-sql.ts";

const { ask, database } = useOrders();

/** The same tables, with measures that have a value even without a row. */
const paddedModel = validModel(`
cubes:
  - name: buyers
    sql_table: customers
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: city, sql: city, type: string }
    measures:
      - { name: count, type: count }
      - { name: credit, type: sum, sql: credit }
      - { name: city_credit, multi_stage: true, type: sum, sql: "{credit}", add_group_by: [city] }
    joins:
      - { name: sales, relationship: one_to_many, sql: "{CUBE}.id = {sales}.customer_id" }
  - name: sales
    sql_table: orders
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
    measures:
      - { name: count, type: count }
      - { name: amount, type: sum, sql: "COALESCE({CUBE}.amount, 1)" }
    joins:
      - { name: buyers, relationship: many_to_one, sql: "{CUBE}.customer_id = {buyers.id}" }
  - name: moments
    sql_table: orders
    dimensions:
      - { name: created_at, sql: created_at, type: time }
    measures:
      - { name: last_day, type: sum, sql: "1", rolling_window: { trailing: 1 day } }
`);

test("an order by a member that is not selected has no effect", async () => {
  const dimensions = ["orders.id"];
  const order = [
    ["orders.status", "desc"],
    ["orders.id", "desc"],
  ];
  const rows = await ask({ dimensions, order });
  expect(rows).toEqual(await ask({ dimensions, order: order.slice(1) }));
  expect(rows.length).toBeGreaterThan(1);
});

test.skipIf(onMysql)(
  "groups that are equal in the order are in that of their other dimensions",
  () => {
    const terms = (query: Parameters<typeof plan>[1]) =>
      / ORDER BY (.*) LIMIT/
        .exec(plan(ordersModel, query).statement.text)?.[1]
        ?.replace('CAST("orders__status" AS TEXT) COLLATE "C"', "1")
        .replace('CAST("customers__city" AS TEXT) COLLATE "C"', "2");
    const dimensions = ["orders.status", "customers.city"];
    const query = { measures: ["orders.revenue"], dimensions };
    expect(terms(query)).toBe("3 DESC NULLS LAST, 1 ASC NULLS LAST, 2 ASC NULLS LAST");
    const order = { "customers.city": "desc" };
    expect(terms({ ...query, order })).toBe("2 DESC NULLS LAST, 1 ASC NULLS LAST");
    expect(terms({ ...query, order: [] })).toBe(undefined);
  },
);

test.each([
  ["text", "1 AS rank, 'Z' AS value UNION ALL SELECT 2, 'a' UNION ALL SELECT 3, 'á'"],
  ["number", "1 AS rank, -2.5 AS value UNION ALL SELECT 2, 9 UNION ALL SELECT 3, 10"],
  [
    "time",
    "1 AS rank, CAST('1969-12-31' AS TIMESTAMP) AS value UNION ALL SELECT 2, CAST('2026-01-01' AS TIMESTAMP) UNION ALL SELECT 3, CAST('2026-01-01 00:00:00.001' AS TIMESTAMP)",
  ],
])(
  "NULL is the last %s in both directions, and equal values keep one order",
  async (type, text) => {
    // There, TIMESTAMP has whole seconds.
    const rows = onClickhouse ? text.replaceAll("TIMESTAMP", "DateTime64(6)") : text;
    const model = validModel(`
cubes:
  - name: t
    sql: "SELECT ranked.rank, ranked.value, part.name FROM (SELECT ${rows} UNION ALL SELECT NULL, NULL) AS ranked CROSS JOIN (SELECT 'b' AS name UNION ALL SELECT NULL UNION ALL SELECT 'B') AS part"
    dimensions:
      - { name: name, sql: name, type: string }
      - { name: rank, sql: rank, type: number }
      - { name: value, sql: value, type: ${type === "text" ? "string" : type} }
    measures:
      - { name: most, type: max, sql: rank }
`);
    const dimensions = ["t.rank", "t.value", "t.name"];
    const ordered = async (order: JsonObject) => {
      const query = { measures: ["t.most"], dimensions, order };
      const found = await answer(database(), plan(model, query));
      return found.map((row) => `${String(row["t.rank"])} ${String(row["t.name"])}`);
    };
    const expected = (ranks: readonly (number | null)[]) =>
      ranks.flatMap((rank) => ["B", "b", "null"].map((name) => `${String(rank)} ${name}`));
    for (const member of type === "text" ? ["t.most"] : ["t.value", "t.most"]) {
      expect(await ordered({ [member]: "asc" })).toEqual(expected([1, 2, 3, null]));
      expect(await ordered({ [member]: "desc" })).toEqual(expected([3, 2, 1, null]));
    }
    if (type !== "text") return;
    // The order of text that a query asks for is that of its database.
    for (const direction of ["asc", "desc"])
      expect((await ordered({ "t.value": direction })).slice(-3)).toEqual(expected([null]));
  },
);

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

  test("a measure has no value where a join finds no row, whatever its SQL is", async () => {
    const query = {
      measures: ["buyers.count", "sales.amount"],
      dimensions: ["buyers.id"],
      order: { "buyers.id": "asc" },
    };
    expect(await answer(database(), plan(paddedModel, query))).toEqual([
      { "buyers.id": 1, "buyers.count": 1, "sales.amount": 30 },
      { "buyers.id": 2, "buyers.count": 1, "sales.amount": 70 },
      { "buyers.id": 3, "buyers.count": 1, "sales.amount": null },
    ]);
  });

  test("a multi-stage measure groups the rows of the query, not those of its own cube", async () => {
    const query = {
      measures: ["sales.count", "buyers.city_credit"],
      dimensions: ["sales.status"],
      order: { "sales.status": "asc" },
    };
    // The buyer without sales, whose credit is 30, is in no group.
    expect(await answer(database(), plan(paddedModel, query))).toEqual([
      { "sales.status": "open", "sales.count": 1, "buyers.city_credit": 10 },
      { "sales.status": "paid", "sales.count": 2, "buyers.city_credit": 30 },
      { "sales.status": null, "sales.count": 1, "buyers.city_credit": null },
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

  test("a running measure of a cube without a key has no value in a window without rows", async () => {
    const [created_at, dateRange] = ["moments.created_at", ["2026-01-01", "2026-01-04"]];
    const query = {
      measures: ["moments.last_day"],
      timeDimensions: [{ dimension: created_at, granularity: "day", dateRange }],
      order: { [created_at]: "asc" },
    };
    const rows = await answer(database(), plan(paddedModel, query));
    expect(rows.map((row) => row["moments.last_day"])).toEqual([1, 1, null, 1]);
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

  test("ungrouped rows have no value that a measure counts or aggregates itself", async () => {
    const model = validModel(
      JSON.stringify({
        cubes: [
          {
            name: "o",
            sql: "SELECT 1 AS id, 'a@b.c' AS mail UNION ALL SELECT 2, NULL",
            dimensions: [
              { name: "id", sql: "id", type: "number", primary_key: true, public: true },
            ],
            measures: [
              { name: "mails", type: "count_distinct", sql: "mail" },
              { name: "about", type: "count_distinct_approx", sql: "mail" },
              { name: "set", type: "count", sql: "mail" },
              { name: "last", type: "string", sql: "MAX(mail)" },
            ],
          },
        ],
      }),
    );
    const measures = ["o.mails", "o.about", "o.set"];
    const query = { dimensions: ["o.id"], order: [["o.id", "asc"]], ungrouped: true };
    expect(await answer(database(), plan(model, { ...query, measures }))).toEqual([
      { "o.id": 1, "o.mails": 1, "o.about": 1, "o.set": 1 },
      { "o.id": 2, "o.mails": null, "o.about": null, "o.set": null },
    ]);
    expect(() => plan(model, { ...query, measures: ["o.last"] })).toThrow("is an aggregate");
  });

  test("total counts the groups without limit and offset", async () => {
    const planned = plan(ordersModel, {
      measures: ["orders.count"],
      dimensions: ["orders.status"],
      limit: 1,
      total: true,
    });
    const { total = { text: "", values: [] } } = planned;
    expect(await answer(database(), planned)).toHaveLength(1);
    expect(await database().run(total)).toEqual([["3"]]);
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

test("a query of a view whose row filter reads no joined cube is planned once", () => {
  const orders = {
    name: "orders",
    sql_table: "orders",
    dimensions: [
      { name: "at", sql: "at", type: "time" },
      { name: "kind", sql: "kind", type: "string" },
    ],
  };
  const rows = { filters: [{ member: "kind", operator: "equals", values: ["x"] }] };
  const view = (name: string, more: object) => ({
    name,
    cubes: [{ join_path: "orders", includes: "*" }],
    ...more,
  });
  const views = [
    view("open", {}),
    view("filtered", { access_policy: [{ group: "*", row_level: rows }] }),
  ];
  const own = validModel(JSON.stringify({ cubes: [orders], views }));
  const truncations = (name: string) => {
    let count = 0;
    const dialect: Dialect = {
      ...testedDialect,
      truncate(time, unit) {
        count++;
        return testedDialect.truncate(time, unit);
      },
    };
    const timeDimensions = [{ dimension: `${name}.at`, granularity: "day" }];
    const now = new Date("2026-03-18T10:30:00Z");
    const [query] = normalizeQueries({ timeDimensions }, now);
    const clock = { now, timezone: "UTC" };
    if (query) planQuery(query, { model: own, caller: anyone, dialect, clock });
    return count;
  };
  expect(truncations("open")).toBeGreaterThan(0);
  expect(truncations("filtered")).toBe(truncations("open"));
});
