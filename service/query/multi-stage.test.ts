// Multi-stage measures, compared with SQL written by hand.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { answer, plan, useQueryDatabase, validModel } from "../../test/support/query-database.ts";

/** A chain of measures that each use the one before three times. */
const steps = [0, 1, 2, 3, 4].map((step) => {
  const before = step === 0 ? "share" : `step${step - 1}`;
  const sql = `CASE WHEN {${before}} > 50 THEN {${before}} ELSE 100 - {${before}} END`;
  return `      - { name: step${step}, multi_stage: true, type: number, sql: "${sql}" }`;
});

const model = validModel(`
cubes:
  - name: regions
    sql_table: regions
    dimensions:
      - { name: country, sql: country, type: string, primary_key: true, public: true }
      - { name: continent, sql: continent, type: string }
    access_policy:
      - { group: "*", row_level: { allow_all: true } }
  - name: sales
    sql: "SELECT * FROM sales WHERE {FILTER_PARAMS.sales.sold_at.filter('sold_at')}"
    joins:
      - { name: regions, relationship: many_to_one, sql: "{CUBE}.country = {regions.country}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: country, sql: country, type: string }
      - { name: product, sql: product, type: string }
      - { name: buyer, sql: buyer, type: string }
      - { name: sold_at, sql: sold_at, type: time }
    measures:
      - { name: revenue, type: sum, sql: amount }
      - { name: count, type: count }
      - { name: country_revenue, multi_stage: true, type: sum, sql: "{revenue}", group_by: [country] }
      - { name: total, multi_stage: true, type: sum, sql: "{revenue}", group_by: [] }
      - { name: without_product, multi_stage: true, type: sum, sql: "{revenue}", reduce_by: [product] }
      - { name: share, multi_stage: true, type: number, sql: "100.0 * {revenue} / NULLIF({country_revenue}, 0)" }
      - name: product_rank
        multi_stage: true
        type: rank
        order_by: [{ sql: "{revenue}", dir: desc }]
        reduce_by: [product]
      - { name: country_rank, multi_stage: true, type: rank, order_by: [{ sql: "{country_revenue}", dir: desc }], group_by: [] }
      - { name: amount, multi_stage: true, type: number, sql: "COALESCE({revenue}, 0)" }
      - { name: average_buyer, multi_stage: true, type: avg, sql: "{revenue}", add_group_by: [buyer] }
      - { name: average_moment, multi_stage: true, type: avg, sql: "{revenue}", add_group_by: [sold_at] }
      - { name: largest_country, multi_stage: true, type: max, sql: "{revenue}", add_group_by: [country] }
      - name: year_before
        multi_stage: true
        type: number
        sql: "{revenue}"
        time_shift: [{ time_dimension: sold_at, interval: 1 year, type: prior }]
      - name: quarter_after
        multi_stage: true
        type: number
        sql: "{revenue}"
        time_shift: [{ interval: 1 quarter, type: next }]
      - { name: two_years_before, multi_stage: true, type: number, sql: "{year_before}", time_shift: [{ interval: 1 year, type: prior }] }
      - { name: spread, multi_stage: true, type: number_agg, sql: "max({revenue}) - min({revenue})", add_group_by: [buyer] }
      - { name: growth, multi_stage: true, type: number, sql: "{revenue} - {year_before}" }
${steps.join("\n")}
      - { name: so_far, type: sum, sql: amount, rolling_window: { trailing: unbounded } }
      - { name: so_far_before, multi_stage: true, type: number, sql: "{so_far}", time_shift: [{ interval: 1 year, type: prior }] }
views:
  - name: report
    cubes:
      - { join_path: sales, includes: [revenue, country_revenue, share, product, country, sold_at, year_before] }
      - { join_path: sales.regions, includes: [continent] }
`);

const rows = [
  [1, "DE", "tea", "ann", 10, "2024-02-29 10:00:00"],
  [2, "DE", "tea", "bob", 30, "2025-01-31 23:30:00"],
  [3, "DE", "cup", "ann", 60, "2025-02-28 12:00:00"],
  [4, "FR", "tea", "eve", 50, "2025-03-30 22:30:00"],
  [5, "FR", "cup", null, 50, "2026-01-15 00:00:00"],
  [6, "DE", "tea", "ann", 7, "2026-02-28 23:59:59"],
  [7, null, "cup", "bob", 5, "2026-06-01 00:00:00"],
];
const values = rows
  .map((row) => `(${row.map((one) => (typeof one === "string" ? `'${one}'` : `${one}`)).join()})`)
  .join();
const database = useQueryDatabase([
  `CREATE TABLE sales AS SELECT id, country, product, buyer, amount, CAST(sold AS TIMESTAMP) AS sold_at
    FROM (VALUES ${values}) AS t(id, country, product, buyer, amount, sold)`,
  "CREATE TABLE regions AS SELECT * FROM (VALUES ('DE', 'Europe'), ('FR', 'Europe')) AS t(country, continent)",
]);

async function ask(query: JsonObject): Promise<readonly (readonly unknown[])[]> {
  const found = await answer(database(), plan(model, { order: {}, ...query }));
  return found
    .map((row) => Object.values(row).map(plain))
    .toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
}

/** Returns numbers as numbers, and times to the day. */
function plain(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (/^\d{4}-\d\d-\d\d[ T]/.test(value)) return value.slice(0, 10);
  return /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

async function byHand(text: string): Promise<readonly (readonly unknown[])[]> {
  const found = await database().run({ text, values: [] });
  return found
    .map((row) => row.map(plain))
    .toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
}

/** Opens the German sales of tea of 2025 and later years. */
const policy = {
  groups: ["*"],
  conditions: [],
  rows: [
    { member: "sales.product", operator: "equals", values: [{ literal: "tea" }] },
    { member: "sales.sold_at", operator: "afterDate", values: [{ literal: "2024-12-31" }] },
  ],
} as const;

const time = (granularity: string, dateRange?: readonly string[]) => [
  { dimension: "sales.sold_at", granularity, ...(dateRange && { dateRange }) },
];

test("a chain of measures that use the one before several times has its values", async () => {
  const query = {
    measures: ["sales.share", "sales.step4"],
    dimensions: ["sales.country", "sales.product"],
  };
  const shown = await answer(database(), plan(model, query));
  expect(shown.length).toBeGreaterThan(1);
  for (const row of shown) {
    const share = Number(row["sales.share"]);
    expect(Number(row["sales.step4"])).toBeCloseTo(share > 50 ? share : 100 - share);
  }
});

describe("multi-stage measures", () => {
  test("group_by and reduce_by keep some of the groups of the query", async () => {
    const dimensions = ["sales.country", "sales.product"];
    const measures = ["sales.revenue", "sales.country_revenue", "sales.total", "sales.share"];
    expect(await ask({ dimensions, measures })).toEqual(
      await byHand(`SELECT country, product, sum(amount), sum(sum(amount)) OVER (PARTITION BY country),
        sum(sum(amount)) OVER (), 100.0 * sum(amount) / sum(sum(amount)) OVER (PARTITION BY country)
        FROM sales GROUP BY 1, 2`),
    );
    expect(await ask({ dimensions, measures: ["sales.without_product"] })).toEqual(
      await ask({ dimensions, measures: ["sales.country_revenue"] }),
    );
    expect(await ask({ measures: ["sales.country_revenue", "sales.total"] })).toEqual([[212, 212]]);
  });

  test("measures of the groups of the query read its rows once, also arithmetic over windows", async () => {
    const measures = ["sales.share", "sales.product_rank", "sales.total", "sales.amount"];
    const query = { dimensions: ["sales.country", "sales.product"], measures };
    expect(plan(model, query).statement.text.match(/FROM sales/g)).toHaveLength(1);
    expect(await ask(query)).toEqual(
      await byHand(`SELECT country, product, 100.0 * sum(amount) / sum(sum(amount)) OVER (PARTITION BY country),
        rank() OVER (PARTITION BY country ORDER BY sum(amount) DESC), sum(sum(amount)) OVER (), sum(amount)
        FROM sales GROUP BY country, product`),
    );
    expect(await ask({ ...query, measures: ["sales.country_rank"] })).toEqual(
      await byHand(`SELECT country, product, rank() OVER (ORDER BY total DESC) FROM (SELECT country, product,
        sum(sum(amount)) OVER (PARTITION BY country) AS total FROM sales GROUP BY country, product) AS r`),
    );
  });

  test("arithmetic has no value in groups that only another measure has", async () => {
    const measures = ["sales.amount", "sales.year_before"];
    expect(await ask({ measures, timeDimensions: time("year") })).toEqual([
      ["2024-01-01", 10, null],
      ["2025-01-01", 140, 10],
      ["2026-01-01", 62, 140],
      ["2027-01-01", null, 62],
    ]);
  });

  test("a rank counts from one in each part", async () => {
    const dimensions = ["sales.country", "sales.product"];
    expect(await ask({ dimensions, measures: ["sales.product_rank"] })).toEqual(
      await byHand(`SELECT country, product, rank() OVER (PARTITION BY country ORDER BY sum(amount) DESC)
        FROM sales GROUP BY 1, 2`),
    );
    const filters = [{ member: "sales.product_rank", operator: "equals", values: ["1"] }];
    const first = await ask({ dimensions, measures: ["sales.product_rank"], filters });
    expect(first).toEqual([
      ["DE", "cup", 1],
      ["FR", "cup", 1],
      ["FR", "tea", 1],
      [null, "cup", 1],
    ]);
  });

  test("add_group_by aggregates finer groups", async () => {
    const measures = [
      "sales.average_buyer",
      "sales.largest_country",
      "sales.spread",
      "sales.count",
    ];
    expect(await ask({ dimensions: ["sales.product"], measures })).toEqual(
      await byHand(`SELECT product, (SELECT avg(sum) FROM (SELECT sum(amount) AS sum FROM sales WHERE product = s.product GROUP BY buyer) AS b),
        (SELECT max(sum) FROM (SELECT sum(amount) AS sum FROM sales WHERE product = s.product GROUP BY country) AS c),
        (SELECT max(sum) - min(sum) FROM (SELECT sum(amount) AS sum FROM sales WHERE product = s.product GROUP BY buyer) AS b), count(*)
        FROM sales AS s GROUP BY product`),
    );
    // A dimension that the query has is not added.
    expect(await ask({ dimensions: ["sales.buyer"], measures: ["sales.average_buyer"] })).toEqual(
      await byHand("SELECT buyer, CAST(sum(amount) AS DOUBLE PRECISION) FROM sales GROUP BY 1"),
    );
    // A time in years and the time without a granularity are different dimensions.
    const yearly = { measures: ["sales.average_moment"], timeDimensions: time("year") };
    const moments = `SELECT date_trunc('year', sold_at) AS year, sum(amount) AS total FROM sales GROUP BY 1, sold_at`;
    expect((await ask(yearly)).filter((row) => row[1] !== null)).toEqual(
      await byHand(
        `SELECT year, CAST(avg(total) AS DOUBLE PRECISION) FROM (${moments}) AS m GROUP BY 1`,
      ),
    );
  });

  /** Sums by the start of an interval, moved by an interval, for the starts that `groups` lists. */
  const shifted = (groups: string, unit: string, ...moves: readonly string[]) =>
    byHand(`SELECT g.start${moves.map((_, index) => `, t${index}.total`).join("")} FROM (${groups}) AS g(start)
      ${moves
        .map(
          (
            move,
            index,
          ) => `LEFT JOIN (SELECT date_trunc('${unit}', sold_at + INTERVAL '${move}') AS start, sum(amount) AS total
            FROM sales GROUP BY 1) AS t${index} ON t${index}.start = g.start`,
        )
        .join(" ")}`);

  test("a time shift shows the values of another time, in groups of their own too", async () => {
    const measures = ["sales.revenue", "sales.year_before", "sales.two_years_before"];
    const all =
      "SELECT CAST(make_date(y, 1, 1) AS TIMESTAMP) FROM generate_series(2024, 2028) AS t(y)";
    expect(await ask({ measures, timeDimensions: time("year") })).toEqual(
      await shifted(all, "year", "0 days", "1 year", "2 years"),
    );
    const range = ["2026-01-01", "2026-12-31"];
    const year = "SELECT TIMESTAMP '2026-01-01'";
    expect(await ask({ measures, timeDimensions: time("year", range) })).toEqual(
      await shifted(year, "year", "0 days", "1 year", "2 years"),
    );
    expect(
      await ask({
        measures: ["sales.growth", "sales.quarter_after"],
        timeDimensions: time("year", range),
      }),
    ).toEqual([["2026-01-01", -78, 5]]);
    // Without the time dimension, no value can be shifted.
    expect(await ask({ measures: ["sales.revenue", "sales.year_before"] })).toEqual([[212, 212]]);
  });

  test("a time shift counts in the calendar of the query's zone", async () => {
    // 30 March 2025, 22:30 UTC, is the 31st in Berlin: summer time begins between the two dates.
    const weeksIn = (timezone: string) =>
      ask({
        measures: ["sales.quarter_after"],
        timeDimensions: time("day", ["2024-12-30", "2024-12-31"]),
        timezone,
      });
    expect(await weeksIn("Europe/Berlin")).toEqual([["2024-12-31", 50]]);
    expect(await weeksIn("UTC")).toEqual([["2024-12-30", 50]]);
  });

  test("a running measure is shifted with its range", async () => {
    const range = ["2026-01-01", "2026-03-31"];
    const measures = ["sales.so_far", "sales.so_far_before"];
    expect(await ask({ measures, timeDimensions: time("month", range) })).toEqual([
      ["2026-01-01", 200, 40],
      ["2026-02-01", 207, 100],
      ["2026-03-01", 207, 150],
    ]);
  });

  test("views, row filters and filters on time apply in every stage", async () => {
    const measures = ["report.revenue", "report.country_revenue", "report.share"];
    const filters = [
      { member: "report.sold_at", operator: "inDateRange", values: ["2025-01-01", "2025-12-31"] },
    ];
    expect(
      await ask({ dimensions: ["report.continent", "report.product"], measures, filters }),
    ).toEqual([
      ["Europe", "cup", 60, 140, (100 * 60) / 140],
      ["Europe", "tea", 80, 140, (100 * 80) / 140],
    ]);
    const open = {
      ...model,
      cubes: model.cubes.map((cube) =>
        cube.name === "sales" ? { ...cube, policies: [policy] } : cube,
      ),
    };
    const planned = plan(open, {
      measures: ["sales.total", "sales.year_before"],
      timeDimensions: time("year"),
      order: { "sales.sold_at": "asc" },
    });
    const found = await answer(database(), planned);
    expect(found.map((row) => Object.values(row).map(plain))).toEqual([
      ["2025-01-01", 87, null],
      ["2026-01-01", 87, 80],
      ["2027-01-01", null, 7],
    ]);
    expect(planned.cubes).toEqual(["sales"]);
  });

  test("an ungrouped query has no stages, and a query a bounded number", () => {
    const ungrouped = { ungrouped: true, dimensions: ["sales.id"], measures: ["sales.total"] };
    expect(() => plan(model, ungrouped)).toThrow("which an ungrouped query cannot compute");
    const previous = (level: number) =>
      [1, 2, 3].map((by) => `{m${Math.max(0, level - by)}}`).join(" + ");
    const levels = Array.from({ length: 40 }, (_, level) => level + 1).map(
      (level) =>
        `      - { name: m${level}, multi_stage: true, type: number, sql: "${previous(level)}" }`,
    );
    const deep = validModel(`
cubes:
  - name: deep
    sql_table: sales
    measures:
      - { name: m0, type: sum, sql: amount }
${levels.join("\n")}`);
    expect(() => plan(deep, { measures: ["deep.m40"] })).toThrow("needs more than 100 stages");
  });
});
