// A mistake has one error, where it is written, however much uses it.
import { expect, test } from "vitest";
import { compileModel } from "./compile.ts";

function errorsOf(content: string): readonly string[] {
  return compileModel([{ path: "model/test.yml", content }]).errors.map(
    ({ line, message }) => `${line} ${message}`,
  );
}

test("what children inherit has the errors of their parent", () => {
  const children = `
  - { name: c, extends: a }
  - { name: d, extends: c }
views:
  - { name: v, cubes: [{ join_path: c, includes: [total] }] }
`;
  const members = `cubes:
  - name: a
    sql_table: a
    dimensions:
      - { name: id, sql: "{nothing} + {nowhere}", type: number, primary_key: true }
      - { name: x, sql: "{CUBE.y}", type: number }
      - { name: y, sql: "{CUBE.x}", type: number }
    measures:
      - { name: total, type: sum, sql: x }
      - { name: total, type: max, sql: x }
      - { name: mixed, type: number, sql: "{total} + {CUBE}.x + {b.count}" }
      - { name: over, type: number, sql: "{mixed} + {CUBE}.x" }
      - { name: twice, type: number, sql: "{mixed} * 2" }
    joins: [{ name: b, relationship: many_to_one, sql: "{CUBE}.b = {b.id}" }, { name: nowhere, relationship: many_to_one, sql: "{nowhere.id}" }]
  - { name: b, sql_table: b, dimensions: [{ name: id, sql: id, type: number, primary_key: true }], measures: [{ name: count, type: count }] }`;
  expect(errorsOf(members + children)).toEqual([
    "5 {nothing} is neither a member of a nor a cube",
    "6 a.x references itself: a.x -> a.y -> a.x",
    "10 a.total is already declared under measures",
    "11 a.mixed combines columns with a measure of b; use only measures and aggregates in its sql",
    "14 a joins nowhere, which is not a cube",
  ]);
  const table = "cubes:\n  - { name: a, measures: [{ name: total, type: count }] }";
  expect(errorsOf(table + children)).toEqual(["2 a has neither sql nor sql_table; add one"]);
});

test("a child has its own errors in what it inherits", () => {
  const model = `cubes:
  - { name: a, sql_table: a, measures: [{ name: total, type: sum, sql: "{x}" }], dimensions: [{ name: x, sql: x, type: number }] }
  - { name: c, extends: a, dimensions: [{ name: x, sql: "{nothing}", type: number }] }
  - { name: d, extends: a, measures: [{ name: x, type: count }] }
`;
  expect(errorsOf(model)).toEqual([
    "3 {nothing} is neither a member of c nor a cube",
    "4 d.x is already declared under dimensions",
  ]);
});

test.each([
  ["extends: nowhere", "there is no cube nowhere to extend"],
  ["extends: c", "cubes extend each other in a cycle: c, c"],
])("what lacks its parent has no other errors: %s", (parent, message) => {
  const model = `cubes:
  - { name: c, ${parent}, measures: [{ name: n, type: number, sql: "{total}" }] }
  - { name: d, extends: c, dimensions: [{ name: y, sql: "{city}", type: string }] }
  - name: z
    sql_table: z
    joins: [{ name: d, relationship: many_to_one, sql: "{CUBE}.d = {d.id}" }]
    measures: [{ name: m, type: number, sql: "{d.total} + {d.n}" }]
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]
views:
  - name: v
    cubes: [{ join_path: z.d, includes: [total, n], excludes: [city] }]
    folders: [{ name: F, includes: [total] }]
  - { name: w, extends: v, default_filters: [{ member: total, operator: set }] }
`;
  expect(errorsOf(model)).toEqual([`2 ${message}`]);
});

test("what a view declares over its members has no errors where they lack", () => {
  const rest = `folders: [{ name: F, includes: [totl] }], default_filters: [{ member: totl, operator: set }], access_policy: [{ group: "*", member_level: { includes: [totl] } }]`;
  const model = `cubes:
  - { name: a, sql_table: a, measures: [{ name: total, type: sum, sql: x }] }
views:
  - { name: v, cubes: [{ join_path: a, includes: [totl] }], ${rest} }
  - { name: w, extends: v }
  - { name: u, cubes: [{ join_path: nowhere, includes: [totl] }], ${rest} }
  - { name: t, extends: nothing, ${rest} }
  - { name: r, cubes: [{ join_path: a, includes: [total] }], folders: [{ name: F, includes: [totl] }] }
`;
  expect(errorsOf(model)).toEqual([
    "4 a has no member totl. Did you mean total?",
    "6 nowhere is not a cube",
    "7 there is no view nothing to extend",
    "8 r has no member totl. Did you mean total?",
  ]);
});
