// Time shifts that a calendar declares: under a name, or in place of an interval.
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";

const shifted = (name: string, shift: string, sql = "{total}") =>
  `{ name: ${name}, multi_stage: true, type: number, sql: "${sql}", time_shift: [${shift}] }`;

const model = validModel(`
cubes:
  - name: days
    sql_table: days
    calendar: true
    dimensions:
      - { name: key, sql: day, type: time, primary_key: true }
      - { name: period, sql: period, type: string }
      - name: day
        sql: day
        type: time
        granularities: [{ name: month, sql: "{CUBE}.retail_month" }]
        time_shift:
          - { name: 1_period_before, sql: "{CUBE}.before" }
          - { name: yesterday, interval: 1 day, type: prior }
          - { interval: 1 week, type: prior, sql: "{CUBE}.before" }
  - name: sales
    sql: "SELECT * FROM sales WHERE {FILTER_PARAMS.days.day.filter('sold')}"
    joins:
      - { name: days, relationship: many_to_one, sql: "{CUBE.sold} = {days.key}" }
      - { name: plain, relationship: many_to_one, sql: "{CUBE}.sold = {plain}.day" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: sold, sql: sold, type: time }
    measures:
      - { name: total, type: sum, sql: amount }
      - ${shifted("before", "{ name: 1_period_before }")}
      - ${shifted("yesterday", "{ name: yesterday }")}
      - ${shifted("week", "{ interval: 7 days, type: prior }")}
      - ${shifted("retail_week", "{ interval: 1 weeks, type: prior }")}
      - ${shifted("twice", "{ name: 1_period_before }", "{before}")}
  - name: plain
    extends: days
  - name: seen
    extends: sales
    sql: "SELECT * FROM sales"
views:
  - name: recent
    cubes:
      - { join_path: seen, includes: [total, before, yesterday] }
      - { join_path: seen.days, includes: [day, period] }
    access_policy:
      - { group: "*", row_level: { filters: [{ member: period, operator: equals, values: [b] }] } }
`);

const database = useQueryDatabase([
  `CREATE TABLE days AS SELECT CAST(day AS TIMESTAMP) AS day, CAST(before AS TIMESTAMP) AS before, period, CAST(month AS TIMESTAMP) AS retail_month
    FROM (VALUES ('2025-06-01', NULL, 'a', '2025-06-01'), ('2025-06-02', NULL, 'a', '2025-06-01'), ('2025-06-03', NULL, 'a', '2025-06-03'),
      ('2026-06-01', '2025-06-02', 'b', '2026-06-01'), ('2026-06-02', '2025-06-03', 'b', '2026-06-01'), ('2026-06-03', '2025-06-01', 'b', '2026-06-03'))
    AS t(day, before, period, month)`,
  `CREATE TABLE sales AS SELECT id, CAST(sold AS TIMESTAMP) AS sold, amount
    FROM (VALUES (1, '2025-06-01', 1), (2, '2025-06-02', 2), (3, '2025-06-03', 4), (4, '2026-06-01', 8), (5, '2026-06-02', 16), (6, '2020-01-01', 100))
    AS t(id, sold, amount)`,
]);

const year = ["2026-01-01", "2026-12-31"];
async function ask(query: JsonObject, on = model): Promise<readonly (readonly unknown[])[]> {
  const found = await answer(database(), plan(on, { order: {}, ...query }, anyone));
  const cell = (one: unknown) =>
    typeof one === "string" && /^\d{4}-/.test(one)
      ? one.slice(5, 10)
      : /^[\d.]+$/.test(String(one))
        ? Number(one)
        : one;
  return found
    .map((row) => Object.values(row).map(cell))
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
const by = (granularity: string) => ({
  timeDimensions: [{ dimension: "days.day", granularity, dateRange: year }],
});

test("SQL of a calendar names the other time of each of its days", async () => {
  const measures = ["sales.total", "sales.before"];
  expect(await ask({ measures, ...by("day") })).toEqual([
    ["06-01", 8, 2],
    ["06-02", 16, 4],
    ["06-03", null, 1],
  ]);
  // Its own granularities and other dimensions stay those of the day that is shown.
  expect(await ask({ measures, ...by("month") })).toEqual([
    ["06-01", 24, 6],
    ["06-03", null, 1],
  ]);
  const timeDimensions = [{ dimension: "days.day", dateRange: year }];
  expect(await ask({ measures, dimensions: ["days.period"], timeDimensions })).toEqual([
    ["b", 24, 7],
  ]);
  // Without a range too, rows without a day are not of another time.
  const everyYear = [{ dimension: "days.day", granularity: "year" }];
  expect(await ask({ measures: ["sales.before"], timeDimensions: everyYear })).toEqual([
    ["01-01", 7],
  ]);
});

test("a shift with a name and an interval is that interval, and SQL replaces its own interval only", async () => {
  expect(await ask({ measures: ["sales.yesterday", "sales.retail_week"], ...by("day") })).toEqual([
    ["06-01", null, 2],
    ["06-02", 8, 4],
    ["06-03", 16, 1],
  ]);
  const week = {
    timeDimensions: [
      { dimension: "days.day", granularity: "day", dateRange: ["2026-06-08", "2026-06-08"] },
    ],
  };
  expect(await ask({ measures: ["sales.week"], ...week })).toEqual([["06-08", 8]]);
});

test("a shift that the query cannot follow is refused", async () => {
  const own = { timeDimensions: [{ dimension: "sales.sold", granularity: "day" }] };
  await expect(ask({ measures: ["sales.before"], ...own })).rejects.toThrow(
    "no time dimension of the query has the time shift 1_period_before",
  );
  await expect(ask({ measures: ["sales.twice"], ...by("day") })).rejects.toThrow(
    "is shifted by SQL and again",
  );
  const plainDay = { timeDimensions: [{ dimension: "plain.day", granularity: "day" }] };
  await expect(ask({ measures: ["sales.before"], ...plainDay })).rejects.toThrow(
    "only if it joins plain by {plain.key}",
  );
});

test("row filters read the rows of their own time", async () => {
  const policy = {
    groups: ["*"],
    conditions: [],
    rows: [{ member: "days.period", operator: "equals", values: [{ literal: "b" }] }],
  } as const;
  const restricted = {
    ...model,
    cubes: model.cubes.map((one) =>
      one.name === "sales" ? { ...one, table: ["sales"], isQuery: false, policies: [policy] } : one,
    ),
  };
  expect(
    await ask({ measures: ["sales.total", "sales.before"], ...by("day") }, restricted),
  ).toEqual([
    ["06-01", 8, null],
    ["06-02", 16, null],
  ]);
});

test("a time shift in SQL shows no rows of a time that a view hides", async () => {
  const timeDimensions = [{ dimension: "recent.day", dateRange: year }];
  expect(await ask({ measures: ["recent.total"], timeDimensions })).toEqual([[24]]);
  await expect(ask({ measures: ["recent.before"], timeDimensions })).rejects.toThrow(
    "the query joins rows of another time of days, which a row filter of recent uses",
  );
  expect(await ask({ measures: ["recent.yesterday"], timeDimensions })).toEqual([[24]]);
});
