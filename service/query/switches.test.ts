// Dimensions of type switch, and measures and dimensions that choose by their value.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";

const model = (policy = "") =>
  validModel(`
cubes:
  - name: orders
    sql_table: orders
    joins: [{ name: items, relationship: one_to_many, sql: "{CUBE}.id = {items}.order_id" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: city, sql: city, type: string }
      - { name: currency, type: switch, values: [USD, EUR, "it's"] }
      - { name: unit, type: switch, values: [one, thousand] }
      - { name: lower, sql: "lower({currency})", type: string }
      - name: region
        type: string
        case:
          switch: "{currency}"
          when: [{ value: EUR, sql: "'Europe'" }]
          else: { sql: "'other'" }
    segments:
      - { name: european, sql: "{region} = 'Europe'" }
    measures:
      - { name: count, type: count }
      - { name: dollars, type: sum, sql: usd }
      - { name: euros, type: sum, sql: eur }
      - name: amount
        multi_stage: true
        type: number
        case:
          switch: "{CUBE.currency}"
          when: [{ value: EUR, sql: "{euros}" }, { value: "it's", sql: "{dollars} + {euros}" }]
          else: { sql: "{dollars}" }
      - name: amounts
        multi_stage: true
        type: sum
        case: { switch: "{currency}", when: [{ value: EUR, sql: "{euros}" }, { value: USD, sql: "{dollars}" }] }
      - { name: total, multi_stage: true, type: sum, sql: "{dollars}", group_by: [] }
      - { name: total_amount, multi_stage: true, type: sum, sql: "{amount}", group_by: [] }
      - { name: place, multi_stage: true, type: rank, order_by: [{ sql: "{dollars}", dir: desc }], reduce_by: [currency, city] }
      - { name: share, type: number, sql: "1.0 * {amount} / {dollars}" }
      - name: scaled
        multi_stage: true
        type: number
        case: { switch: "{unit}", when: [{ value: thousand, sql: "{amount} / 1000.0" }], else: { sql: "1.0 * {amount}" } }
${policy}
  - name: items
    sql_table: items
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]
    measures: [{ name: count, type: count }]
views:
  - { name: report, cubes: [{ join_path: orders, includes: [currency, city, amount, count] }] }
`);

const database = useQueryDatabase([
  "CREATE TABLE orders AS SELECT * FROM (VALUES (1, 'a', 10, 9), (2, 'a', 20, 18), (3, 'b', 40, 36)) AS t(id, city, usd, eur)",
  "CREATE TABLE items AS SELECT * FROM (VALUES (1, 1), (2, 1), (3, 3)) AS t(id, order_id)",
]);

async function ask(query: JsonObject, policy?: string): Promise<readonly (readonly unknown[])[]> {
  const found = await answer(database(), plan(model(policy), { order: {}, ...query }, anyone));
  return found
    .map((row) =>
      Object.values(row).map((one) => (/^-?[\d.]+$/.test(String(one)) ? Number(one) : one)),
    )
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

describe("a switch", () => {
  test("gives each row all of its values", async () => {
    expect(
      await ask({ dimensions: ["orders.currency"], measures: ["orders.count", "orders.dollars"] }),
    ).toEqual([
      ["EUR", 3, 70],
      ["USD", 3, 70],
      ["it's", 3, 70],
    ]);
    expect(await ask({ dimensions: ["orders.currency", "orders.unit"] })).toHaveLength(6);
  });

  test("repeats no row in a group that has several of its values", async () => {
    const measures = ["orders.count", "orders.dollars", "items.count"];
    expect(await ask({ dimensions: ["orders.region"], measures })).toEqual([
      ["Europe", 3, 70, 3],
      ["other", 3, 70, 3],
    ]);
    const filters = [{ member: "orders.currency", operator: "notEquals", values: ["EUR"] }];
    expect(await ask({ measures, filters })).toEqual([[3, 70, 3]]);
    expect(await ask({ measures, segments: ["orders.european"] })).toEqual([[3, 70, 3]]);
    expect(
      await ask({
        measures: ["orders.count"],
        filters: [{ member: "orders.currency", operator: "equals", values: ["GBP"] }],
      }),
    ).toEqual([[0]]);
  });

  test("repeats no row in a measure over groups of several of its values", async () => {
    const measures = ["orders.total", "orders.place"];
    const filters = [{ member: "orders.currency", operator: "notEquals", values: ["EUR"] }];
    expect(
      await ask({ dimensions: ["orders.currency", "orders.city"], measures, filters }),
    ).toEqual([
      ["USD", "a", 70, 2],
      ["USD", "b", 70, 1],
      ["it's", "a", 70, 2],
      ["it's", "b", 70, 1],
    ]);
    const byRegion = { dimensions: ["orders.region"], measures: ["orders.total"] };
    await expect(ask(byRegion)).rejects.toThrow(
      "orders.total has a value for each orders.currency",
    );
    const dollars = { member: "orders.currency", operator: "equals", values: ["USD"] };
    expect(await ask({ ...byRegion, filters: [dollars] })).toEqual([["other", 70]]);
    // Its values differ, so that they add up.
    expect(
      await ask({ dimensions: ["orders.currency"], measures: ["orders.total_amount"], filters }),
    ).toEqual([
      ["USD", 203],
      ["it's", 203],
    ]);
  });

  test("can be filtered and computed with", async () => {
    const filters = [{ member: "orders.currency", operator: "contains", values: ["s"] }];
    expect(await ask({ dimensions: ["orders.lower"], filters })).toEqual([["it's"], ["usd"]]);
  });
});

describe("a measure with case", () => {
  test("has the value that each group chooses", async () => {
    expect(
      await ask({
        dimensions: ["orders.currency", "orders.city"],
        measures: ["orders.amount", "orders.share"],
      }),
    ).toEqual([
      ["EUR", "a", 27, 0.9],
      ["EUR", "b", 36, 0.9],
      ["USD", "a", 30, 1],
      ["USD", "b", 40, 1],
      ["it's", "a", 57, 1.9],
      ["it's", "b", 76, 1.9],
    ]);
    expect(await ask({ dimensions: ["report.currency"], measures: ["report.amount"] })).toEqual([
      ["EUR", 63],
      ["USD", 70],
      ["it's", 133],
    ]);
  });

  test("is computed for the one value of a filter", async () => {
    const filters = [{ member: "orders.currency", operator: "equals", values: ["EUR"] }];
    expect(
      await ask({
        dimensions: ["orders.city"],
        measures: ["orders.amount", "orders.count"],
        filters,
      }),
    ).toEqual([
      ["a", 27, 2],
      ["b", 36, 1],
    ]);
    const unit = { member: "orders.unit", operator: "in", values: ["thousand"] };
    expect(await ask({ measures: ["orders.scaled"], filters: [...filters, unit] })).toEqual([
      [0.063],
    ]);
  });

  test("aggregates over the values if it is an aggregate, and is refused otherwise", async () => {
    expect(await ask({ dimensions: ["orders.city"], measures: ["orders.amounts"] })).toEqual([
      ["a", 57],
      ["b", 76],
    ]);
    await expect(ask({ measures: ["orders.amount"] })).rejects.toThrow(
      "orders.amount has a value for each orders.currency; add orders.currency to the dimensions of the query, or filter it by one value",
    );
    const filters = [{ member: "orders.currency", operator: "equals", values: ["EUR", "USD"] }];
    await expect(ask({ measures: ["orders.amount"], filters })).rejects.toThrow(
      "filter it by one value",
    );
  });

  test("does not take the mask of a switch for its value", async () => {
    const policy = `    access_policy:
      - { group: "*", member_level: { excludes: [currency] }, member_masking: { includes: [currency] } }`;
    expect(
      await ask(
        { dimensions: ["orders.currency"], measures: ["orders.amounts", "orders.count"] },
        policy,
      ),
    ).toEqual([[null, 133, 3]]);
    const filters = [{ member: "orders.currency", operator: "equals", values: ["EUR"] }];
    await expect(ask({ measures: ["orders.amount"], filters }, policy)).rejects.toThrow(
      "has a value for each",
    );
  });
});

test("an ungrouped query shows the switch that repeats its rows", async () => {
  const filters = [{ member: "orders.currency", operator: "notEquals", values: ["EUR"] }];
  await expect(ask({ dimensions: ["orders.id"], filters, ungrouped: true })).rejects.toThrow(
    "Ungrouped query requires 'orders.currency' to be present in dimensions, of which each row has all values",
  );
  expect(
    await ask({ dimensions: ["orders.id", "orders.currency"], filters, ungrouped: true }),
  ).toHaveLength(6);
});
