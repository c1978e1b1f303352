// Generated access policies: members, masks and rows of cubes, of joined cubes and of views, against a naive filter over the same rows.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../core/errors.ts";
import { runsMoreCases } from "../../test/support/sampling.ts";
import { propertyRuns } from "../../test/support/arbitrary-values.ts";
import { assertProperty } from "../../test/support/assert-property.ts";
import type { JsonObject } from "../../core/json.ts";
import {
  dimensions,
  groups,
  kinds,
  type Level,
  measures,
  members,
  modelOf,
  naiveAnswer,
  type Policy,
  type PolicyCase,
  type RowFilter,
  type Value,
  viewName,
} from "../../test/support/naive-policies.ts";
import {
  comparable,
  fillTables,
  type NaiveFilter,
  type Row,
} from "../../test/support/naive-query.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import type { QueryCaller } from "./access.ts";

const rows = fc
  .array(
    fc.record({
      parent: fc.constantFrom(1, 2, null),
      kind: fc.constantFrom(...kinds),
      amount: fc.option(fc.integer({ min: -3, max: 9 }), { freq: 5 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((list) => list.map((row, index): Row => ({ id: index + 1, ...row })));

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom("x", "y"),
  fc.record({ attribute: fc.constantFrom("one", "many", "none") }),
);
const rowFilter = fc.letrec<{ filter: RowFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.record({
      member: fc.constantFrom("kind", "kind", "parents.kind"),
      operator: fc.constantFrom("equals", "notEquals", "in", "notIn", "contains", "notContains"),
      values: fc.array(value, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({
      member: fc.constantFrom("kind", "amount"),
      operator: fc.constantFrom("set", "notSet"),
      values: fc.constant([]),
    }),
    fc.array(tie("filter"), { minLength: 1, maxLength: 2 }).map((and) => ({ and })),
    fc.array(tie("filter"), { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
  ),
})).filter;
const level: fc.Arbitrary<Level> = fc.record({
  includes: fc.option(fc.oneof(fc.constant("*" as const), fc.subarray(members)), {
    nil: undefined,
  }),
  excludes: fc.option(fc.subarray(members), { nil: undefined }),
});
const policy: fc.Arbitrary<Policy> = fc.record({
  subject: fc.oneof(
    fc.constantFrom(...groups, "*").map((group) => ({ group })),
    fc.subarray([...groups], { minLength: 1 }).map((names) => ({ groups: names })),
    fc.constant({ role: "reader" }),
  ),
  isConditional: fc.boolean(),
  level: fc.option(level, { nil: undefined, freq: 2 }),
  masking: fc.option(level, { nil: undefined, freq: 2 }),
  rows: fc.oneof(
    { weight: 4, arbitrary: fc.array(rowFilter, { minLength: 1, maxLength: 2 }) },
    fc.constantFrom("all" as const, undefined),
  ),
});
const policies = fc.array(policy, { minLength: 1, maxLength: 3 });

const filter: fc.Arbitrary<NaiveFilter> = fc.oneof(
  fc.record({
    member: fc.constantFrom("children.kind", "parents.kind"),
    operator: fc.constantFrom("equals", "notEquals", "notContains"),
    values: fc.array(fc.constantFrom(...kinds, "***"), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ member: fc.constant("children.some"), operator: fc.constant("measureFilter") }),
  fc.record({
    member: fc.constantFrom("children.kind", "children.amount"),
    operator: fc.constantFrom("set", "notSet"),
  }),
);
const nested = fc.oneof(
  filter,
  fc.tuple(filter, filter).map((or) => ({ or })),
);
const named = (names: readonly string[]) =>
  fc.uniqueArray(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...names.map((name) => `children.${name}`)) },
      fc.constantFrom(...names.map((name) => `parents.${name}`)),
    ),
    { maxLength: 3 },
  );

const someCase: fc.Arbitrary<PolicyCase> = fc
  .record({
    tables: fc.record({ parents: rows, children: rows }),
    policies: fc.record(
      { parents: policies, children: policies, v: policies },
      { requiredKeys: [] },
    ),
    caller: fc
      .record({
        groups: fc.subarray([...groups]),
        roles: fc.subarray(["reader"]),
        one: fc.option(fc.constantFrom("x", "y"), { nil: undefined }),
        many: fc.subarray(["x", "y"]),
        isTrusted: fc.boolean(),
      })
      .map(({ groups: own, roles, one, many, isTrusted }): QueryCaller => ({
        ...anyone,
        groups: own,
        roles,
        userAttributes: {
          many,
          ...(one !== undefined && { one }),
          ...(isTrusted && { trusted: true }),
        },
      })),
    throughView: fc.boolean(),
    query: fc.record({
      dimensions: named(dimensions),
      measures: named(measures),
      filters: fc.array(nested, { maxLength: 2 }),
      segments: fc.subarray(["children.big"]),
      order: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        named([...dimensions, ...measures]),
      ),
      ungrouped: fc.boolean(),
    }),
  })
  .filter(({ query }) => query.dimensions.length + query.measures.length > 0);

function sent({ query, throughView }: PolicyCase): JsonObject {
  const shown = (name: string) => (throughView ? `v.${viewName(name)}` : name);
  const filterOf = (one: NaiveFilter): JsonObject => {
    if ("and" in one) return { and: one.and.map(filterOf) };
    if ("or" in one) return { or: one.or.map(filterOf) };
    return {
      member: shown(one.member),
      operator: one.operator,
      ...(one.values && { values: [...one.values] }),
    };
  };
  return {
    dimensions: query.dimensions.map(shown),
    measures: query.measures.map(shown),
    segments: query.segments.map(shown),
    filters: query.filters.map(filterOf),
    order: query.order.map((name) => [shown(name), "asc"]),
    ungrouped: query.ungrouped,
    limit: 5000,
  };
}

const columns = { id: "INTEGER", parent: "INTEGER", kind: "VARCHAR", amount: "INTEGER" };
const database = useQueryDatabase([]);
const runs = propertyRuns(0.4);

describe("generated access policies", () => {
  test(
    "show what a naive filter shows: no row, member or value more",
    { timeout: 600_000 },
    async () => {
      let answered = 0;
      await assertProperty(
        fc.asyncProperty(someCase, async (on) => {
          const model = validModel(modelOf(on));
          const planned = attempt(() => plan(model, sent(on), on.caller));
          if (planned instanceof Failure) {
            if (planned.code === "forbidden")
              expect(naiveAnswer(on, ["children", "parents"])).toBeUndefined();
            else expect(planned.message).toMatch(/^Ungrouped query requires|cannot use dimension/);
            return;
          }
          answered++;
          await fillTables(database(), on.tables, columns);
          const expected = naiveAnswer(on, planned.cubes);
          expect(expected).toBeDefined();
          const shown = (expected ?? []).map((row) =>
            Object.fromEntries(
              Object.entries(row).map(([name, cell]) => [
                on.throughView ? `v.${viewName(name)}` : name,
                cell,
              ]),
            ),
          );
          expect(comparable(await answer(database(), planned))).toEqual(comparable(shown));
        }),
        runs,
      );
      // With few random runs, any share of them can be refused.
      expect(answered).toBeGreaterThan(runsMoreCases ? runs.numRuns / 10 : 0);
    },
  );
});

function attempt<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
