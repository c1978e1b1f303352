// Members and row filters that no query can compute are errors of the data model, at their place: validation and plans find
// them before a query does.
import { describe, expect, test } from "vitest";
import { errorsOf, keys } from "../../test/support/model-errors.ts";

/** Returns a cube with another member in the given list, on line 6. */
const withMember = (list: "measures" | "dimensions" | "segments", member: string) => `cubes:
  - name: a
    sql_table: a
    joins: [{ name: b, relationship: many_to_one, sql: "{CUBE}.b_id = {b.id}" }]
    ${list}:
      - ${member}
      - ${list === "segments" ? "{ name: one, sql: 1 = 1 }" : list === "measures" ? "{ name: total, type: sum, sql: x }" : keys}
    ${list === "measures" ? `dimensions: [${keys}, { name: at, sql: at, type: time, granularities: [{ name: fiscal, interval: 1 year, offset: 1 month }] }]` : "measures: [{ name: total, type: max, sql: x }]"}
  - name: b
    sql_table: b
    joins: [{ name: c, relationship: one_to_many, sql: "{CUBE}.id = {c}.b_id" }]
    dimensions: [${keys}, { name: deep, sql: "{c.total}", type: number, sub_query: true }]
    measures:
      - { name: total, type: sum, sql: y }
      - { name: stage, multi_stage: true, type: number, sql: "{total}" }
      - { name: running, type: sum, sql: y, rolling_window: { trailing: unbounded } }
      - { name: mixed, type: number, sql: "{total} + count(*)" }
  - name: c
    sql_table: c
    dimensions: [${keys}]
    measures: [{ name: total, type: sum, sql: z }]
`;

describe("a measure", () => {
  test.each([
    [
      "{ name: x, type: number_agg, sql: '{total}' }",
      "x is of type number_agg, which needs multi_stage: true",
    ],
    [
      "{ name: x, type: number, sql: '{total}', filters: [{ sql: '1 = 1' }] }",
      "x is of type number, to which filters cannot apply; filter the measures that it uses",
    ],
    [
      "{ name: x, type: sum, sql: '{total}' }",
      "{total} is a measure, and this SQL reads rows; use a dimension with sub_query: true",
    ],
    [
      "{ name: x, type: sum, sql: y, filters: [{ sql: '{total} > 1' }] }",
      "{total} is a measure, and this SQL reads rows",
    ],
    [
      "{ name: x, type: number, sql: '{CUBE}.x + {b.total}' }",
      "a.x combines columns with a measure of b; use only measures and aggregates in its sql",
    ],
    [
      "{ name: x, type: number, sql: 'sum({b.id}) OVER () + {CUBE}.x + {b.stage}' }",
      "a.x combines columns with the multi-stage measure b.stage; use only measures and aggregates in its sql",
    ],
    [
      "{ name: x, type: number, sql: 'sum({CUBE}.x + {b.running})' }",
      "a.x combines columns with the running measure b.running; use only measures and aggregates in its sql",
    ],
    [
      "{ name: x, type: sum, sql: y, rolling_window: { type: to_date, granularity: nothing } }",
      "x has a rolling window to date of the granularity nothing; use one of second, minute, hour, day, week, month, quarter, year, or one that a dimension of a declares",
    ],
    [
      "{ name: x, type: sum, sql: y, rolling_window: {} }",
      "x has a rolling window without trailing or leading",
    ],
    [
      "{ name: x, type: sum, sql: y, rolling_window: { type: year_to_date, trailing: 1 day } }",
      "x has a rolling window of type year_to_date, which has no trailing",
    ],
    [
      "{ name: x, type: sum, sql: y, rolling_window: { trailing: 1 day, granularity: day } }",
      "x has a rolling window with a granularity, which only the type to_date has",
    ],
    [
      "{ name: x, type: sum, sql: y, mask: none }",
      "x is of type sum, so its mask is a number, null, or { sql }",
    ],
    [
      "{ name: x, type: sum, sql: y, currency: EUR, mask: { sql: '{nothing}' } }",
      "{nothing} is neither a member of a nor a cube",
    ],
    [
      "{ name: x, type: time, sql: 'max({at})', currency: EUR }",
      "x has a currency, which the type time cannot have",
    ],
  ])("%s", (member, message) => {
    expect(errorsOf(withMember("measures", member))).toEqual([expect.stringMatching(/^6:\d+ /)]);
    expect(errorsOf(withMember("measures", member))[0]).toContain(message);
  });

  test.each([
    [
      "type: sum, sql: '{total} + {id}'",
      "uses other measures in sql and order_by, at least one, and nothing else",
    ],
    [
      "type: sum, sql: 'amount'",
      "uses other measures in sql and order_by, at least one, and nothing else",
    ],
    [
      "type: sum, sql: '{total}', filters: [{ sql: '1 = 1' }]",
      "has no filters; declare them in the measures that it uses",
    ],
    [
      "type: sum, sql: '{total}', rolling_window: { trailing: 1 day }, group_by: [id]",
      "has group_by beside a rolling_window; use one measure for each",
    ],
    [
      "type: number, sql: '{total}', rolling_window: { trailing: 1 day }",
      "is of type number; a multi-stage rolling_window needs an aggregate such as sum",
    ],
    [
      "type: sum, sql: '{total}', rolling_window: { trailing: 1 day }, filter: { exclude: [id] }",
      "has filter beside a rolling_window; use one measure for each",
    ],
    [
      "type: number, sql: '{total}', time_shift: [{ name: before }]",
      "has the time shift before, which no dimension of a calendar declares",
    ],
    [
      "type: number, sql: '{total}', time_shift: [{ type: prior }]",
      "has a time shift without interval and type; a shift has these or a name",
    ],
    ["type: rank", "is a rank, which needs order_by"],
    [
      "type: rank, sql: '{total}', order_by: [{ sql: '{total}' }]",
      "is a rank, which has order_by and no sql",
    ],
    [
      "type: sum, sql: '{total}', order_by: [{ sql: '{total}' }]",
      "has order_by, which only a rank has",
    ],
    [
      "type: number, sql: '{total}', time_shift: [{ interval: 1 year, type: prior, time_dimension: id }]",
      "shifts id, which is of type number; name a dimension of type time",
    ],
    [
      "type: rank, order_by: [{ sql: '{total}' }], add_group_by: [id]",
      "is a rank, which add_group_by cannot extend",
    ],
    [
      "type: sum, sql: '{total}', group_by: [id], add_group_by: [at]",
      "has add_group_by or grain.include beside keys that leave dimensions out; use one measure for each",
    ],
    [
      "type: number, sql: '{total}', group_by: [id]",
      "is of type number; group_by, reduce_by and add_group_by need an aggregate such as sum",
    ],
    [
      "type: number_agg, sql: 'sum({total})', group_by: [id]",
      "is of type number_agg; group_by and reduce_by need an aggregate such as sum",
    ],
    [
      "type: count_distinct, sql: '{total}'",
      "is of type count_distinct; use sum, avg, min, max, count, number, number_agg or rank",
    ],
  ])("of several stages: %s", (keysOf, message) => {
    const errors = errorsOf(withMember("measures", `{ name: x, multi_stage: true, ${keysOf} }`));
    expect(errors).toEqual([expect.stringMatching(/^6:\d+ x /)]);
    expect(errors[0]).toContain(message);
  });
});

describe("a dimension or a segment", () => {
  test.each([
    [
      "dimensions",
      "{ name: x, type: number, sql: '{total} + 1' }",
      "{total} is a measure, and this SQL reads rows; use a dimension with sub_query: true",
    ],
    [
      "dimensions",
      "{ name: x, type: string, case: { when: [{ sql: '{b.total} > 1', label: a }] } }",
      "{b.total} is a measure, and this SQL reads rows",
    ],
    [
      "dimensions",
      "{ name: x, type: string, sql: y, mask: { sql: '{total}' } }",
      "{total} is a measure, and this SQL reads rows",
    ],
    [
      "segments",
      "{ name: x, sql: '{total} > 1' }",
      "{total} is a measure, and this SQL reads rows",
    ],
    [
      "dimensions",
      "{ name: x, type: number, sql: '{total} + {id}', multi_stage: true }",
      "x is a multi-stage dimension, whose sql uses measures, at least one, and nothing else",
    ],
    [
      "dimensions",
      "{ name: x, type: number, sql: '{total}', multi_stage: true, sub_query: true }",
      "x is a multi-stage dimension, which has sql and no sub_query",
    ],
    [
      "dimensions",
      "{ name: x, type: number, sql: y, add_group_by: [id] }",
      "x has add_group_by, which needs multi_stage: true",
    ],
    [
      "dimensions",
      "{ name: x, type: number, sql: '{total}', multi_stage: true, add_group_by: [x] }",
      "x is a multi-stage dimension, which has a value only in the groups of a query",
    ],
    [
      "dimensions",
      "{ name: w, type: number, sql: '2 * {x}' }\n      - { name: x, type: number, sql: '{total}', multi_stage: true }",
      "x is a multi-stage dimension, which has a value only in the groups of a query",
    ],
    ["dimensions", "{ name: x, type: switch }", "x is of type switch and needs values"],
    [
      "dimensions",
      "{ name: x, type: switch, values: [a], sql: y }",
      "x is of type switch, which has values and no sql",
    ],
    ["dimensions", "{ name: x, type: switch, values: [a, b, a] }", "x has the value a twice"],
    [
      "dimensions",
      "{ name: x, type: string, case: { when: [{ value: a, label: b, sql: y }] } }",
      "value is not allowed without switch",
    ],
    [
      "dimensions",
      "{ name: x, type: string, case: { switch: '{id}', when: [{ value: a, sql: y }] } }",
      "{id} is not a dimension of type switch; write {dimension}",
    ],
    [
      "dimensions",
      "{ name: x, type: string, case: { when: [{ label: a, sql: y }], else: {} } }",
      "label is required",
    ],
    [
      "dimensions",
      "{ name: x, type: time, sql: y, granularities: [{ name: g, interval: 1 month 2 days, origin: '2026-01-01' }] }",
      "granularity g has the interval 1 month 2 days, which mixes months with shorter units",
    ],
    [
      "dimensions",
      "{ name: x, type: string, sub_query: true, case: { when: [{ sql: 1 = 1, label: a }] } }",
      "x has sub_query, which needs sql",
    ],
    [
      "dimensions",
      "{ name: x, type: boolean, sql: y, mask: 0 }",
      "x is of type boolean, so its mask is a boolean, null, or { sql }",
    ],
    [
      "dimensions",
      "{ name: x, type: string, sql: y, currency: EUR }",
      "x has a currency, which the type string cannot have",
    ],
  ] as const)("%s %s", (list, member, message) => {
    const errors = errorsOf(withMember(list, member));
    expect(errors).toEqual([expect.stringMatching(/^6:\d+ /)]);
    expect(errors[0]).toContain(message);
  });

  test("filters are propagated to a subquery only", () => {
    const member = "{ name: x, type: number, sql: y, propagate_filters_to_sub_query: true }";
    expect(errorsOf(withMember("dimensions", member))).toEqual([
      expect.stringMatching(/^6:\d+ x has propagate_filters_to_sub_query and no sub_query/),
    ]);
  });

  test("a subquery needs a primary key, and time cannot be shifted in it", () => {
    expect(
      errorsOf(`cubes:
  - name: a
    sql_table: a
    joins: [{ name: b, relationship: one_to_many, sql: "{CUBE}.id = {b}.a_id" }]
    dimensions:
      - { name: x, sql: "{b.most}", type: number, sub_query: true }
  - name: b
    sql_table: b
    dimensions: [${keys}, { name: at, sql: at, type: time }]
    measures:
      - { name: most, type: max, sql: x }
  - name: c
    sql_table: c
    joins: [{ name: b, relationship: one_to_many, sql: "{CUBE}.id = {b}.a_id" }]
    dimensions:
      - ${keys}
      - { name: x, sql: "{later}", type: number, sub_query: true }
    measures:
      - { name: before, multi_stage: true, type: number, sql: "{b.most}", time_shift: [{ interval: 1 year, type: prior }] }
      - { name: later, type: number, sql: "2 * {before}" }
`),
    ).toEqual([
      "6:17 x has sub_query, so a needs a dimension with primary_key: true",
      "17:17 x has sub_query and uses c.before, which has a time_shift; a subquery has no time to shift",
    ]);
  });
});

test("a calendar declares time shifts", () => {
  const shifts = (cube: string, ...list: readonly string[]) =>
    errorsOf(`cubes:
  - name: a
    sql_table: a
    ${cube}
    dimensions:
      - { name: x, sql: x, type: time, time_shift: [${list.join(", ")}] }
`);
  const prior = "{ name: before, interval: 1 day, type: prior }";
  expect(shifts("calendar: true", prior)).toEqual([]);
  expect(shifts("", prior)[0]).toContain("x has time_shift, which only a dimension of type time");
  expect(shifts("calendar: true", prior, prior)[0]).toContain("before of x is declared twice");
  expect(shifts("calendar: true", "{ name: a, sql: y }")[0]).toContain(
    "so a needs one primary key",
  );
  expect(shifts("calendar: true", "{ interval: 1 day, type: prior }")[0]).toContain(
    "needs sql, or",
  );
  expect(shifts("calendar: true", "{ name: a, interval: 1 day }")[0]).toContain(
    "needs both interval",
  );
});

test("joins read rows, and a cube's SQL too", () => {
  expect(
    errorsOf(`cubes:
  - name: a
    sql_table: a
    joins: [{ name: b, relationship: many_to_one, sql: "{CUBE}.b_id = {b.total}" }]
  - name: b
    sql: SELECT {total}
    dimensions: [${keys}]
    measures: [{ name: total, type: max, sql: x }]
`),
  ).toEqual([
    "4:56 {b.total} is a measure, and this SQL reads rows; use a dimension with sub_query: true",
    "6:10 {total} is a measure, and this SQL reads rows; use a dimension with sub_query: true",
  ]);
});

describe("a row filter", () => {
  const cube = (filter: string) => `cubes:
  - name: a
    sql_table: a
    joins:
      - { name: b, relationship: many_to_one, sql: "{CUBE}.b_id = {b.id}" }
      - { name: c, relationship: one_to_many, sql: "{CUBE}.id = {c}.a_id" }
    dimensions:
      - ${keys}
      - { name: calls, sql: "{c.most}", type: number, sub_query: true }
      - { name: volume, sql: "{total}", type: number, multi_stage: true }
    measures: [{ name: total, type: max, sql: x, filters: [{ sql: "{CUBE}.y = 1" }] }]
    access_policy:
      - group: "*"
        row_level: { filters: [${filter}] }
  - { name: b, sql_table: b, dimensions: [${keys}] }
  - { name: c, sql_table: c, dimensions: [${keys}], measures: [{ name: most, type: max, sql: x }] }
views:
  - name: v
    cubes: [{ join_path: a, includes: "*" }]
    access_policy:
      - group: "*"
        row_level: { filters: [${filter.replace(/\bc\.id/, "total").replace(/\bb\.id/, "id")}] }
`;
  test.each([
    [
      "{ member: total, operator: gt, values: [1] }",
      "total is a measure; a row filter needs a dimension",
      2,
    ],
    [
      "{ member: id, operator: measureFilter }",
      "the operator measureFilter needs a measure, and id is a dimension",
      2,
    ],
    [
      "{ member: c.id, operator: set }",
      "a row of a can have several of c; a row filter needs a dimension that a row has one of",
      2,
    ],
    [
      "{ member: calls, operator: set }",
      "calls has sub_query, which reads rows of its own; a row filter cannot use it",
      1,
    ],
    [
      "{ member: volume, operator: set }",
      "volume is a multi-stage dimension, which has a value only in the groups of a query",
      2,
    ],
    ["{ member: b.id, operator: set }", "", 0],
    ["{ member: total, operator: measureFilter }", "", 0],
  ])("%s", (filter, message, count) => {
    const errors = errorsOf(cube(filter));
    expect(errors).toHaveLength(count);
    if (count > 0) expect(errors[0]).toContain(message);
  });
});

test("names of SQL texts are no names of cubes and views", () => {
  expect(
    errorsOf(`cubes:
  - { name: CUBE, sql_table: a, dimensions: [${keys}] }
  - { name: b, sql_table: b, dimensions: [${keys}] }
views:
  - { name: SQL_UTILS, cubes: [{ join_path: b, includes: "*" }] }
`),
  ).toEqual([
    "2:13 CUBE is a name of SQL texts, where it stands for something else; choose another",
    "5:13 SQL_UTILS is a name of SQL texts, where it stands for something else; choose another",
  ]);
});
