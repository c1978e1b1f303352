// Generated queries over time: granularities, ranges, zones, windows, stages, subqueries, segments and views return the
// same results as a naive evaluator.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../core/errors.ts";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { assertProperty } from "../../test/support/assert-property.ts";
import {
  comparable,
  comparableCell,
  fillTables,
  type NaiveFilter,
} from "../../test/support/naive-query.ts";
import { naiveAnswer } from "../../test/support/naive-times.ts";
import {
  cubes,
  granularities,
  measureNames,
  tableColumns,
  type TimeCase,
  timesModel,
} from "../../test/support/times-model.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import type { JsonObject } from "../../core/json.ts";

const kinds = ["x", "y", "Z%", null] as const;
/**
 * Days on which zones change their clocks: at midnight, at night, by half an hour, by a whole day; and days without a
 * change.
 */
const changes = [
  ["UTC", "2026-02-28", "2026-03-01T00:00Z"],
  ["Europe/Berlin", "2026-03-29", "2026-03-29T01:00Z"],
  ["Europe/Berlin", "2026-10-25", "2026-10-25T01:00Z"],
  ["America/Havana", "2026-03-08", "2026-03-08T05:00Z"],
  ["America/Havana", "2026-11-01", "2026-11-01T05:00Z"],
  ["America/Sao_Paulo", "2018-02-17", "2018-02-18T02:00Z"],
  ["America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00Z"],
  ["Australia/Lord_Howe", "2026-04-05", "2026-04-04T15:00Z"],
  ["Asia/Kathmandu", "2025-12-31", "2025-12-31T18:15Z"],
  ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00Z"],
] as const;
type ClockChange = (typeof changes)[number];
const days = changes.map(([, date]) => date);
const hour = 3_600_000;
const dayAfter = (date: string, count: number) =>
  new Date(Date.parse(date) + count * 24 * hour).toISOString().slice(0, 10);
const rowsNear = ([, date, change]: ClockChange) => {
  const half = (most: number) =>
    fc.integer({ min: -most, max: most }).map((count) => (count * hour) / 2);
  const rest = fc.constantFrom(0, 0, -1, 60_001);
  const moment = fc.oneof(
    fc.tuple(fc.constant(change), half(6), rest),
    fc.tuple(fc.constantFrom(date, ...days), half(96), rest),
  );
  const row = fc.record({
    parent: fc.constantFrom(1, 2, 3, null),
    kind: fc.constantFrom(...kinds),
    amount: fc.option(fc.integer({ min: -5, max: 20 }), { freq: 6 }),
    moment: fc.option(
      moment.map(([from, shift, more]) => Date.parse(from) + shift + more),
      { freq: 8 },
    ),
  });
  return fc
    .array(row, { minLength: 2, maxLength: 8 })
    .map((list) => list.map((one, index) => ({ id: index + 1, ...one })));
};

/** Values of row filters, which are not null. */
const opened = fc.array(fc.constantFrom("x", "y"), { minLength: 1, maxLength: 2 });
const texts = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 2 });
const cube = fc.constantFrom(...cubes);
const leaf: fc.Arbitrary<NaiveFilter> = fc.oneof(
  fc.record({
    member: cube.map((name) => `${name}.kind`),
    operator: fc.constantFrom("equals", "notEquals", "in", "notIn", "contains", "notStartsWith"),
    values: texts,
  }),
  fc.record({
    member: fc.constantFrom("orders.amount", "items.amount", "orders.item_count"),
    operator: fc.constantFrom("gt", "gte", "lt", "lte", "equals"),
    values: fc.tuple(fc.integer({ min: -1, max: 8 })),
  }),
  fc.record({
    member: cube.map((name) => `${name}.at`),
    operator: fc.constantFrom(
      "onTheDate",
      "beforeDate",
      "afterDate",
      "beforeOrOnDate",
      "afterOrOnDate",
    ),
    values: fc.tuple(fc.constantFrom(...days)),
  }),
  fc.record({
    member: cube.map((name) => `${name}.at`),
    operator: fc.constantFrom("inDateRange", "notInDateRange"),
    values: fc
      .tuple(fc.constantFrom(...days), fc.constantFrom(...days))
      .map((two) => two.toSorted()),
  }),
  fc.record({ member: fc.constant("orders.label"), operator: fc.constantFrom("set", "notSet") }),
);
const measure = fc.constantFrom(
  ...cubes.flatMap((name) => measureNames(name).map((own) => `${name}.${own}`)),
);
const having: fc.Arbitrary<NaiveFilter> = fc.oneof(
  fc.record({
    member: measure,
    operator: fc.constantFrom("gt", "lte", "notEquals"),
    values: fc.tuple(fc.integer({ min: -5, max: 10 })),
  }),
  fc.record({ member: measure, operator: fc.constantFrom("set", "notSet") }),
);
const grouped = (one: fc.Arbitrary<NaiveFilter>) =>
  fc.letrec<{ filter: NaiveFilter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 2, depthSize: "small" },
      one,
      fc.array(tie("filter"), { maxLength: 2 }).map((and) => ({ and })),
      fc.array(tie("filter"), { maxLength: 3 }).map((or) => ({ or })),
    ),
  })).filter;

const range = fc
  .tuple(fc.constantFrom(...days), fc.constantFrom(...days))
  .map(([one, other]): readonly [string, string] => (one < other ? [one, other] : [other, one]));
const timeNear = (date: string) => {
  const narrow = fc
    .tuple(fc.constantFrom(-1, 0, 1), fc.integer({ min: 0, max: 3 }))
    .map(([shift, length]): readonly [string, string] => [
      dayAfter(date, shift),
      dayAfter(date, shift + length),
    ]);
  return fc.record({
    dimension: fc.oneof(
      { weight: 3, arbitrary: fc.constant("orders.at") },
      cube.map((name) => `${name}.at`),
    ),
    granularity: fc.option(fc.constantFrom(...granularities), { nil: undefined, freq: 5 }),
    dateRange: fc.option(fc.oneof(range, narrow, narrow), { nil: undefined, freq: 3 }),
  });
};

const caseNear = (change: ClockChange): fc.Arbitrary<TimeCase> =>
  fc.record({
    tables: fc.record({
      customers: rowsNear(change),
      orders: rowsNear(change),
      items: rowsNear(change),
    }),
    policies: fc.record(
      { customers: opened, orders: opened, items: opened, v: opened },
      { requiredKeys: [] },
    ),
    throughView: fc.boolean(),
    query: fc.record({
      measures: fc.uniqueArray(measure, { minLength: 1, maxLength: 3 }),
      dimensions: fc.uniqueArray(
        fc.constantFrom(
          "customers.kind",
          "orders.kind",
          "items.kind",
          "orders.item_count",
          "orders.label",
        ),
        { maxLength: 2 },
      ),
      timeDimensions: fc.oneof(
        fc.tuple(timeNear(change[1])),
        fc.tuple(timeNear(change[1])),
        fc.tuple(
          timeNear(change[1]),
          fc.record({ dimension: fc.constant("customers.at"), dateRange: range }),
        ),
        fc.constant([]),
      ),
      filters: fc.array(fc.oneof(grouped(leaf), grouped(leaf), grouped(having)), { maxLength: 2 }),
      segments: fc.subarray(["orders.big", "items.x"], { maxLength: 1 }),
      timezone: fc.constant(change[0]),
      limit: fc.integer({ min: 1, max: 4 }),
      offset: fc.integer({ min: 0, max: 2 }),
    }),
  });

const someCase = fc.constantFrom(...changes).chain(caseNear);

/** The reasons why a model cannot answer a query that the data does not show. */
const refusals =
  /^Can't find join path|would count rows several times|is a running (?:multi-stage )?measure|cannot use dimension and measure|of which a row of|has more than 10000 intervals/;

/** Returns the names of members in the query: those of the view, with its prefixes. */
function shown({ throughView }: TimeCase, name: string): string {
  return throughView ? `v.${name.replace(".", "_")}` : name;
}

function sent(on: TimeCase): JsonObject {
  const { measures, dimensions, timeDimensions, filters, segments, timezone } = on.query;
  const named = (names: readonly string[]) => names.map((name) => shown(on, name));
  const filter = (one: NaiveFilter): JsonObject => {
    if ("and" in one) return { and: one.and.map(filter) };
    if ("or" in one) return { or: one.or.map(filter) };
    const { member, operator, values } = one;
    return { member: shown(on, member), operator, ...(values && { values: [...values] }) };
  };
  return {
    measures: named(measures),
    dimensions: named(dimensions),
    segments: named(segments),
    timeDimensions: timeDimensions.map(({ dimension, granularity, dateRange }) => ({
      dimension: shown(on, dimension),
      ...(granularity !== undefined && { granularity }),
      ...(dateRange !== undefined && { dateRange: [...dateRange] }),
    })),
    filters: filters.map(filter),
    timezone,
    total: true,
    limit: 50_000,
  };
}

const database = useQueryDatabase([]);
const runs = propertyRuns(0.4);

describe("planned queries over time", () => {
  test("return what a naive evaluator returns", { timeout: 600_000 }, async () => {
    let answered = 0;
    await assertProperty(
      fc.asyncProperty(someCase, async (on) => {
        const model = validModel(timesModel(on));
        const query = sent(on);
        const planned = attempt(() => plan(model, query, anyone));
        if (planned instanceof Failure) {
          expect(planned.message).toMatch(refusals);
        }
        // Replaces a refused query with another random one, so that chance does not decide how many are answered.
        fc.pre(!(planned instanceof Failure));
        answered++;
        await fillTables(database(), on.tables, tableColumns);
        const expected = naiveAnswer(on, planned.cubes).map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, cell]) => [shown(on, name), cell])),
        );
        expect(comparable(await answer(database(), planned))).toEqual(comparable(expected));
        const [counted] = planned.total ? await database().run(planned.total) : [];
        expect(Number(counted?.[0])).toBe(expected.length);
        await expectPage(on, { model, query, expected });
      }),
      runs,
    );
    expect(answered).toBeGreaterThan(runs.numRuns / 5);
  });
});

/** Expects that a page has the next rows in the order of the first measure. */
async function expectPage(
  on: TimeCase,
  {
    model,
    query,
    expected,
  }: {
    readonly model: ReturnType<typeof validModel>;
    readonly query: JsonObject;
    readonly expected: readonly Readonly<Record<string, unknown>>[];
  },
): Promise<void> {
  const { limit, offset, measures } = on.query;
  const [by = ""] = measures.map((name) => shown(on, name));
  const page = plan(model, { ...query, order: { [by]: "desc" }, limit, offset }, anyone);
  const found = await answer(database(), page);
  const last = Number.NEGATIVE_INFINITY;
  const sorted = expected
    .map((row) => comparableCell(row[by]) as number | null)
    .toSorted((one, other) => (other ?? last) - (one ?? last) || 0)
    .slice(offset, offset + limit);
  expect(found.map((row) => comparableCell(row[by]))).toEqual(sorted);
  const known = new Set(comparable(expected));
  expect(comparable(found).filter((row) => !known.has(row))).toEqual([]);
}

function attempt<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
