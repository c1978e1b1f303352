// Join paths of planned queries, which refuse ambiguous ones.
import { expect, test } from "vitest";
import { plan, validModel } from "../../test/support/query-database.ts";

test("two equally short join paths are ambiguous", () => {
  const diamond = validModel(`
cubes:
  - name: a
    sql_table: a
    joins:
      - { name: b, relationship: many_to_one, sql: "{CUBE}.b = {b.id}" }
      - { name: c, relationship: many_to_one, sql: "{CUBE}.c = {c.id}" }
    dimensions: [{ name: id, sql: id, type: number, primary_key: true }]
    measures: [{ name: count, type: count }]
  - name: b
    sql_table: b
    joins: [{ name: d, relationship: many_to_one, sql: "{CUBE}.d = {d.id}" }]
    dimensions: [{ name: id, sql: id, type: number }]
  - name: c
    sql_table: c
    joins: [{ name: d, relationship: many_to_one, sql: "{CUBE}.d = {d.id}" }]
    dimensions: [{ name: id, sql: id, type: number }]
  - name: d
    sql_table: d
    dimensions: [{ name: id, sql: id, type: number }]
views:
  - name: by_c
    cubes:
      - { join_path: a, includes: [count] }
      - { join_path: a.c.d, includes: [id] }
`);
  expect(() => plan(diamond, { measures: ["a.count"], dimensions: ["d.id"] })).toThrow(
    "The join path from 'a' to 'd' is ambiguous: equally short paths lead over 'b' and 'c'",
  );
  const hinted = {
    measures: ["a.count"],
    dimensions: ["d.id"],
    joinHints: [
      ["a", "c"],
      ["c", "d"],
    ],
  };
  expect(plan(diamond, hinted).cubes).toEqual(["a", "c", "d"]);
  const { cubes } = plan(diamond, { measures: ["by_c.count"], dimensions: ["by_c.id"] });
  expect(cubes).toEqual(["a", "c", "d"]);
});
