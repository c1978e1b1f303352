// Views, granularities and pre-aggregations that no query can use are errors of the data model, at their place.
import { describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { errorsOf, keys } from "../../test/support/model-errors.ts";

describe("views", () => {
  const view = (rest: string) => `cubes:
  - name: a
    sql_table: a
    joins:
      - { name: b, relationship: many_to_one, sql: "{CUBE}.b_id = {b.id}" }
      - { name: c, relationship: many_to_one, sql: "{CUBE}.c_id = {c.id}" }
    dimensions: [${keys}, { name: x, sql: x, type: string }]
    hierarchies: [{ name: h, levels: [x] }]
  - name: b
    sql_table: b
    joins: [{ name: c, relationship: many_to_one, sql: "{CUBE}.c_id = {c.id}" }]
    dimensions: [${keys}]
  - { name: c, sql: "SELECT * FROM c WHERE {FILTER_PARAMS.v.a_x.filter('x')}", dimensions: [${keys}] }
views:
  - name: v
    cubes:
      - { join_path: a, includes: [x, h], prefix: true }
${rest}`;
  test.each([
    [
      "      - { join_path: a.b.c, includes: [id] }\n      - { join_path: a.c, includes: [{ name: id, alias: other }] }\n",
      [
        "19:22 c is reached as a.b.c and as a.c; name one path, or declare a second cube that extends c",
      ],
    ],
    [
      "    folders: [{ name: F, includes: [a_x] }, { name: F, includes: [{ name: G, includes: [a_x] }, { name: G, includes: [a_x] }] }]\n",
      ["18:53 v has two folders named F", "18:105 v has two folders named G"],
    ],
    ["    folders: [{ name: F, includes: [{ join_path: a }] }]\n", []],
    [
      "    folders: [{ name: F, includes: [{ join_path: b }] }]\n",
      ["18:37 v takes no members of b"],
    ],
  ])("%s", (rest, expected) => {
    expect(errorsOf(view(rest))).toEqual(expected);
  });

  test("have their prefix on hierarchies, and members that FILTER_PARAMS checks", () => {
    const { model } = compileModel([{ path: "model/a.yml", content: view("") }]);
    expect(model?.views[0]?.hierarchies).toMatchObject([{ name: "a_h", levels: ["a_x"] }]);
    expect(errorsOf(view("").replace("v.a_x", "v.b_x"))).toEqual([
      "13:21 v has no member b_x. Did you mean a_x?",
    ]);
  });
});

describe("granularities in SQL", () => {
  test("have the name of a default one", () => {
    const cube = (name: string) => `cubes:
  - name: a
    sql_table: a
    calendar: true
    dimensions:
      - { name: at, sql: at, type: time, granularities: [{ name: ${name}, sql: "{CUBE}.y" }] }
`;
    expect(errorsOf(cube("year"))).toEqual([]);
    expect(errorsOf(cube("fiscal"))).toEqual([
      "6:58 granularity fiscal has sql, so its name must be one of second, minute, hour, day, week, month, quarter, year",
    ]);
  });
});

describe("pre-aggregations", () => {
  const cube = (one: string) => `cubes:
  - name: a
    sql_table: a
    dimensions: [${keys}, { name: at, sql: at, type: time }]
    measures: [{ name: count, type: count }]
    pre_aggregations:
      - { name: p, ${one} }
      - { name: q, measures: [count] }
`;
  test.each([
    [
      "measures: [count], time_dimensions: [{ dimension: at, granularity: day }], output_column_types: [{ member: id, type: bigint }], stream_offset: earliest",
      "",
    ],
    ["type: auto_rollup, max_pre_aggregations: 20", ""],
    [
      "measures: [count], dimensions: [id], indexes: [{ name: i, columns: [id] }, { name: j, sql: 'CREATE INDEX j ON t (id)' }]",
      "",
    ],
    ["type: rollup_join, rollups: [q], scheduled_refresh: false", ""],
    ["type: original_sql, time_dimension: at, partition_granularity: month", ""],
    [
      "measures: [count], time_dimension: at, granularity: day, partition_granularity: month, refresh_key: { every: 1 day, incremental: true, update_window: 7 day }",
      "",
    ],
    [
      "measures: [count], time_dimension: at, granularity: day, time_dimensions: [{ dimension: at }]",
      "p has both time_dimension and time_dimensions; keep one",
    ],
    [
      "measures: [count], time_dimensions: [{ dimension: id }]",
      "p has the time dimension id, which is of type number",
    ],
    [
      "type: rollup_join, rollups: [q], scheduled_refresh: true",
      "p is a rollup_join, which has no scheduled refresh",
    ],
    [
      "measures: [count], union_with_source_data: true",
      "p has union_with_source_data, which only the type rollup_lambda has",
    ],
    [
      "measures: [count], max_pre_aggregations: 20",
      "p has max_pre_aggregations, which only the type auto_rollup has",
    ],
    [
      "type: original_sql, time_dimension: at",
      "p needs both partition_granularity and time_dimension, or neither",
    ],
    ["type: original_sql, measures: [count]", "p is of type original_sql and has no measures"],
    ["type: rollup_join, rollups: [missing]", "p lists the rollup missing, which a does not have"],
    [
      "measures: [count], refresh_key: { every: 1 day, incremental: true }",
      "refresh_key is incremental, which needs partition_granularity",
    ],
    [
      "measures: [count], refresh_key: { sql: SELECT 1, every: '0 * * * *' }",
      "refresh_key has sql, so every must be an interval such as 1 hour",
    ],
    [
      "measures: [count], dimensions: [id], indexes: [{ name: i }]",
      "the index i needs exactly one of columns and sql",
    ],
    [
      "measures: [count], dimensions: [id], indexes: [{ name: i, columns: [at] }]",
      "the index i has the column at, which p does not contain",
    ],
  ])("%s", (one, message) => {
    const errors = errorsOf(cube(one));
    expect(errors).toHaveLength(message === "" ? 0 : 1);
    if (message !== "") expect(errors[0]).toContain(message);
  });

  test("alone have an incremental refresh key", () => {
    expect(
      errorsOf(
        "cubes:\n  - { name: a, sql_table: a, refresh_key: { every: 1 day, update_window: 1 day } }\n",
      ),
    ).toEqual(["2:74 update_window is for the refresh key of a pre-aggregation"]);
  });
});
