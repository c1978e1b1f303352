// Generated queries over tables, Parquet, VALUES and CTEs: DuckDB answers what it answers without its optimizers, and what PostgreSQL does.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { assertProperty } from "../../test/support/assert-property.ts";
import { comparable } from "../../test/support/naive-query.ts";
import {
  answer,
  anyone,
  openDuckDb,
  openClickhouse,
  openMysql,
  openPostgres,
  type TestDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import type { CompiledModel } from "../model/types.ts";
import { onClickhouse, onMysql, onPostgres } from "../../test/support/test-database.ts";
import type { Dialect } from "./dialect.ts";
import { normalizeQueries } from "./normalize.ts";
import { planQuery, type QueryPlan } from "./query-to-sql.ts";

/** Some differ in the case of letters or in spaces only. */
const kinds = ["x", "y", "Y", "y ", "it's", null] as const;
const times = ["2025-01-31 10:00:00", "2025-03-01 00:00:00", "2026-01-31 23:00:00", null] as const;
const row = fc.record({
  parent: fc.constantFrom(1, 2, 3, null),
  kind: fc.constantFrom(...kinds),
  amount: fc.option(fc.integer({ min: -5, max: 9 }), { freq: 5 }),
  at: fc.constantFrom(...times),
});
const table = fc.array(row, { minLength: 1, maxLength: 8 });
type Tables = Readonly<
  Record<"parents" | "children", readonly (typeof row extends fc.Arbitrary<infer T> ? T : never)[]>
>;

const literal = (value: string | number | null) =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
const valuesOf = (rows: Tables["parents"]) =>
  rows
    .map(
      ({ parent, kind, amount, at }, index) =>
        `(${index + 1}, CAST(${literal(parent)} AS INTEGER), CAST(${literal(kind)} AS TEXT), CAST(${literal(amount)} AS INTEGER), CAST(${literal(at)} AS TIMESTAMP))`,
    )
    .join(", ");
const columns = ["id", "parent", "kind", "amount", "moment"];
const rowsOf = (rows: Tables["parents"], { name }: Dialect) => {
  if (name !== "mysql") return `(VALUES ${valuesOf(rows)}) AS t(${columns.join(", ")})`;
  const selects = rows.map(({ parent, kind, amount, at }, index) =>
    [
      index + 1,
      `CAST(${literal(parent)} AS SIGNED)`,
      `CAST(${literal(kind)} AS CHAR(100)) COLLATE utf8mb4_general_ci`,
      `CAST(${literal(amount)} AS SIGNED)`,
      `CAST(${literal(at)} AS DATETIME(6))`,
    ].map((value, position) => `${value} AS ${columns[position]}`),
  );
  return `(${selects.map((list) => `SELECT ${list.join(", ")}`).join(" UNION ALL ")}) AS t`;
};

/** The ways in which a cube reads its rows. */
const forms: Readonly<
  Record<
    string,
    (name: "parents" | "children", rows: Tables["parents"], dialect: Dialect) => string
  >
> = {
  table: (name) => `SELECT * FROM ${name}`,
  parquet: (name) => `SELECT * FROM ${name}_parquet`,
  values: (_, rows, dialect) => `SELECT * FROM ${rowsOf(rows, dialect)}`,
  cte: (name) => `WITH own AS (SELECT * FROM ${name}) SELECT * FROM own`,
  cteOfValues: (_, rows, dialect) =>
    `WITH own AS (SELECT * FROM ${rowsOf(rows, dialect)}) SELECT * FROM own`,
};

const measures = [
  { name: "count", type: "count" },
  { name: "total", type: "sum", sql: "amount" },
  { name: "mean", type: "avg", sql: "amount" },
  { name: "least", type: "min", sql: "amount" },
  { name: "kinds", type: "count_distinct", sql: "kind" },
  { name: "some", type: "sum", sql: "amount", filters: [{ sql: "{kind} = 'x'" }] },
  { name: "ratio", type: "number", sql: "1.0 * {total} / NULLIF({count}, 0)" },
  { name: "by_kind", multi_stage: true, type: "sum", sql: "{total}", group_by: ["kind"] },
  { name: "whole", multi_stage: true, type: "sum", sql: "{total}", group_by: [] },
  { name: "reduced", multi_stage: true, type: "max", sql: "{total}", reduce_by: ["kind"] },
  { name: "spread", multi_stage: true, type: "avg", sql: "{total}", add_group_by: ["parent"] },
  { name: "share", multi_stage: true, type: "number", sql: "1.0 * {total} / NULLIF({by_kind}, 0)" },
  {
    name: "place",
    multi_stage: true,
    type: "rank",
    order_by: [{ sql: "{total}", dir: "desc" }],
    reduce_by: ["kind"],
  },
  {
    name: "before",
    multi_stage: true,
    type: "number",
    sql: "{total}",
    time_shift: [{ interval: "1 year", type: "prior" }],
  },
  { name: "so_far", type: "sum", sql: "amount", rolling_window: { trailing: "unbounded" } },
  { name: "last_months", type: "count", rolling_window: { trailing: "3 month" } },
  {
    name: "moving",
    multi_stage: true,
    type: "avg",
    sql: "{total}",
    rolling_window: { trailing: "1 year" },
  },
  { name: "finest", multi_stage: true, type: "max", sql: "{total}", grain: { include: ["id"] } },
  {
    name: "chosen",
    multi_stage: true,
    type: "number",
    case: { switch: "{mode}", when: [{ value: "a", sql: "{total}" }], else: { sql: "{count}" } },
  },
  { name: "of_modes", multi_stage: true, type: "sum", sql: "{total}", reduce_by: ["mode"] },
  { name: "most_chosen", multi_stage: true, type: "max", sql: "{chosen}", reduce_by: ["mode"] },
] as const;
/** The measures that a switch chooses or that leave it out. */
const ofModes = ["chosen", "of_modes", "most_chosen"] as const;
/** A calendar, whose days name an earlier one. */
const days = {
  name: "days",
  calendar: true,
  sql: "SELECT CAST(day AS TIMESTAMP) AS day, CAST(earlier AS TIMESTAMP) AS earlier FROM (VALUES ('2025-01-31', NULL), ('2025-03-01', '2025-01-31'), ('2026-01-31', '2025-01-31'), ('2026-03-01', '2025-03-01')) AS t(day, earlier)",
  dimensions: [
    {
      name: "day",
      sql: "day",
      type: "time",
      primary_key: true,
      public: true,
      time_shift: [{ name: "earlier", sql: "{CUBE}.earlier" }],
    },
  ],
};
/** Measures over columns and measures of the parents, and over the calendar. */
const joined = [
  {
    name: "earlier",
    multi_stage: true,
    type: "number",
    sql: "{total}",
    time_shift: [{ name: "earlier" }],
  },
  { name: "above", type: "sum", sql: "{parents}.amount" },
  { name: "beside", type: "number", sql: "sum({CUBE}.amount) + {parents.total}" },
] as const;
const cubeOf = (name: "parents" | "children", sql: string) => ({
  name,
  sql,
  joins:
    name === "children"
      ? [
          { name: "parents", relationship: "many_to_one", sql: "{CUBE}.parent = {parents.id}" },
          {
            name: "days",
            relationship: "many_to_one",
            sql: "CAST({CUBE}.moment AS DATE) = {days.day}",
          },
        ]
      : [
          {
            name: "children",
            relationship: "one_to_many",
            sql: "{CUBE}.id = {children.parent}",
          },
        ],
  dimensions: [
    { name: "id", sql: "id", type: "number", primary_key: true, public: true },
    { name: "parent", sql: "parent", type: "number" },
    { name: "kind", sql: "kind", type: "string" },
    { name: "level", sql: "CASE WHEN {amount} > 2 THEN 'high' ELSE 'low' END", type: "string" },
    { name: "amount", sql: "amount", type: "number" },
    { name: "mode", type: "switch", values: ["a", "b"] },
    {
      name: "grade",
      multi_stage: true,
      type: "string",
      sql: "CASE WHEN {total} > 2 THEN 'high' WHEN {before} IS NULL THEN 'new' END",
      add_group_by: ["parent"],
    },
    {
      name: "at",
      sql: "moment",
      type: "time",
      granularities: [{ name: "fiscal", interval: "6 months", offset: "1 month" }],
    },
    ...(name === "parents"
      ? [
          { name: "below", sql: "{children.total}", type: "number", sub_query: true },
          {
            name: "matching",
            sql: "{children.total}",
            type: "number",
            sub_query: true,
            propagate_filters_to_sub_query: true,
          },
        ]
      : []),
  ],
  measures: name === "children" ? [...measures, ...joined] : measures,
  segments: [{ name: "big", sql: "{amount} > 2" }],
});

const member = (names: readonly string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...names.map((name) => `children.${name}`)) },
    fc.constantFrom(...names.map((name) => `parents.${name}`)),
  );
const texts = fc.array(fc.constantFrom("x", "y", "it's", "high"), { minLength: 1, maxLength: 2 });
const filter = fc.oneof(
  fc.record({
    member: member(["kind", "level", "grade"]),
    operator: fc.constantFrom("equals", "notEquals", "contains", "notContains", "startsWith"),
    values: texts,
  }),
  fc.record({
    member: member(["amount", "total", "by_kind", "count"]),
    operator: fc.constantFrom("gt", "lte", "equals"),
    values: fc.constantFrom(["0"], ["2"]),
  }),
  fc.record({ member: member(["kind", "amount", "total"]), operator: fc.constant("set") }),
  fc.record({
    member: member(["mode"]),
    operator: fc.constant("equals"),
    values: fc.constant(["a"]),
  }),
);
const anyQuery = fc.record({
  dimensions: fc.uniqueArray(
    fc.oneof(
      member(["kind", "level", "id", "mode", "grade"]),
      fc.constantFrom("parents.below", "parents.matching"),
    ),
    { maxLength: 2 },
  ),
  measures: fc.uniqueArray(
    fc.oneof(
      { weight: 4, arbitrary: member(measures.map(({ name }) => name)) },
      fc.constantFrom(
        ...[...joined.map(({ name }) => name), ...ofModes].map((name) => `children.${name}`),
      ),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  filters: fc.array(filter, { maxLength: 2 }),
  segments: fc.oneof(fc.constant([]), fc.constant(["children.big"])),
  time: fc.option(
    fc.oneof(
      {
        weight: 2,
        arbitrary: fc.record({
          dimension: fc.constant("children.at"),
          granularity: fc.constantFrom("month", "year", "fiscal", undefined),
        }),
      },
      fc.record({
        dimension: fc.constant("days.day"),
        granularity: fc.constantFrom("day", "year", undefined),
      }),
    ),
    { freq: 2, nil: undefined },
  ),
});

/** A measure by the values of a switch needs the switch. */
const someQuery = anyQuery.map(({ dimensions, ...one }) => {
  const switches = one.measures.flatMap((name) => {
    const [cube, measure = ""] = name.split(".");
    return ofModes.some((own) => own === measure) ? [`${cube}.mode`] : [];
  });
  return { ...one, dimensions: [...new Set([...dimensions, ...switches])] };
});

/** The databases that must agree: DuckDB with its settings and without any optimizer, and PostgreSQL, MariaDB or ClickHouse. */
const databases: TestDatabase[] = [];
const folder = mkdtempSync(join(tmpdir(), "svc-parquet-"));
beforeAll(async () => {
  databases.push(await openDuckDb());
  databases.push(await openDuckDb(["SET GLOBAL TimeZone = 'UTC'", "PRAGMA disable_optimizer"]));
  if (onPostgres) databases.push(await openPostgres());
  if (onMysql) databases.push(await openMysql());
  if (onClickhouse) databases.push(await openClickhouse());
});
afterAll(async () => {
  for (const database of databases) await database.close();
  rmSync(folder, { recursive: true });
});

async function fill(database: TestDatabase, tables: Tables): Promise<void> {
  for (const name of ["parents", "children"] as const) {
    const source = `SELECT * FROM ${rowsOf(tables[name], database.dialect)}`;
    await database.execute(`DROP TABLE IF EXISTS ${name}; CREATE TABLE ${name} AS ${source}`);
    await database.execute(`DROP TABLE IF EXISTS ${name}_parquet`);
    const file = join(folder, `${name}.parquet`);
    if (database.dialect.name === "duckdb") {
      await database.execute(`COPY (${source}) TO '${file}' (FORMAT parquet)`);
    }
    const read = database.dialect.name === "duckdb" ? `read_parquet('${file}')` : name;
    await database.execute(`CREATE TABLE ${name}_parquet AS SELECT * FROM ${read}`);
  }
}

describe("generated queries", () => {
  test("have the same answer on every engine and form", { timeout: 900_000 }, async () => {
    let compared = 0;
    await assertProperty(
      fc.asyncProperty(
        fc.record({ parents: table, children: table }),
        fc.array(someQuery, { minLength: 4, maxLength: 4 }),
        async (tables, queries) => {
          for (const database of databases) await fill(database, tables);
          for (const on of queries) {
            const answers: Record<string, unknown> = {};
            for (const [form, sql] of Object.entries(forms)) {
              const models = new Map<Dialect, CompiledModel>();
              for (const [index, database] of databases.entries()) {
                const { dialect } = database;
                const model =
                  models.get(dialect) ??
                  validModel(
                    JSON.stringify({
                      cubes: [
                        days,
                        ...(["parents", "children"] as const).map((name) =>
                          cubeOf(name, sql(name, tables[name], dialect)),
                        ),
                      ],
                    }),
                  );
                models.set(dialect, model);
                const key = `${form} ${database.dialect.name} ${index}`;
                const found = await outcome(database, model, on);
                if (found !== undefined) answers[key] = found;
              }
            }
            const [[, first] = [], ...others] = Object.entries(answers);
            for (const [key, other] of others) {
              compared++;
              expect({ key, rows: other }).toEqual({ key, rows: first });
            }
          }
        },
      ),
      propertyRuns(0.2),
    );
    expect(compared).toBeGreaterThan(0);
  });
});

/** Returns the rows of a query; undefined if the model cannot answer it. */
async function outcome(
  database: TestDatabase,
  model: ReturnType<typeof validModel>,
  { time, ...on }: typeof someQuery extends fc.Arbitrary<infer T> ? T : never,
): Promise<readonly string[] | undefined> {
  const query: JsonObject = {
    ...on,
    ...(time && {
      timeDimensions: [
        {
          dimension: time.dimension,
          dateRange: ["2025-01-01", "2026-12-31"],
          ...(time.granularity !== undefined && { granularity: time.granularity }),
        },
      ],
    }),
    limit: 50_000,
  };
  const planned = planOrRefuse(query, { model, caller: anyone, dialect: database.dialect });
  return planned && comparable(await answer(database, planned));
}

function planOrRefuse(
  query: JsonObject,
  on: Pick<Parameters<typeof planQuery>[1], "model" | "caller" | "dialect">,
): QueryPlan | undefined {
  try {
    const now = new Date("2026-03-18T10:30:00Z");
    const [normalized] = normalizeQueries(query, now);
    if (normalized === undefined) return undefined;
    return planQuery(normalized, { ...on, clock: { now, timezone: normalized.timezone } });
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
