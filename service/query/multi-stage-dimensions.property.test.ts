// Generated queries with multi-stage dimensions answer what grouping the rows by hand twice does.
import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { assertProperty } from "../../test/support/assert-property.ts";
import { addMonths, comparable, fillTables, truncated } from "../../test/support/naive-query.ts";
import { answer, plan, useQueryDatabase, validModel } from "../../test/support/query-database.ts";

const model = validModel(`
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - { name: kind, sql: kind, type: string }
      - { name: buyer, sql: buyer, type: number }
      - { name: sold_at, sql: sold_at, type: time }
      - name: grade
        type: string
        multi_stage: true
        sql: "CASE WHEN {before} IS NULL THEN 'new' WHEN {total} > {before} THEN 'grow' WHEN {count} > 1 THEN 'many' END"
        add_group_by: [buyer]
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: amount }
      - { name: kinds, type: count_distinct, sql: kind }
      - { name: before, multi_stage: true, type: number, sql: "{total}", time_shift: [{ interval: 1 year, type: prior }] }
`);

const days = ["2024-02-29", "2024-11-30", "2025-02-28", "2025-12-31", "2026-03-01"];
const row = fc.record({
  kind: fc.constantFrom("x", "y", null),
  buyer: fc.constantFrom(1, 2, null),
  amount: fc.option(fc.integer({ min: -3, max: 5 }), { freq: 5 }),
  sold_at: fc.constantFrom(...days).map((one) => Date.parse(`${one}T10:00:00Z`)),
});
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const anyQuery = fc.record({
  dimensions: fc.subarray(["kind", "buyer"] as const),
  granularity: fc.constantFrom("year", "month", undefined),
  isGrouped: fc.boolean(),
  kind: fc.option(fc.constantFrom("x", "y"), { nil: undefined }),
  grades: fc.option(fc.subarray(["new", "grow", "many"], { minLength: 1 }), { nil: undefined }),
});
type Query = typeof anyQuery extends fc.Arbitrary<infer T> ? T : never;

const columns = { kind: "TEXT", buyer: "INTEGER", amount: "INTEGER", sold_at: "TIMESTAMP" };
const database = useQueryDatabase([]);
const [from, to] = ["2025-01-01", "2026-12-31"];

function groupsOf<T>(rows: readonly T[], keyOf: (one: T) => unknown): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of rows) {
    const key = JSON.stringify(keyOf(one));
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

/** Returns the sum of the amounts that are set; null if none is. */
function total(rows: readonly Row[] = []): number | null {
  const amounts = rows.flatMap(({ amount }) => amount ?? []);
  return amounts.length === 0 ? null : amounts.reduce((sum, one) => sum + one, 0);
}

function expected(all: readonly Row[], { dimensions, granularity, ...query }: Query) {
  const timeOf = (time: number) =>
    granularity === undefined ? [] : [truncated(time, granularity)];
  const isRead = (time: number, { kind }: Row) =>
    time >= Date.parse(from ?? "") &&
    time < Date.parse(`${to}T24:00:00Z`) &&
    (query.kind === undefined || kind === query.kind);
  const keyOf = (one: Row, time: number) => [
    ...dimensions.map((name) => one[name]),
    ...timeOf(time),
  ];
  const later = ({ sold_at: time }: Row) => addMonths(time, 12);
  const rows = all.filter((one) => isRead(one.sold_at, one));
  const now = groupsOf(rows, (one) => [keyOf(one, one.sold_at), one.buyer]);
  const earlier = groupsOf(
    all.filter((one) => isRead(later(one), one)),
    (one) => [keyOf(one, later(one)), one.buyer],
  );
  const gradeOf = (one: Row) => {
    const key = JSON.stringify([keyOf(one, one.sold_at), one.buyer]);
    const before = total(earlier.get(key));
    const own = total(now.get(key));
    if (before === null) return "new";
    if (own !== null && own > before) return "grow";
    return (now.get(key) ?? []).length > 1 ? "many" : null;
  };
  const graded = rows
    .map((one) => ({ ...one, grade: gradeOf(one) }))
    .filter(({ grade }) => query.grades === undefined || query.grades.includes(grade ?? ""));
  const groups = groupsOf(graded, (one) => [
    ...keyOf(one, one.sold_at),
    ...(query.isGrouped ? [one.grade] : []),
  ]);
  const isWhole = dimensions.length === 0 && granularity === undefined && !query.isGrouped;
  const parts = isWhole ? [graded] : [...groups.values()];
  return parts.map((part) => {
    const [first] = part;
    return {
      ...Object.fromEntries(dimensions.map((name) => [`orders.${name}`, first?.[name]])),
      ...(granularity !== undefined && {
        [`orders.sold_at.${granularity}`]: new Date(truncated(first?.sold_at ?? 0, granularity))
          .toISOString()
          .slice(0, -1),
      }),
      ...(query.isGrouped && { "orders.grade": first?.grade }),
      "orders.count": part.length,
      "orders.total": total(part),
      "orders.kinds": new Set(part.flatMap(({ kind }) => kind ?? [])).size,
    };
  });
}

test("rows have the value of their group", { timeout: 600_000 }, async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 12 }),
      fc.array(anyQuery, { minLength: 4, maxLength: 4 }),
      async (orders, queries) => {
        await fillTables(database(), { orders }, columns);
        for (const query of queries) {
          const { dimensions, granularity, isGrouped, kind, grades } = query;
          const filter = (member: string, values: readonly string[]) => ({
            member: `orders.${member}`,
            operator: "equals",
            values,
          });
          const planned = plan(model, {
            dimensions: [...dimensions, ...(isGrouped ? ["grade"] : [])].map(
              (name) => `orders.${name}`,
            ),
            measures: ["orders.count", "orders.total", "orders.kinds"],
            timeDimensions: [
              {
                dimension: "orders.sold_at",
                dateRange: [from, to],
                ...(granularity !== undefined && { granularity }),
              },
            ],
            filters: [
              ...(kind === undefined ? [] : [filter("kind", [kind])]),
              ...(grades === undefined ? [] : [filter("grade", grades)]),
            ],
            limit: 50_000,
          });
          const found = await answer(database(), planned);
          expect(comparable(found)).toEqual(comparable(expected(orders, query)));
        }
      },
    ),
    propertyRuns(0.3),
  );
});
