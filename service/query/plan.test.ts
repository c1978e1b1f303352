// Planned queries on DuckDB: the numbers that they return.
import { describe, expect, test } from "vitest";
import { answer, plan } from "../../test/support/query-database.ts";
import { ordersModel, useOrders } from "../../test/support/orders-model.ts";

const { ask, database } = useOrders();

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
