// Multi-stage dimensions: rows that are grouped by what measures say of a group.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import { compileFiles } from "../model/compile.ts";
import type { CompiledModel } from "../model/types.ts";

const declared = `
cubes:
  - name: customers
    sql_table: customers
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: city, sql: city, type: string }
    measures:
      - { name: count, type: count }
  - name: orders
    sql_table: orders
    joins:
      - { name: customers, relationship: many_to_one, sql: "{CUBE}.customer = {customers.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: customer, sql: customer, type: number }
      - { name: product, sql: product, type: string }
      - { name: ordered_at, sql: ordered_at, type: time }
      - { name: change, multi_stage: true, type: string, sql: "{change_of_revenue}", add_group_by: [customer], mask: hidden }
      - { name: size, multi_stage: true, type: string, sql: "CASE WHEN {revenue} >= 100 AND {count} > 1 THEN 'large' WHEN {revenue} >= 0 THEN 'small' END", add_group_by: [orders.customer] }
      - { name: in_city, multi_stage: true, type: boolean, sql: "{revenue} > 100", add_group_by: [customers.city] }
      - { name: volume, multi_stage: true, type: number, sql: "{count}" }
      - { name: last_order, multi_stage: true, type: time, sql: "{latest}", add_group_by: [customer] }
    measures:
      - { name: count, type: count }
      - { name: revenue, type: sum, sql: amount }
      - { name: customer_count, type: count_distinct, sql: customer }
      - { name: latest, type: max, sql: "{ordered_at}" }
      - { name: so_far, type: sum, sql: amount, rolling_window: { trailing: unbounded } }
      - { name: year_before, multi_stage: true, type: number, sql: "{revenue}", time_shift: [{ interval: 1 year, type: prior }] }
      - { name: change_of_revenue, type: string, sql: "CASE WHEN {year_before} IS NULL THEN 'new' WHEN {revenue} > {year_before} THEN 'grow' ELSE 'down' END" }
      - { name: all_products, multi_stage: true, type: number, sql: "{revenue}", filter: { exclude: [product] } }
      - { name: share, multi_stage: true, type: sum, sql: "{revenue}", reduce_by: [change] }
      - { name: best_before, multi_stage: true, type: max, sql: "{year_before}", add_group_by: [customer] }
views:
  - name: report
    cubes:
      - { join_path: orders, prefix: true, includes: [{ name: change, alias: trend }, revenue, count, ordered_at, customer] }
      - { join_path: orders.customers, includes: [city] }
`;
const model = validModel(declared);

const rows = [
  [1, 1, "tea", 10, "2024-03-01"],
  [2, 1, "tea", 40, "2025-03-01"],
  [3, 2, "cup", 90, "2024-05-01"],
  [4, 2, "tea", 30, "2025-05-01"],
  [5, 2, "cup", 30, "2025-06-01"],
  [6, 3, "tea", 70, "2025-07-01"],
  [7, 3, "tea", 50, "2025-08-01"],
  // Not in 2025.
  [8, 4, "cup", 20, "2024-09-01"],
  [9, null, "cup", 15, "2024-10-01"],
  [10, null, "tea", 25, "2025-10-01"],
];
const values = rows
  .map((row) => `(${row.map((one) => (typeof one === "string" ? `'${one}'` : `${one}`)).join()})`)
  .join();
const database = useQueryDatabase([
  `CREATE TABLE orders AS SELECT id, customer, product, amount, CAST(ordered AS TIMESTAMP) AS ordered_at
    FROM (VALUES ${values}) AS t(id, customer, product, amount, ordered)`,
  "CREATE TABLE customers AS SELECT * FROM (VALUES (1, 'Rome'), (2, 'Rome'), (3, 'Oslo'), (4, NULL)) AS t(id, city)",
]);

/** Returns the rows of an answer, times to the day. */
async function ask(
  query: JsonObject,
  { of = model, groups = [] }: { of?: CompiledModel; groups?: readonly string[] } = {},
): Promise<readonly (readonly unknown[])[]> {
  const found = await answer(database(), plan(of, query, { ...anyone, groups }));
  return found.map((row) => Object.values(row).map(plain));
}

function plain(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (/^\d{4}-\d\d-\d\d[ T]/.test(value)) return value.slice(0, 10);
  return /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

const years = [
  { dimension: "orders.ordered_at", granularity: "year", dateRange: ["2024-01-01", "2025-12-31"] },
];
const in2025 = [{ dimension: "orders.ordered_at", dateRange: ["2025-01-01", "2025-12-31"] }];
const change = ["orders.change"];

describe("multi-stage dimensions", () => {
  test("group rows by the change of their customer in each year, also of those without one", async () => {
    const query = {
      dimensions: change,
      measures: ["orders.revenue", "orders.count", "orders.customer_count"],
      timeDimensions: years,
      order: { "orders.ordered_at": "asc", "orders.change": "asc" },
    };
    expect(await ask(query)).toEqual([
      ["new", "2024-01-01", 135, 4, 3],
      ["down", "2025-01-01", 60, 2, 1],
      ["grow", "2025-01-01", 65, 2, 1],
      ["new", "2025-01-01", 120, 2, 1],
    ]);
  });

  test("use the range of the query where it has no groups by time", async () => {
    const query = { dimensions: change, measures: ["orders.revenue"], timeDimensions: in2025 };
    expect(await ask({ ...query, order: { "orders.change": "asc" } })).toEqual([
      ["down", 60],
      ["grow", 65],
      ["new", 120],
    ]);
  });

  test("classify the groups of the other dimensions of the query", async () => {
    const query = {
      dimensions: ["orders.product", "orders.change"],
      measures: ["orders.revenue"],
      timeDimensions: in2025,
      order: { "orders.product": "asc", "orders.change": "asc" },
    };
    expect(await ask(query)).toEqual([
      ["cup", "down", 30],
      ["tea", "grow", 40],
      ["tea", "new", 175],
    ]);
  });

  test("apply to the rows of an earlier time, which have the value of the group that they are shown in", async () => {
    const query = {
      dimensions: change,
      measures: ["orders.revenue", "orders.year_before", "orders.best_before"],
      timeDimensions: in2025,
      order: { "orders.change": "asc" },
    };
    expect(await ask(query)).toEqual([
      ["down", 60, 110, 90],
      ["grow", 65, 25, 15],
      ["new", 120, null, null],
    ]);
  });

  test("can use several measures, and stand beside each other", async () => {
    const measures = ["orders.revenue", "orders.count"];
    const order = { "orders.size": "asc" };
    expect(await ask({ dimensions: ["orders.size"], measures, order })).toEqual([
      ["large", 270, 5],
      ["small", 110, 5],
    ]);
    const both = { dimensions: ["orders.change", "orders.size"], measures, timeDimensions: in2025 };
    expect(await ask({ ...both, order: { "orders.change": "asc" } })).toEqual([
      ["down", "small", 60, 2],
      ["grow", "small", 65, 2],
      ["new", "large", 120, 2],
    ]);
  });

  test("have groups by joined dimensions, or by those of the query alone", async () => {
    const cities = {
      dimensions: ["orders.in_city"],
      measures: ["orders.revenue", "customers.count"],
      order: { "orders.in_city": "desc" },
    };
    expect(await ask(cities)).toEqual([
      [true, 320, 3],
      [false, 60, 1],
    ]);
    const products = {
      dimensions: ["orders.product", "orders.volume"],
      measures: ["orders.revenue"],
      order: { "orders.product": "asc" },
    };
    expect(await ask(products)).toEqual([
      ["cup", 4, 155],
      ["tea", 6, 225],
    ]);
    expect(await ask({ dimensions: ["orders.volume"], measures: ["orders.revenue"] })).toEqual([
      [10, 380],
    ]);
  });

  test("can be filtered without being shown, which other measures of the query do not undo", async () => {
    const filters = [{ member: "orders.change", operator: "equals", values: ["grow"] }];
    const query = { filters, timeDimensions: in2025 };
    expect(await ask({ ...query, measures: ["orders.revenue", "orders.year_before"] })).toEqual([
      [65, 25],
    ]);
    const dimensions = ["orders.product"];
    expect(await ask({ ...query, dimensions, measures: ["orders.count"] })).toEqual([["tea", 1]]);
    const other = { member: "orders.product", operator: "equals", values: ["tea"] };
    const and = [{ and: [...filters, other] }];
    const measures = ["orders.customer_count"];
    expect(await ask({ ...query, filters: and, measures })).toEqual([[1]]);
  });

  test("are ordered, limited and counted like other dimensions", async () => {
    const query = {
      dimensions: change,
      measures: ["orders.revenue"],
      timeDimensions: years,
      order: { "orders.revenue": "desc" },
      limit: 2,
      total: true,
    };
    expect(await ask(query)).toEqual([
      ["new", "2024-01-01", 135],
      ["new", "2025-01-01", 120],
    ]);
    const { total } = plan(model, query);
    const [counted] = total ? await database().run(total) : [];
    expect(counted?.map(Number)).toEqual([4]);
  });

  test("can be times, and have granularities and ranges", async () => {
    const time = { dimension: "orders.last_order", granularity: "year" };
    const query = { measures: ["orders.count"], order: { "orders.last_order": "asc" } };
    expect(await ask({ ...query, timeDimensions: [time] })).toEqual([
      ["2024-01-01", 1],
      ["2025-01-01", 9],
    ]);
    const ranged = { ...time, dateRange: ["2025-07-01", "2025-12-31"] };
    expect(await ask({ ...query, timeDimensions: [ranged] })).toEqual([["2025-01-01", 4]]);
  });

  test("are left out of the groups of a multi-stage measure by name", async () => {
    const query = {
      dimensions: change,
      measures: ["orders.share"],
      timeDimensions: in2025,
      order: { "orders.change": "asc" },
    };
    expect(await ask(query)).toEqual([
      ["down", 245],
      ["grow", 245],
      ["new", 245],
    ]);
  });

  test("are members of views under their names there", async () => {
    const query = {
      dimensions: ["report.city", "report.orders_trend"],
      measures: ["report.orders_revenue"],
      timeDimensions: [
        { dimension: "report.orders_ordered_at", dateRange: ["2025-01-01", "2025-12-31"] },
      ],
      filters: [{ member: "report.orders_trend", operator: "notEquals", values: ["new"] }],
      order: { "report.city": "asc", "report.orders_trend": "asc" },
    };
    expect(await ask(query)).toEqual([
      ["Rome", "down", 60],
      ["Rome", "grow", 40],
      [null, "grow", 25],
    ]);
  });

  test("make a query read the cubes of their measures", () => {
    const { cubes } = plan(
      validModel(`
cubes:
  - name: customers
    sql_table: customers
    joins: [{ name: orders, relationship: one_to_many, sql: "{CUBE}.id = {orders.customer}" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: volume, multi_stage: true, type: number, sql: "{orders.count}", add_group_by: [id] }
    measures: [{ name: count, type: count }]
  - name: orders
    sql_table: orders
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: customer, sql: customer, type: number }
    measures: [{ name: count, type: count }]
`),
      { dimensions: ["customers.volume"], measures: ["customers.count"] },
    );
    expect(cubes).toEqual(["customers", "orders"]);
  });

  test.each([
    [
      "an ungrouped query",
      { dimensions: ["orders.id", "orders.change"], ungrouped: true },
      "orders.change is a multi-stage dimension, which an ungrouped query cannot compute",
    ],
    [
      "a filter of which it is a part",
      {
        measures: ["orders.count"],
        filters: [
          {
            or: [
              { member: "orders.change", operator: "equals", values: ["new"] },
              { member: "orders.product", operator: "equals", values: ["tea"] },
            ],
          },
        ],
      },
      "a multi-stage dimension of the query leaves out filters of some members",
    ],
    [
      "a running measure",
      { dimensions: change, measures: ["orders.so_far"], timeDimensions: years },
      "orders.so_far is a running measure, and orders.change a multi-stage dimension",
    ],
    [
      "a measure with other filters",
      {
        dimensions: change,
        measures: ["orders.all_products"],
        filters: [{ member: "orders.product", operator: "equals", values: ["tea"] }],
      },
      "orders.change follows the filters of the query, and a measure of the query changes them",
    ],
  ])("refuse %s", (_, query, message) => {
    expect(() => plan(model, query)).toThrow(message);
  });
});

/** Returns the model with access policies of orders. */
function restricted(policies: string): CompiledModel {
  const start = "    sql_table: orders\n";
  return validModel(declared.replace(start, `${start}    access_policy: ${policies}\n`));
}

describe("multi-stage dimensions and access policies", () => {
  const query = {
    dimensions: change,
    measures: ["orders.revenue"],
    timeDimensions: in2025,
    order: { "orders.change": "asc" },
  };
  const tea = `row_level: { filters: [{ member: product, operator: equals, values: [tea] }] }`;

  test("are computed from the rows that the caller may read", async () => {
    const of = restricted(
      `[{ group: sales, ${tea} }, { group: chief, row_level: { allow_all: true } }]`,
    );
    expect(await ask(query, { of, groups: ["sales"] })).toEqual([
      ["grow", 40],
      ["new", 175],
    ]);
    expect(await ask(query, { of, groups: ["chief"] })).toEqual(await ask(query));
    expect(() => plan(of, query)).toThrow("hidden member");
  });

  test("show their mask, also in the rows of a policy that opens them beside one that masks them", async () => {
    const masking = `group: staff, member_level: { excludes: [change] }, member_masking: { includes: [change] }`;
    const of = restricted(`[{ ${masking} }, { group: sales, ${tea} }]`);
    expect(await ask(query, { of, groups: ["staff"] })).toEqual([["hidden", 245]]);
    expect(await ask(query, { of, groups: ["staff", "sales"] })).toEqual([["hidden", 245]]);
    const filters = [{ member: "orders.change", operator: "equals", values: ["grow"] }];
    expect(await ask({ ...query, filters }, { of, groups: ["staff"] })).toEqual([]);
  });

  test("show what a policy opens, although it masks the measures that they use", async () => {
    const masking = `group: staff, member_level: { includes: [change, count, ordered_at] }, member_masking: { includes: [revenue] }`;
    const of = restricted(`[{ ${masking} }]`);
    const measures = ["orders.count", "orders.revenue"];
    expect(await ask({ ...query, measures }, { of, groups: ["staff"] })).toEqual([
      ["down", 2, null],
      ["grow", 2, null],
      ["new", 2, null],
    ]);
  });
});

test("rows find their group among thousands in a time that does not grow with rows times groups", async () => {
  const digits = [2, 3, 4, 5, 6, 7, 8, 9].reduce(
    (all, digit) => `${all} UNION ALL SELECT ${digit}`,
    "SELECT 0 AS d UNION ALL SELECT 1",
  );
  const number = "a.d + 10 * b.d + 100 * c.d + 1000 * e.d";
  const from = ["a", "b", "c", "e"].map((name) => `(${digits}) AS ${name}`).join(" CROSS JOIN ");
  await database().execute(`CREATE TABLE visits AS SELECT ${number} AS visitor FROM ${from}`);
  const visits = validModel(`
cubes:
  - name: visits
    sql_table: visits
    dimensions:
      - { name: visitor, sql: visitor, type: number }
      - { name: often, multi_stage: true, type: boolean, sql: "{count} > 1", add_group_by: [visitor] }
    measures: [{ name: count, type: count }]
`);
  const query = { dimensions: ["visits.often"], measures: ["visits.count"] };
  const begin = performance.now();
  expect(await ask(query, { of: visits })).toEqual([[false, 10_000]]);
  expect(performance.now() - begin).toBeLessThan(4000);
});

test("a multi-stage dimension in JavaScript is that of YAML", async () => {
  const javascript = `
cube("orders", {
  sql_table: "orders",
  dimensions: {
    customer: { sql: "customer", type: "number" },
    size: { multiStage: true, type: "number", sql: \`\${count}\`, addGroupBy: [customer] },
  },
  measures: { count: { type: "count" } },
});`;
  const yaml = `
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - { name: customer, sql: customer, type: number }
      - { name: size, multi_stage: true, type: number, sql: "{count}", add_group_by: [customer] }
    measures: [{ name: count, type: count }]`;
  const dimensionsOf = async (path: string, content: string) => {
    const { model: compiled, errors } = await compileFiles([{ path, content }]);
    expect(errors).toEqual([]);
    return compiled?.cubes[0]?.dimensions;
  };
  expect(await dimensionsOf("model/a.js", javascript)).toEqual(
    await dimensionsOf("model/a.yml", yaml),
  );
});
