// Generated models, rollups, policies and queries: over the rows of a rollup, a query has the answer that it has over the tables.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { assertProperty } from "../../test/support/assert-property.ts";
import {
  anyone,
  openDuckDb,
  openTested,
  type TestDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import { onClickhouse, onMysql, onPostgres } from "../../test/support/test-database.ts";
import type { ResultRows } from "../engine/engine.ts";
import { openDatabase } from "../engine/databases.ts";
import { type KeptRows, openRollupWriter } from "../engine/rollup-file.ts";
import { formatRows } from "../query/answer.ts";
import type { QueryCaller } from "../query/access.ts";
import { normalizeQueries } from "../query/normalize.ts";
import { planQuery, type QueryPlan } from "../query/query-to-sql.ts";
import type { Statement } from "../query/sql-fragments.ts";
import { matchRollups } from "./match-rollup.ts";
import { planRollups, type Rollup } from "./plan-rollup.ts";
import { columnOf, rollupTable } from "./rollup-table.ts";

// PostgreSQL orders them otherwise than their bytes.
const kinds = ["x", "Y", "y", "é", "it's", null] as const;
const times = [
  "2025-01-31 10:00:00",
  "2025-01-31 00:00:00",
  "2025-02-28 23:59:59.999999",
  "2025-03-01 00:00:00",
  "2026-01-31 23:00:00",
  null,
] as const;
const row = fc.record({
  parent: fc.constantFrom(1, 2, 3, null),
  kind: fc.constantFrom(...kinds),
  amount: fc.option(fc.integer({ min: -5, max: 9 }), { freq: 5 }),
  price: fc.option(fc.constantFrom("1.10", "2.25", "-0.01"), { freq: 5 }),
  at: fc.constantFrom(...times),
});
const rows = fc.array(row, { minLength: 1, maxLength: 12 });
type Rows = readonly (typeof row extends fc.Arbitrary<infer T> ? T : never)[];

const measures = [
  { name: "count", type: "count" },
  { name: "total", type: "sum", sql: "amount" },
  { name: "cost", type: "sum", sql: "price" },
  { name: "mean", type: "avg", sql: "amount" },
  { name: "least", type: "min", sql: "amount" },
  { name: "last", type: "max", sql: "moment" },
  { name: "kinds", type: "count_distinct", sql: "kind" },
  { name: "about", type: "count_distinct_approx", sql: "kind" },
  { name: "some", type: "sum", sql: "amount", filters: [{ sql: "{kind} = 'x'" }] },
  { name: "ratio", type: "number", sql: "1.0 * {total} / NULLIF({count}, 0)" },
  { name: "raw_ratio", type: "number", sql: "1.0 * sum({CUBE}.amount) / NULLIF(count(*), 0)" },
  { name: "so_far", type: "sum", sql: "amount", rolling_window: { trailing: "unbounded" } },
] as const;
const dimensionNames = ["kind", "level", "amount", "label"] as const;

const owner = fc.oneof({ weight: 4, arbitrary: fc.constant("children") }, fc.constant("parents"));
const memberOf = (names: readonly string[]) =>
  fc.tuple(owner, fc.constantFrom(...names)).map(([cube, name]) => `${cube}.${name}`);
const measure = fc.oneof(
  {
    weight: 25,
    arbitrary: fc.constantFrom(
      ...measures.flatMap(({ name }) => (name === "so_far" ? [] : [`children.${name}`])),
    ),
  },
  memberOf(measures.map(({ name }) => name)),
);
const granularities = ["hour", "day", "week", "month", "quarter", "year", "half"] as const;

const rollup = fc.record({
  measures: fc.uniqueArray(measure, { minLength: 2, maxLength: 6 }),
  dimensions: fc.uniqueArray(memberOf(dimensionNames), { maxLength: 4 }),
  segments: fc.oneof(fc.constant([]), fc.constant(["children.big"])),
  granularity: fc.option(fc.constantFrom(...granularities), { nil: undefined, freq: 6 }),
  partition: fc.option(fc.constantFrom("hour", "day", "week", "month", "year"), { nil: undefined }),
});
const filter = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      // A position among the dimensions of the rollup.
      member: fc.nat(3),
      operator: fc.constantFrom("equals", "notEquals", "contains", "notContains", "set", "notSet"),
      values: fc.array(fc.constantFrom("1", "2"), { minLength: 1, maxLength: 2 }),
    }),
  },
  fc.record({
    member: memberOf(["amount", "total", "count", "ratio"]),
    operator: fc.constantFrom("gt", "lte"),
    values: fc.constantFrom(["0"], ["2"]),
  }),
  fc.record({
    member: memberOf(["kind", "at", "total"]),
    operator: fc.constantFrom("set", "notSet"),
  }),
  fc.record({ member: memberOf(["some", "count"]), operator: fc.constant("measureFilter") }),
);
const ranges = [
  ["2025-01-01", "2025-12-31"],
  ["2025-02-01", "2025-02-28"],
  ["2025-01-31T10:00:00", "2026-01-31T22:59:59.999"],
  ["2025-01-15", "2025-03-01"],
] as const;
const query = fc.record(
  {
    measures: fc.constant([] as string[]),
    dimensions: fc.constant([] as string[]),
    filters: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      fc.array(filter, { minLength: 1, maxLength: 2 }),
    ),
    segments: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.constant(["children.big"])),
    timezone: fc.oneof(
      { weight: 6, arbitrary: fc.constant("UTC") },
      fc.constant("America/New_York"),
    ),
    time: fc.option(
      fc.record(
        {
          dimension: fc.constant("children.at"),
          granularity: fc.constantFrom(...granularities),
          dateRange: fc.constantFrom(...ranges),
        },
        { requiredKeys: ["dimension"] },
      ),
      { nil: undefined },
    ),
    limit: fc.constantFrom(1, 3, 1000),
  },
  { requiredKeys: ["measures", "dimensions", "filters", "segments", "timezone", "limit"] },
);
const policy = fc.record({
  group: fc.constantFrom("a", "b", "*"),
  row_level: fc.record({
    filters: fc.array(
      fc.oneof(
        fc.record({
          member: fc.constantFrom("kind", "level", "parents.kind"),
          operator: fc.constantFrom("equals", "notEquals"),
          values: fc.constantFrom(["x"], ["{userAttributes.kind}"]),
        }),
        fc.record({ member: fc.constant("some"), operator: fc.constant("measureFilter") }),
        fc.record({
          member: fc.constant("at"),
          operator: fc.constant("inDateRange"),
          values: fc.constant(["2025-01-31", "2025-02-28"]),
        }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  member_level: fc.option(fc.record({ includes: fc.subarray(["count", "total", "kind", "at"]) }), {
    nil: undefined,
    freq: 3,
  }),
});
const policies = fc.option(fc.array(policy, { minLength: 1, maxLength: 2 }), {
  nil: undefined,
  freq: 2,
});
const someCase = fc.record({
  parents: rows,
  children: rows,
  rollup,
  policies: fc.record({ children: policies, parents: policies, view: policies }),
  caller: fc.record({
    groups: fc.subarray(["a", "b"]),
    kind: fc.option(fc.constantFrom("x", "y"), { nil: undefined }),
  }),
  queries: fc.array(
    fc.record({
      query,
      isView: fc.boolean(),
      /** Positions of the members that a query takes from the rollup, and others. */
      taken: fc.record({
        measures: fc.array(fc.nat(4), { minLength: 1, maxLength: 2 }),
        dimensions: fc.array(fc.nat(3), { maxLength: 3 }),
        other: fc.option(memberOf(dimensionNames), { nil: undefined, freq: 1 }),
        isAll: fc.boolean(),
      }),
    }),
    { minLength: 8, maxLength: 8 },
  ),
});
type Case = typeof someCase extends fc.Arbitrary<infer T> ? T : never;

function cubeOf(name: "parents" | "children", on: Case): JsonObject {
  const isChild = name === "children";
  const { granularity, partition, ...own } = on.rollup;
  return {
    name,
    sql_table: onPostgres ? `rows.${name}` : name,
    joins: isChild
      ? [{ name: "parents", relationship: "many_to_one", sql: "{CUBE}.parent = {parents.id}" }]
      : [],
    dimensions: [
      { name: "id", sql: "id", type: "number", primary_key: true },
      { name: "kind", sql: "kind", type: "string" },
      { name: "level", sql: "CASE WHEN {amount} > 2 THEN 'high' ELSE 'low' END", type: "string" },
      { name: "amount", sql: "amount", type: "number" },
      {
        name: "at",
        sql: "moment",
        type: "time",
        granularities: [{ name: "half", interval: "6 months" }],
      },
      {
        name: "label",
        type: "string",
        ...(isChild
          ? { sql: "{kind} || {parents.kind}" }
          : { case: { when: [{ sql: "{amount} > 2", label: "big" }], else: { label: "no" } } }),
      },
    ],
    measures: structuredClone(measures),
    segments: [{ name: "big", sql: "{amount} > 2" }],
    ...policiesOf(on.policies[name], isChild),
    ...(isChild && {
      pre_aggregations: [
        {
          name: "main",
          ...own,
          ...(granularity !== undefined && { time_dimension: "at", granularity }),
          ...(granularity !== undefined &&
            partition !== undefined && {
              partition_granularity: partition,
              refresh_key: { every: "1 day", incremental: true, update_window: "20 days" },
            }),
        },
      ],
    }),
  };
}

function policiesOf(list: Case["policies"]["view"], isChild: boolean): JsonObject {
  if (list === undefined) return {};
  const access_policy = list.map(({ member_level: level, row_level: rowLevel, group }) => ({
    group,
    row_level: {
      filters: rowLevel.filters.map((one) => ({
        ...one,
        member: !isChild && one.member === "parents.kind" ? "kind" : one.member,
      })),
    },
    ...(level && { member_level: level }),
  }));
  return { access_policy };
}

function modelOf(on: Case): string {
  return JSON.stringify({
    cubes: [cubeOf("parents", on), cubeOf("children", on)],
    views: [
      {
        name: "week",
        cubes: [
          { join_path: "children", includes: "*" },
          { join_path: "children.parents", includes: "*", prefix: true },
        ],
        ...policiesOf(on.policies.view, false),
      },
    ],
  });
}

/** Returns the query, with members that the rollup has, mostly. */
function queryOf(
  { rollup: declared }: Case,
  { query: on, taken, isView }: Case["queries"][number],
): JsonObject {
  const pick = (list: readonly string[], positions: readonly number[]) => [
    ...new Set(
      positions.flatMap((at) => (list.length === 0 ? [] : [list[at % list.length] ?? ""])),
    ),
  ];
  const named = (name: string) =>
    isView ? name.replace("children.", "week.").replace("parents.", "week.parents_") : name;
  const { time, filters, ...rest } = on;
  const { granularity } = declared;
  const exactTime =
    granularity === undefined ? [] : [{ dimension: named("children.at"), granularity }];
  return {
    ...rest,
    measures: pick(declared.measures, taken.measures).map(named),
    dimensions: taken.isAll
      ? declared.dimensions.map(named)
      : [...pick(declared.dimensions, taken.dimensions), ...(taken.other ? [taken.other] : [])].map(
          named,
        ),
    segments: on.segments.map(named),
    filters: [...filters].flatMap((one): JsonObject[] => {
      if (typeof one.member !== "number") return [{ ...one, member: named(one.member) }];
      return pick(declared.dimensions, [one.member]).map((name) => ({
        ...one,
        member: named(name),
      }));
    }),
    timeDimensions: taken.isAll
      ? exactTime
      : time
        ? [{ ...time, dimension: named(time.dimension) }]
        : [],
  };
}

/** The tables, and the rows of the rollup. */
let database: TestDatabase;
let rowsDatabase: TestDatabase;
const isOnServer = onPostgres || onMysql || onClickhouse;
const folder = mkdtempSync(join(tmpdir(), "svc-rollup-rows-"));
beforeAll(async () => {
  database = await openTested();
  rowsDatabase = isOnServer ? await openDuckDb() : database;
});
afterAll(async () => {
  await database.close();
  if (isOnServer) await rowsDatabase.close();
  rmSync(folder, { recursive: true });
});

const literal = (value: string | number | null) =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);

async function fill(name: string, list: Rows): Promise<void> {
  const values = list.map(
    ({ parent, kind, amount, price, at }, index) =>
      `(${index + 1}, CAST(${literal(parent)} AS INTEGER), CAST(${literal(kind)} AS TEXT)${onPostgres ? ' COLLATE "en-x-icu"' : ""}, CAST(${literal(amount)} AS INTEGER), CAST(${literal(price)} AS DECIMAL(10, 2)), CAST(${literal(at)} AS TIMESTAMP))`,
  );
  await database.execute(
    `DROP TABLE IF EXISTS ${name}; CREATE TABLE ${name} AS SELECT * FROM (VALUES ${values.join(", ")}) AS t(id, parent, kind, amount, price, moment)`,
  );
}

let files = 0;

/** Stores the rows of a rollup as its file does. */
async function store({ statement, columns, partitions }: Rollup): Promise<void> {
  const names = columns.map((_, at) => columnOf(at)).join(", ");
  const { text, values } = statement(database.dialect);
  const { source } = database;
  const create = `CREATE OR REPLACE TABLE ${rollupTable} AS SELECT * FROM`;
  if (source === undefined) {
    await database.execute(`${create} (${text}) AS r(${names})`, values);
    return;
  }
  const write = async (statements: readonly Statement[], kept?: KeptRows) => {
    const file = join(folder, `${++files}.duckdb`);
    const writer = await openRollupWriter(file, columns);
    try {
      if (kept) await writer.keep(kept);
      const rowsOf = openDatabase(source, { privateHosts: [source.at.host] });
      await rowsOf.stream(
        { checks: [], statements, owner: "test", writer },
        new AbortController().signal,
      );
      await writer.finish();
    } finally {
      writer.close();
    }
    return file;
  };
  const all = partitions?.all(Date.parse("2025-01-31Z"), Date.parse("2026-01-31Z")) ?? [[]];
  const parts = database.dialect.hasSnapshots ? all : [[]];
  let file = await write(parts.map((filters) => statement(database.dialect, filters)));
  const newest = partitions?.newest(Date.parse("2025-03-04Z"));
  if (partitions && newest) {
    const kept = { file, column: partitions.column, before: newest.from };
    file = await write([statement(database.dialect, newest.filters)], kept);
  }
  await rowsDatabase.execute(`ATTACH '${file}' AS stored`);
  await rowsDatabase.execute(`${create} stored.${rollupTable}`);
  await rowsDatabase.execute("DETACH stored");
}

const now = new Date("2026-03-18T10:30:00Z");

/** Reads the rows of a plan; those of one place in the order have any order among each other, so that all columns order them. */
async function answerOf(on: TestDatabase, planned: QueryPlan) {
  const all = planned.columns.map((_, index) => `${index + 1} NULLS LAST`).join(", ");
  const { text, values } = planned.statement;
  const [body = "", tail = ""] = text.split(/(?= LIMIT \d+$)/u);
  const ordered = / ORDER BY [^()]+$/u.test(body) ? `${body}, ${all}` : `${body} ORDER BY ${all}`;
  // Over the rows of a server, all rows have one order.
  const answered = await on.run(isOnServer ? planned.statement : { text: ordered + tail, values });
  return {
    columns: planned.columns.map(({ member, type, kind }) => ({ member, type, kind })),
    rows: await formatRows(answered as ResultRows, planned.columns, { format: "compact" }),
  };
}

const runs = propertyRuns(1);

test(
  "a query over the rows of a rollup has the answer of the tables",
  { timeout: 900_000 },
  async () => {
    let used = 0;
    await assertProperty(
      fc.asyncProperty(someCase, async (on) => {
        const model = validModel(modelOf(on));
        await fill("parents", on.parents);
        await fill("children", on.children);
        const [declared] = planRollups(model);
        if (declared === undefined || !("rollup" in declared.plan)) return;
        await store(declared.plan.rollup);
        const caller: QueryCaller = {
          ...anyone,
          groups: on.caller.groups,
          userAttributes: on.caller.kind === undefined ? {} : { kind: on.caller.kind },
        };
        for (const one of on.queries) {
          const [normalized] = normalizeQueries(queryOf(on, one), now);
          if (normalized === undefined) continue;
          const clock = { now, timezone: normalized.timezone };
          const input = { model, caller, clock, dialect: database.dialect };
          const planned = attempt(() => planQuery(normalized, input));
          if (planned instanceof Failure) continue;
          const [match] = matchRollups({ query: normalized, plan: planned, input });
          if (match === undefined) continue;
          const [expected, actual] = [
            await answerOf(database, planned),
            await answerOf(rowsDatabase, match.plan),
          ];
          expect({ query: normalized, ...actual }).toEqual({ query: normalized, ...expected });
          used++;
        }
      }),
      runs,
    );
    process.stdout.write(`${used} queries compared\n`);
    expect(used).toBeGreaterThan(runs.numRuns / 4);
  },
);

function attempt<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
