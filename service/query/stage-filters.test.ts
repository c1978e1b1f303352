// Multi-stage measures with `filter`: which filters of a query apply to the measures that they use.
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";

const filterOf = (name: string, filter: string, sql = "{total}") =>
  `{ name: ${name}, multi_stage: true, type: number, sql: "${sql}", filter: ${filter} }`;
const completed = "{ member: status, operator: equals, values: [completed] }";
const books = "{ member: sales.category, operator: equals, values: [books] }";

const model = validModel(`
cubes:
  - name: sales
    sql: "SELECT * FROM sales WHERE {FILTER_PARAMS.sales.status.filter('status')}"
    joins: [{ name: shops, relationship: many_to_one, sql: "{CUBE}.shop = {shops.id}" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - { name: category, sql: category, type: string }
      - { name: at, sql: sold, type: time }
      - { name: currency, type: switch, values: [USD, EUR] }
    segments: [{ name: cheap, sql: "{CUBE}.amount < 100" }]
    measures:
      - { name: total, type: sum, sql: amount }
      - { name: count, type: count }
      - { name: month_before, multi_stage: true, type: number, sql: "{count}", time_shift: [{ interval: 1 month, type: prior }] }
      - { name: growth, type: number, sql: "1.0 * {count} / {month_before}" }
      - { name: running, type: sum, sql: amount, rolling_window: { trailing: unbounded } }
      - ${filterOf("all_statuses", "{ exclude: [status] }")}
      - ${filterOf("of_category", "{ keep_only: [category] }")}
      - ${filterOf("all_prices", "{ exclude: [cheap] }")}
      - ${filterOf("all_times", "{ exclude: [at] }")}
      - ${filterOf("all_running", "{ exclude: [at] }", "{running}")}
      - ${filterOf("only_completed", `{ exclude: [status], include: [${completed}] }`)}
      - ${filterOf("of_january", "{ include: [{ member: at, operator: inDateRange, values: ['2024-01-01', '2024-01-31'] }] }", "{running}")}
      - ${filterOf("abroad", "{ include: [{ or: [{ member: shops.country, operator: notEquals, values: [DE] }, { member: id, operator: lt, values: [0] }] }] }")}
      - ${filterOf("books_relative", `{ include: [${books}] }`)}
      - ${filterOf("books_fixed", `{ mode: fixed, include: [${books}] }`)}
      - ${filterOf("chain_relative", `{ include: [${completed}] }`, "{books_relative}")}
      - ${filterOf("chain_fixed", `{ include: [${completed}] }`, "{books_fixed}")}
      - ${filterOf("in_euros", "{ include: [{ member: currency, operator: equals, values: [EUR] }] }", "{amount}")}
      - { name: amount, multi_stage: true, type: number, case: { switch: "{currency}", when: [{ value: EUR, sql: "2 * {total}" }], else: { sql: "{total}" } } }
      - { name: share, multi_stage: true, type: number, sql: "100.0 * {total} / {all_statuses}" }
      - { name: status_share, multi_stage: true, type: sum, sql: "{total}", grain: { exclude: [status] }, filter: { exclude: [status] } }
  - name: shops
    sql_table: shops
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: country, sql: country, type: string }
      - { name: spent, sql: "{sales.total}", type: number, sub_query: true, propagate_filters_to_sub_query: true }
views:
  - { name: report, cubes: [{ join_path: sales, includes: [{ name: status, alias: state }, category, total, all_statuses] }] }
`);

const database = useQueryDatabase([
  `CREATE TABLE sales AS SELECT id, status, category, amount, CAST(sold AS TIMESTAMP) AS sold, shop FROM (VALUES
    (1, 'completed', 'books', 100, '2024-01-10', 1), (2, 'completed', 'electronics', 200, '2024-01-15', 2),
    (3, 'pending', 'books', 50, '2024-02-12', 1), (4, 'pending', 'electronics', 75, '2024-02-18', 1),
    (5, 'cancelled', 'books', 30, '2024-03-10', 2)) AS t(id, status, category, amount, sold, shop)`,
  "CREATE TABLE shops AS SELECT * FROM (VALUES (1, 'DE'), (2, 'FR')) AS t(id, country)",
]);

const cell = (one: unknown) => (/^-?[\d.]+$/.test(String(one)) ? Number(one) : one);
async function ask(query: JsonObject, on = model): Promise<readonly (readonly unknown[])[]> {
  const found = await answer(database(), plan(on, { order: {}, ...query }, anyone));
  return found
    .map((row) => Object.values(row).map(cell))
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
const sales = (...names: readonly string[]) => names.map((name) => `sales.${name}`);
const status = { member: "sales.status", operator: "equals", values: ["completed"] };
const category = { member: "sales.category", operator: "equals", values: ["books"] };

test("exclude and keep_only leave filters of the query out", async () => {
  const dimensions = sales("category");
  const measures = sales("total", "all_statuses", "share");
  expect(await ask({ dimensions, measures, filters: [status] })).toEqual([
    ["books", 100, 180, (100 * 100) / 180],
    ["electronics", 200, 275, (100 * 200) / 275],
  ]);
  const filters = [{ and: [status, category] }];
  expect(await ask({ measures: sales("total", "all_statuses", "of_category"), filters })).toEqual([
    [100, 180, 180],
  ]);
  const segments = sales("cheap");
  expect(await ask({ measures: sales("total", "all_prices"), segments })).toEqual([[155, 455]]);
  const timeDimensions = [{ dimension: "sales.at", dateRange: ["2024-01-01", "2024-01-31"] }];
  expect(await ask({ measures: sales("total", "all_times"), timeDimensions })).toEqual([
    [300, 455],
  ]);
});

test("a measure with fewer filters adds no groups", async () => {
  const query = { dimensions: sales("status"), filters: [status] };
  expect(await ask({ ...query, measures: sales("all_statuses") })).toEqual([["completed", 300]]);
  expect(await ask({ ...query, measures: sales("total", "status_share") })).toEqual([
    ["completed", 300, 455],
  ]);
  const january = {
    dimension: "sales.at",
    granularity: "month",
    dateRange: ["2024-01-01", "2024-01-31"],
  };
  const found = await ask({ measures: sales("all_times"), timeDimensions: [january] });
  expect(found).toEqual([[expect.anything(), 300]]);
  const none = { ...status, values: ["none"] };
  expect(await ask({ measures: sales("all_statuses"), filters: [none] })).toEqual([[455]]);
  expect(
    await ask({ dimensions: sales("category"), measures: sales("all_statuses"), filters: [none] }),
  ).toEqual([]);
});

test("include adds filters, in place of those that exclude leaves out", async () => {
  const dimensions = sales("category");
  const pending = { ...status, values: ["pending"] };
  expect(
    await ask({ dimensions, measures: sales("total", "only_completed"), filters: [pending] }),
  ).toEqual([
    ["books", 50, 100],
    ["electronics", 75, 200],
  ]);
  expect(await ask({ measures: sales("total", "abroad") })).toEqual([[455, 230]]);
  expect(await ask({ measures: sales("in_euros") })).toEqual([[910]]);
});

test("a share of a count has no value in a group that an earlier time leaves without rows", async () => {
  const range = { dateRange: ["2024-01-01", "2024-03-31"] };
  const timeDimensions = [{ dimension: "sales.at", granularity: "month", ...range }];
  const rows = await ask({ measures: sales("month_before", "growth"), timeDimensions });
  expect(
    rows.map(([, before, growth]) => [before, growth === null ? growth : Number(growth)]),
  ).toEqual([
    [null, null],
    [2, 1],
    [2, 0.5],
  ]);
});

test("mode fixed changes the filters of the query instead of those of the other measure", async () => {
  const query = { dimensions: sales("category"), measures: sales("chain_relative", "chain_fixed") };
  expect((await ask(query)).filter(([, ...values]) => values.some((one) => one !== null))).toEqual([
    ["books", 100, 180],
  ]);
});

test("names of a view stand for the members of its cubes", async () => {
  const filters = [{ member: "report.state", operator: "equals", values: ["completed"] }];
  expect(await ask({ measures: ["report.total", "report.all_statuses"], filters })).toEqual([
    [300, 455],
  ]);
});

test("a filter that only a part of leaves out is refused, and so is a running measure without its time", async () => {
  const filters = [{ or: [status, category] }];
  await expect(ask({ measures: sales("all_statuses"), filters })).rejects.toThrow(
    "filter them apart",
  );
  expect(await ask({ measures: sales("total"), filters })).toEqual([[380]]);
  const timeDimensions = [
    { dimension: "sales.at", granularity: "month", dateRange: ["2024-01-01", "2024-03-31"] },
  ];
  await expect(ask({ measures: sales("all_running"), timeDimensions })).rejects.toThrow(
    "needs a dateRange of sales.at",
  );
  await expect(ask({ measures: sales("of_january") })).rejects.toThrow("is about time");
});

test("nothing lifts the row filters of access policies", async () => {
  const onlyCompleted = [
    { member: "sales.status", operator: "equals", values: [{ literal: "completed" }] },
  ] as const;
  const policy = { groups: ["*"], conditions: [], rows: onlyCompleted };
  const ofCube = {
    ...model,
    cubes: model.cubes.map((one) => (one.name === "sales" ? { ...one, policies: [policy] } : one)),
  };
  const ofView = {
    ...model,
    views: model.views.map((one) => ({
      ...one,
      policies: [{ ...policy, rows: [{ ...onlyCompleted[0], member: "report.state" }] }],
    })),
  };
  for (const on of [ofCube, ofView]) {
    const query = { measures: ["report.total", "report.all_statuses"] };
    expect(await ask(query, on)).toEqual([[300, 300]]);
    const filters = [{ member: "report.state", operator: "equals", values: ["pending"] }];
    expect(await ask({ ...query, filters }, on)).toEqual([[null, 300]]);
  }
});

test("groups by a subquery with the filters of the query are refused where a measure changes them", async () => {
  const query = { measures: sales("all_statuses"), dimensions: ["shops.spent"] };
  expect(await ask(query)).toEqual([
    [225, 225],
    [230, 230],
  ]);
  await expect(ask({ ...query, filters: [status] })).rejects.toThrow(
    "shops.spent follows the filters of the query, and a measure of the query changes them",
  );
});
