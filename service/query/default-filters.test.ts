// Views with default filters, and multi-stage measures with a grain, against known rows.
import { expect, test } from "vitest";
import { answer, plan, useQueryDatabase, validModel } from "../../test/support/query-database.ts";
import { errorsOf } from "../../test/support/model-errors.ts";
import type { JsonObject } from "../../core/json.ts";

const cube = `
cubes:
  - name: sales
    sql_table: sales
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: country, sql: country, type: string }
      - { name: kind, sql: kind, type: string }
      - { name: sold_at, sql: sold_at, type: time }
    segments: [{ name: large, sql: "{CUBE}.amount > 5" }]
    measures:
      - { name: total, type: sum, sql: amount }
      - { name: of_country, multi_stage: true, type: sum, sql: "{total}", grain: { keep_only: [country] } }
      - { name: without_kind, multi_stage: true, type: sum, sql: "{total}", grain: { exclude: [kind] } }
      - { name: largest_kind, multi_stage: true, type: max, sql: "{total}", grain: { include: [kind] } }
`;
const view = (filters: string) => `${cube}
views:
  - name: v
    cubes: [{ join_path: sales, includes: "*" }]
    default_filters:
      ${filters}
`;
const model = validModel(
  view(
    "[{ member: kind, operator: equals, values: [a], unless: [kind, sold_at] }, { member: country, operator: set }]",
  ),
);
const database = useQueryDatabase([
  `CREATE TABLE sales AS SELECT id, country, kind, amount, CAST(day AS TIMESTAMP) AS sold_at FROM (VALUES
    (1, 'DE', 'a', 1, '2026-01-01'), (2, 'DE', 'b', 2, '2026-01-02'), (3, 'FR', 'a', 4, '2026-02-01'), (4, NULL, 'a', 8, '2026-02-02')
  ) AS t(id, country, kind, amount, day)`,
]);
const ask = async (query: JsonObject) =>
  (await answer(database(), plan(model, query))).map((row) => Object.values(row));

test("a default filter applies wherever a query names its view, unless the query filters a member of unless", async () => {
  expect(await ask({ measures: ["v.total"] })).toEqual([[5]]);
  expect(await ask({ measures: ["sales.total"], segments: ["v.large"] })).toEqual([[null]]);
  expect(await ask({ measures: ["sales.total"] })).toEqual([[15]]);
  expect(
    await ask({
      measures: ["v.total"],
      filters: [{ or: [{ member: "v.kind", operator: "equals", values: ["b"] }] }],
    }),
  ).toEqual([[2]]);
  const time = { dimension: "v.sold_at", dateRange: ["2026-01-01", "2026-01-31"] };
  expect(await ask({ measures: ["v.total"], timeDimensions: [time] })).toEqual([[3]]);
});

test("a grain keeps, leaves out or adds dimensions", async () => {
  const measures = ["sales.of_country", "sales.without_kind", "sales.largest_kind"];
  const order = [["sales.country", "asc"]];
  const dimensions = ["sales.country", "sales.kind"];
  const filters = [{ member: "sales.country", operator: "equals", values: ["DE"] }];
  expect(await ask({ measures, dimensions, filters, order: [["sales.kind", "asc"]] })).toEqual([
    ["DE", "a", 3, 3, 1],
    ["DE", "b", 3, 3, 2],
  ]);
  expect(
    await ask({ measures: ["sales.largest_kind"], dimensions: ["sales.country"], order }),
  ).toEqual([
    ["DE", 2],
    ["FR", 4],
    [null, 8],
  ]);
});

test.each([
  ["[{ member: nothing, operator: set }]", "v has no member nothing"],
  ["[{ member: large, operator: set }]", "large is a segment, which no filter can use"],
  ["[{ member: kind, operator: equals }]", "a default filter with equals needs values"],
  ["[{ member: kind, operator: set, values: [a] }]", "a default filter with set has no values"],
  ["[{ member: total, operator: measureFilter, values: [a] }]", "cannot be a measureFilter"],
  ["[{ member: kind, operator: equals, values: ['{userAttributes.kind}'] }]", "has literal values"],
  ["[{ member: kind, operator: set, unless: [nothing] }]", "v has no member nothing"],
])("the default filters %s are refused", (filters, message) => {
  expect(errorsOf(view(filters))).toEqual([expect.stringContaining(message)]);
});

test.each([
  [
    "grain: { keep_only: [id], exclude: [kind] }",
    "x has a grain with keep_only and exclude; keep one",
  ],
  ["grain: { keep_only: [id] }, group_by: [id]", "x has group_by beside grain, which replaces it"],
  ["grain: { keep_only: [id], include: [kind] }", "use one measure for each"],
])("%s is refused", (keys, message) => {
  const measure = `      - { name: x, multi_stage: true, type: sum, sql: "{total}", ${keys} }\n`;
  expect(errorsOf(`${cube}${measure}`)).toEqual([expect.stringContaining(message)]);
});
