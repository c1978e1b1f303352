// Filters and segments of planned queries: the rows that each operator selects.
import { describe, expect, test } from "vitest";
import { answer, plan, validModel } from "../../test/support/query-database.ts";
import { ordersModel, useOrders } from "../../test/support/orders-model.ts";
import type { JsonObject } from "../../core/json.ts";

const { ask, database } = useOrders();

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
    const { statement } = plan(ordersModel, { dimensions: ["orders.id"], filters: [filter] });
    expect(statement.text).not.toContain("DROP");
    expect(statement.values).toContain(value);
    expect(await ids(filter)).toEqual([]);
  });
});

describe("conditions of FILTER_PARAMS take values", () => {
  const model = validModel(`
cubes:
  - name: placed
    sql: >-
      SELECT * FROM orders WHERE
      {FILTER_PARAMS.placed.created_at.filter(lambda first, last: f'(created_at BETWEEN {first} AND {last} OR id = 4)')}
      AND {FILTER_PARAMS.placed.status.filter(lambda status: f'UPPER(status) = UPPER({status})')}
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: status, sql: "UPPER(status)", type: string }
      - { name: created_at, sql: "CASE id WHEN 4 THEN TIMESTAMP '2026-01-02 00:00:00' ELSE {CUBE}.created_at END", type: time }
`);
  const ids = async (query: JsonObject) => {
    const planned = plan(model, {
      dimensions: ["placed.id"],
      order: { "placed.id": "asc" },
      ...query,
    });
    return (await answer(database(), planned)).map((row) => row["placed.id"]);
  };
  const filtered = async (
    member: string,
    operator: string,
    ...values: readonly (string | null)[]
  ) => ids({ filters: [{ member, operator, values }] });

  test("of a date range and of equality", async () => {
    expect(await ids({})).toEqual([1, 2, 3, 4]);
    const range = ["2026-01-02", "2026-01-03"];
    expect(
      await ids({ timeDimensions: [{ dimension: "placed.created_at", dateRange: range }] }),
    ).toEqual([2, 4]);
    expect(await filtered("placed.created_at", "inDateRange", ...range)).toEqual([2, 4]);
    expect(await filtered("placed.status", "equals", "PAID")).toEqual([1, 3]);
  });

  test("but of no other filter, whose rows they might lose", async () => {
    for (const operator of ["notEquals", "contains", "gt"])
      await expect(filtered("placed.status", operator, "PAID")).rejects.toThrow(`not ${operator}`);
    await expect(filtered("placed.status", "equals", "PAID", null)).rejects.toThrow("not equals");
    await expect(filtered("placed.status", "equals", "PAID", "OPEN")).rejects.toThrow(
      "the filter on placed.status has 2 values, and the condition of the data model takes 1",
    );
  });
});
