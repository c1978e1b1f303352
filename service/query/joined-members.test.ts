// Members over joins that only the other cube declares, over columns of other cubes, and over joins that no cube declares.
import { describe, expect, test } from "vitest";
import { anyone, answer, plan, useQueryDatabase } from "../../test/support/query-database.ts";
import { compileModel } from "../model/compile.ts";
import type { JsonObject } from "../../core/json.ts";
import type { QueryCaller } from "./access.ts";

const { model, errors, warnings } = compileModel([
  {
    path: "model/shop.yml",
    content: `
cubes:
  - name: customers
    sql_table: customers
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: city, sql: city, type: string }
      - { name: credit, sql: credit, type: number }
    measures:
      - { name: count, type: count }
      - { name: per_customer, type: number, sql: "1.0 * {orders.total} / NULLIF({count}, 0)" }
      - { name: amounts, type: sum, sql: "{orders.amount}" }
    access_policy:
      - group: "*"
        member_level: { excludes: [credit] }
      - group: finance
        row_level: { filters: [{ member: city, operator: equals, values: [Berlin] }] }
  - name: orders
    sql_table: orders
    joins:
      - { name: customers, relationship: many_to_one, sql: "{CUBE}.customer_id = {customers}.id" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: amount, sql: amount, type: number }
      - { name: place, sql: "{customers}.city || '!'", type: string }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: amount }
      - { name: so_far, type: sum, sql: amount, rolling_window: { trailing: unbounded } }
      - { name: credits, type: sum, sql: "{customers}.credit" }
      - { name: beside, type: number, sql: "sum({CUBE}.amount) FILTER (WHERE {CUBE}.amount > 15) + {customers.count}" }
views:
  - name: wrong
    cubes:
      - { join_path: customers, includes: [city, count] }
      - { join_path: customers.orders, includes: [{ name: count, alias: orders }] }
`,
  },
]);
const database = useQueryDatabase([
  "CREATE TABLE customers AS SELECT * FROM (VALUES (1, 'Berlin', 10), (2, 'Paris', 20), (3, 'Rome', 30)) AS t(id, city, credit)",
  "CREATE TABLE orders AS SELECT * FROM (VALUES (1, 1, 10), (2, 1, 20), (3, 2, 70), (4, NULL, 100)) AS t(id, customer_id, amount)",
]);
const finance: QueryCaller = { ...anyone, groups: ["finance"] };
const ask = async (query: JsonObject, caller = anyone) => {
  if (model === undefined) throw new Error(JSON.stringify(errors));
  return (await answer(database(), plan(model, query, caller))).map((row) => Object.values(row));
};

describe("a measure over another cube", () => {
  test("follows a join that only the other cube declares", async () => {
    const query = { measures: ["customers.per_customer"] };
    expect(
      await ask({ ...query, dimensions: ["customers.city"], order: [["customers.city", "asc"]] }),
    ).toEqual([
      ["Berlin", 30],
      ["Paris", 70],
      [null, null],
    ]);
    expect(await ask(query)).toEqual([[100]]);
  });

  test("reads no rows that repeat its own", async () => {
    await expect(ask({ measures: ["customers.amounts"] })).rejects.toThrow(
      "Can't find join path to join 'customers', 'orders'",
    );
  });

  test("combines aggregates of its rows with measures of other cubes", async () => {
    expect(await ask({ measures: ["orders.beside"] })).toEqual([[192]]);
  });
});

describe("a column of another cube", () => {
  test("is read in the rows that show all dimensions of that cube", async () => {
    expect(await ask({ dimensions: ["orders.place"] }, anyone)).toEqual([[null]]);
    const dimensions = ["orders.place"];
    const order = { "orders.place": "asc" };
    expect(await ask({ dimensions, order }, finance)).toEqual([["Berlin!"], [null]]);
    expect(await ask({ measures: ["orders.credits"] }, finance)).toEqual([[20]]);
  });
});

describe("a view with a join that no cube declares", () => {
  test("is a warning, and fails the queries that need the join", async () => {
    expect(warnings).toEqual([
      {
        code: "no-join",
        message: "customers has no join to orders; queries of these members fail",
        fileName: "model/shop.yml",
        line: 36,
        column: 22,
      },
    ]);
    expect(await ask({ measures: ["wrong.count"] })).toEqual([[3]]);
    await expect(ask({ measures: ["wrong.orders"] })).rejects.toThrow(
      "a query cannot use wrong.orders: customers has no join to orders",
    );
  });
});
