// Join paths of planned queries, which refuse ambiguous ones.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";

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

const database = useQueryDatabase([
  "CREATE TABLE threads AS SELECT * FROM (VALUES (1, 1, 1), (2, 2, 2)) AS t(id, author, region)",
  "CREATE TABLE replies AS SELECT * FROM (VALUES (10, 1, 1, 100), (11, 2, 1, 7), (12, 1, 2, 50)) AS t(id, thread, author, n)",
  "CREATE TABLE people AS SELECT * FROM (VALUES (1, 10), (2, 20)) AS t(id, rate)",
]);

/** Threads and replies, each with an author, of whom people have joins to other cubes, too. */
const forum = (joinsOfPeople: string) =>
  validModel(`
cubes:
  - name: threads
    sql_table: threads
    joins:
      - { name: people, relationship: many_to_one, sql: "{CUBE}.author = {people}.id" }
      - { name: replies, relationship: one_to_many, sql: "{CUBE}.id = {replies}.thread" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: region, sql: region, type: number }
    measures: [{ name: cost, type: sum, sql: "{people.rate}" }]
  - name: replies
    sql_table: replies
    joins: [{ name: people, relationship: many_to_one, sql: "{CUBE}.author = {people}.id" }]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
    measures:
      - { name: total, type: sum, sql: "{CUBE}.n" }
      - { name: cost, type: sum, sql: "{CUBE}.n * {people.rate}" }
  - name: people
    sql_table: people
    joins: [${joinsOfPeople}]
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: rate, sql: rate, type: number }
views:
  - name: by_thread
    cubes:
      - { join_path: threads, includes: [region, cost] }
      - { join_path: threads.replies, prefix: true, includes: [id, total, cost] }
    access_policy:
      - group: "*"
        row_level: { filters: [{ member: region, operator: equals, values: ["2"] }] }
  - name: by_person
    cubes:
      - { join_path: people, includes: [id] }
      - { join_path: people.threads, includes: [cost] }
`);

const joinOf = (to: string, condition: string) =>
  `{ name: ${to}, relationship: one_to_many, sql: "${condition}" }`;
const threadsOfAuthor = joinOf("threads", "{threads}.author = {CUBE.id}");
const repliesOfAuthor = joinOf("replies", "{CUBE}.id = {replies}.author");
const authors = forum(threadsOfAuthor);
const ask = async (model: typeof authors, query: JsonObject) =>
  (await answer(database(), plan(model, query, anyone))).map((row) => Object.values(row));
const twice = "The join to 'people' is ambiguous";

describe("a cube that is reached by two ways", () => {
  test("is joined over the path of the view, whose row filter hides rows", async () => {
    const dimensions = ["by_thread.replies_id"];
    expect(await ask(authors, { dimensions })).toEqual([[11]]);
    const measures = ["by_thread.replies_total", "by_thread.replies_cost"];
    expect(await ask(authors, { dimensions, measures })).toEqual([[11, 7, 70]]);
    const both = { dimensions, measures: ["by_thread.cost", "by_thread.replies_cost"] };
    expect(() => plan(authors, both)).toThrow(twice);
  });

  test.each([
    ["over a detour", threadsOfAuthor],
    ["from the cube itself", `${threadsOfAuthor}, ${repliesOfAuthor}`],
  ])("is refused instead of joined %s", (_, joins) => {
    const model = forum(joins);
    const both = ["threads.cost", "replies.cost"];
    for (const measures of [both, both.toReversed()])
      expect(() => plan(model, { dimensions: ["threads.id"], measures })).toThrow("is ambiguous");
  });

  test("has the pairs of the direct join in each order of the members", async () => {
    const order = [["threads.id", "asc"]];
    const found = await ask(authors, {
      dimensions: ["threads.id"],
      measures: ["replies.cost"],
      order,
    });
    expect(found).toEqual([
      [1, 2000],
      [2, 70],
    ]);
  });

  test("is read in both directions of one join, but not over another one than its member names", async () => {
    const query = { dimensions: ["by_person.id"], measures: ["by_person.cost"] };
    const order = [["by_person.id", "asc"]];
    expect(await ask(authors, { ...query, order })).toEqual([
      [1, 10],
      [2, 20],
    ]);
    const regions = forum(joinOf("threads", "{CUBE}.id = {threads}.region"));
    expect(() => plan(regions, query)).toThrow(
      "The join of 'threads' and 'people' is ambiguous: the model joins them in two ways",
    );
  });
});
