// Joins with an alias: two to one cube, and a cube with itself, compared with SQL written by hand.
import { describe, expect, test } from "vitest";
import {
  anyone,
  answer,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import type { JsonObject } from "../../core/json.ts";
import { compileModel } from "../model/compile.ts";
import type { QueryCaller } from "./access.ts";
import { describeModel } from "./meta.ts";

const text = `
cubes:
  - name: people
    sql_table: people
    joins:
      - { name: people, alias: manager, relationship: many_to_one, sql: "{CUBE}.manager_id = {manager.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: name, sql: "{people}.name", type: string }
      - { name: manager_name, sql: "{manager.name}", type: string }
      - { name: reports, sql: "{count}", type: number, sub_query: true }
    measures:
      - { name: count, type: count }
      - { name: pay, type: sum, sql: pay }
    access_policy:
      - group: "*"
        row_level: { filters: [{ member: people.id, operator: lt, values: ["{securityContext.below}"] }] }
      - group: all
        member_level: { includes: "*" }
  - name: tasks
    sql_table: tasks
    joins:
      - { name: people, alias: author, relationship: many_to_one, sql: "{CUBE}.author_id = {author}.id" }
      - { name: people, alias: reviewer, relationship: many_to_one, sql: "{CUBE}.reviewer_id = {reviewer.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: same, sql: "{author.name} = {reviewer.name}", type: boolean }
    measures:
      - { name: count, type: count }
      - { name: authors_pay, type: sum, sql: "{author.id}" }
views:
  - name: work
    cubes:
      - { join_path: tasks, includes: [id, count, same] }
      - { join_path: tasks.author, prefix: true, includes: [name, pay, manager_name] }
      - { join_path: tasks.reviewer, prefix: true, includes: [name] }
      - { join_path: tasks.author.manager, prefix: true, includes: [name] }
`;
const model = validModel(text);
const all: QueryCaller = { ...anyone, groups: ["all"] };
const database = useQueryDatabase([
  "CREATE TABLE people AS SELECT * FROM (VALUES (1, 'ann', NULL, 10), (2, 'bob', 1, 20), (3, 'eve', 1, 30)) AS t(id, name, manager_id, pay)",
  "CREATE TABLE tasks AS SELECT * FROM (VALUES (1, 2, 1), (2, 2, 3), (3, 3, 3), (4, NULL, 2)) AS t(id, author_id, reviewer_id)",
]);
const ask = async (query: JsonObject, caller = all) =>
  (await answer(database(), plan(model, query, caller))).map((row) => Object.values(row));
const byHand = (sql: string) => database().run({ text: sql, values: [] });
const plain = (rows: readonly (readonly unknown[])[]) =>
  rows.map((row) => row.map((one) => (/^\d+$/.test(String(one)) ? Number(one) : one)));

describe("joins with an alias", () => {
  test("read one cube twice, each under its alias", async () => {
    const found = await ask({
      dimensions: ["work.id", "work.author_name", "work.reviewer_name", "work.manager_name"],
      order: [["work.id", "asc"]],
    });
    expect(found).toEqual(
      plain(
        await byHand(`SELECT t.id, a.name, r.name, m.name FROM tasks t LEFT JOIN people a ON t.author_id = a.id
          LEFT JOIN people r ON t.reviewer_id = r.id LEFT JOIN people m ON a.manager_id = m.id ORDER BY 1`),
      ),
    );
  });

  test("join a cube with itself, in members and from another cube", async () => {
    const order = [["people.id", "asc"]];
    expect(
      await ask({ dimensions: ["people.id", "people.manager_name", "people.reports"], order }),
    ).toEqual([
      [1, null, 1],
      [2, "ann", 1],
      [3, "ann", 1],
    ]);
    expect(
      await ask({
        dimensions: ["work.author_manager_name"],
        measures: ["work.count"],
        order: [["work.count", "desc"]],
      }),
    ).toEqual([
      ["ann", 3],
      [null, 1],
    ]);
  });

  test("do not count rows several times", async () => {
    // Two tasks of bob add his pay once.
    expect(await ask({ measures: ["work.author_pay", "work.count"] })).toEqual([[50, 4]]);
    expect(
      await ask({
        measures: ["tasks.authors_pay"],
        dimensions: ["tasks.same"],
        order: [["tasks.same", "asc"]],
      }),
    ).toEqual([
      [false, 4],
      [true, 3],
      [null, null],
    ]);
  });

  test("apply the access policies of the cube under each alias", async () => {
    const caller = { ...anyone, securityContext: { below: 3 } };
    expect(
      await ask(
        {
          dimensions: ["work.id", "work.author_name", "work.reviewer_name"],
          order: [["work.id", "asc"]],
        },
        caller,
      ),
    ).toEqual([
      [1, "bob", "ann"],
      [2, "bob", null],
      [3, null, null],
      [4, null, "bob"],
    ]);
  });

  test("appear in metadata under the name of their cube", () => {
    const cubes = describeModel(model, all, { isExtended: true });
    expect(cubes.map(({ name, connectedComponent }) => [name, connectedComponent])).toEqual([
      ["people", 1],
      ["tasks", 1],
      ["work", 1],
    ]);
    expect(cubes[1]?.joins).toMatchObject([{ name: "author" }, { name: "reviewer" }]);
    expect(cubes[2]?.dimensions).toMatchObject([
      {},
      {},
      { aliasMember: "people.name" },
      {},
      {},
      {},
    ]);
  });

  test("are refused where one query would need a cube twice under one name", () => {
    const twice = `${text}      - { join_path: tasks.reviewer.manager, includes: [{ name: name, alias: second }] }\n`;
    expect(compileModel([{ path: "model/a.yml", content: twice }]).errors).toMatchObject([
      {
        message: expect.stringContaining(
          "people is reached as tasks.author.manager and as tasks.reviewer.manager",
        ),
      },
    ]);
    const nested = text.replace('sql: "{manager.name}"', 'sql: "{manager.manager_name}"');
    expect(compileModel([{ path: "model/a.yml", content: nested }]).errors).toMatchObject([
      { message: expect.stringContaining("references itself") },
    ]);
    const broken = text.replace("{CUBE}.author_id = {author}.id", "{CUBE}.author_id = {autor}.id");
    expect(compileModel([{ path: "model/a.yml", content: broken }]).errors).toMatchObject([
      { message: expect.stringContaining("{autor} is neither") },
    ]);
  });
});
