// Several access policies of one caller: a value is shown in the rows of a policy that opens its member, and nowhere else.
import { describe, expect, test } from "vitest";
import {
  answer,
  anyone,
  plan,
  type ResultRow,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import type { JsonObject } from "../../core/json.ts";
import type { QueryCaller } from "./access.ts";

const model = validModel(`
cubes:
  - name: pay
    sql: "SELECT 1 AS id, 'ann' AS who, 100 AS salary, 'x' AS region UNION ALL SELECT 2, 'bob', 200, 'y' UNION ALL SELECT 3, 'cid', 300, 'y'"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: who, sql: who, type: string }
      - { name: region, sql: region, type: string }
      - { name: salary, sql: salary, type: number, mask: -1 }
      - { name: code, sql: "'c' || salary", type: string }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: salary }
      - { name: average, type: number, sql: "{total} / {count}" }
      - { name: rich, type: count, filters: [{ sql: "{salary} > 150" }] }
    segments:
      - { name: well_paid, sql: "{salary} > 150" }
    access_policy:
      - group: directory
        member_level: { includes: [id, who, count] }
      - group: manager
        member_level: { includes: [id, who, salary, total, average, rich, region, well_paid] }
        row_level: { filters: [{ member: region, operator: equals, values: [x] }] }
      - group: owner
      - group: auditor
        member_level: { includes: [id, who, count] }
        member_masking: { includes: [salary, total, average] }
  - name: desks
    sql: "SELECT 1 AS id, 1 AS owner UNION ALL SELECT 2, 2"
    joins:
      - { name: pay, relationship: many_to_one, sql: "{CUBE}.owner = {pay.id}" }
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: owner_salary, sql: "{pay.salary}", type: number }
      - { name: owner_name, sql: "{pay.who}", type: string }
  - name: regions
    sql: "SELECT 'x' AS name UNION ALL SELECT 'y'"
    joins:
      - { name: pay, relationship: one_to_many, sql: "{CUBE}.name = {pay.region}" }
    dimensions:
      - { name: name, sql: name, type: string, primary_key: true, public: true }
      - { name: cost, sql: "{pay.total}", type: number, sub_query: true }
  - name: copies
    sql: "SELECT * FROM ({pay.sql()}) AS p"
    dimensions: [{ name: salary, sql: salary, type: number }]
views:
  - name: people
    cubes: [{ join_path: pay, includes: "*" }]
  - name: staff
    cubes: [{ join_path: pay, includes: [id, who, salary, total, region] }]
    access_policy:
      - group: directory
        member_level: { includes: [id, who] }
      - group: manager
        member_level: { includes: [id, salary, total] }
        row_level: { filters: [{ member: region, operator: equals, values: [x] }] }
`);

const database = useQueryDatabase([]);
const of = (...groups: string[]): QueryCaller => ({ ...anyone, groups });
const both = of("directory", "manager");
const ask = (query: JsonObject, caller: QueryCaller): Promise<readonly ResultRow[]> =>
  answer(database(), plan(model, query, caller));
const ann = { "pay.who": "ann", "pay.salary": 100 };

describe("a second group", () => {
  test("opens no cell that neither group opens", async () => {
    const query = { dimensions: ["pay.who", "pay.salary"] };
    expect(await ask(query, both)).toEqual([ann]);
    expect(await ask(query, of("manager"))).toEqual([ann]);
    expect(await ask({ measures: ["pay.total"] }, both)).toEqual([{ "pay.total": 100 }]);
    expect(await ask({ measures: ["pay.average"] }, both)).toEqual([{ "pay.average": 100 }]);
    expect(await ask({ dimensions: ["pay.who"] }, both)).toHaveLength(3);
  });

  test("opens none through a filter, a segment, an order, a total or single rows", async () => {
    const only = [{ "pay.who": "ann" }];
    const filter = { member: "pay.salary", operator: "gt", values: ["1"] };
    const applied = { member: "pay.rich", operator: "measureFilter" };
    const dimensions = ["pay.who"];
    expect(await ask({ dimensions, filters: [filter] }, both)).toEqual(only);
    expect(await ask({ dimensions, filters: [applied] }, both)).toEqual([]);
    expect(await ask({ dimensions, segments: ["pay.well_paid"] }, both)).toEqual([]);
    expect(await ask({ dimensions, order: [["pay.salary", "asc"]] }, both)).toEqual(only);
    const counted = plan(model, { dimensions: ["pay.salary"], total: true }, both);
    expect(counted.total && (await database().run(counted.total))).toEqual([["1"]]);
    const single = { dimensions: ["pay.id"], measures: ["pay.total"], ungrouped: true };
    expect(await ask(single, both)).toEqual([{ "pay.id": 1, "pay.total": 100 }]);
  });

  test("opens none through views, other cubes, subqueries and {cube.sql()}", async () => {
    expect(await ask({ dimensions: ["people.salary"] }, both)).toEqual([{ "people.salary": 100 }]);
    expect(await ask({ dimensions: ["staff.who", "staff.salary"] }, both)).toEqual([
      { "staff.who": "ann", "staff.salary": 100 },
    ]);
    expect(await ask({ dimensions: ["desks.id", "desks.owner_salary"] }, both)).toEqual([
      { "desks.id": 1, "desks.owner_salary": 100 },
      { "desks.id": 2, "desks.owner_salary": null },
    ]);
    expect(await ask({ dimensions: ["desks.id", "desks.owner_name"] }, both)).toEqual([
      { "desks.id": 1, "desks.owner_name": "ann" },
      { "desks.id": 2, "desks.owner_name": "bob" },
    ]);
    expect(await ask({ dimensions: ["regions.name", "regions.cost"] }, both)).toEqual([
      { "regions.name": "x", "regions.cost": 100 },
      { "regions.name": "y", "regions.cost": null },
    ]);
    // No policy opens every dimension, and the columns of one that is hidden could not be told apart.
    expect(await ask({ dimensions: ["copies.salary"] }, both)).toEqual([]);
    const owner = { dimensions: ["copies.salary"], order: [["copies.salary", "asc"]] };
    expect(await ask(owner, of("owner"))).toEqual([
      { "copies.salary": 100 },
      { "copies.salary": 200 },
      { "copies.salary": 300 },
    ]);
  });

  test("is not needed: SQL of another cube shows no value that its own cube hides or masks", async () => {
    for (const group of ["directory", "auditor"]) {
      const rows = await ask({ dimensions: ["desks.id", "desks.owner_salary"] }, of(group));
      expect(rows.map((row) => row["desks.owner_salary"])).toEqual([null, null]);
      const costs = await ask({ dimensions: ["regions.name", "regions.cost"] }, of(group));
      expect(costs.map((row) => row["regions.cost"])).toEqual([null, null]);
    }
  });

  test("that masks a member shows its mask in the rows of no other policy", async () => {
    const caller = of("manager", "auditor");
    expect(await ask({ dimensions: ["pay.who", "pay.salary"] }, caller)).toEqual([
      ann,
      { "pay.who": "bob", "pay.salary": -1 },
      { "pay.who": "cid", "pay.salary": -1 },
    ]);
    const averages = {
      dimensions: ["pay.who"],
      measures: ["pay.average"],
      order: [["pay.who", "asc"]],
    };
    expect(await ask(averages, caller)).toEqual([
      { "pay.who": "ann", "pay.average": 100 },
      { "pay.who": "bob", "pay.average": null },
      { "pay.who": "cid", "pay.average": null },
    ]);
    // A sum over rows of which some are masked would reveal them.
    expect(await ask({ measures: ["pay.total"] }, caller)).toEqual([{ "pay.total": null }]);
    const filters = [{ member: "pay.salary", operator: "gt", values: ["150"] }];
    expect(await ask({ dimensions: ["pay.who"], filters }, caller)).toEqual([]);
    const single = {
      dimensions: ["pay.id"],
      measures: ["pay.total"],
      order: [["pay.id", "asc"]],
      ungrouped: true,
    };
    expect(await ask(single, caller)).toEqual([
      { "pay.id": 1, "pay.total": 100 },
      { "pay.id": 2, "pay.total": null },
      { "pay.id": 3, "pay.total": null },
    ]);
  });
});

test("an order by a hidden member is refused, although it would have no effect", () => {
  const query = { dimensions: ["pay.who"], order: [["pay.salary", "asc"]] };
  expect(() => plan(model, query, of("directory"))).toThrow("hidden member: 'pay.salary'");
});

test("a measure counts a row once, although it shows another measure in some joined rows only", async () => {
  const joined = validModel(`
cubes:
  - name: customers
    sql: "SELECT 1 AS id, 100 AS credit, 7 AS visits"
    joins: [{ name: orders, relationship: one_to_many, sql: "{CUBE}.id = {orders}.customer" }]
    dimensions: [{ name: id, sql: id, type: number, primary_key: true, public: true }]
    measures: [{ name: credit, type: sum, sql: credit }, { name: visits, type: sum, sql: visits }]
  - name: orders
    sql: "SELECT 1 AS id, 1 AS customer, 'k' AS kind, 'done' AS status UNION ALL SELECT 2, 1, 'k', 'open'"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true, public: true }
      - { name: kind, sql: kind, type: string }
      - { name: status, sql: status, type: string }
views:
  - name: v
    cubes: [{ join_path: customers, includes: [credit, visits] }, { join_path: customers.orders, includes: [kind, status] }]
    access_policy:
      - group: "*"
        member_level: { includes: [visits, kind, status] }
        member_masking: { includes: [credit] }
      - group: x
        row_level: { filters: [{ member: status, operator: equals, values: [done] }] }
`);
  const query = { measures: ["v.visits", "v.credit"], dimensions: ["v.kind"] };
  expect(await answer(database(), plan(joined, query, of("x")))).toEqual([
    { "v.kind": "k", "v.visits": 7, "v.credit": null },
  ]);
});

test("a join hint to a cube without visible members is refused, because it would select rows", () => {
  const hinted = { dimensions: ["pay.who"], joinHints: [["desks", "pay"]] };
  expect(() => plan(model, hinted, { ...both, members: new Set(["pay.who"]) })).toThrow(
    "a join to the hidden cube 'desks'",
  );
  expect(() => plan(model, hinted, both)).not.toThrow();
});

test("policies that filter by a joined cube read it once", async () => {
  const policies = Array.from({ length: 100 }, (_, index) => ({
    group: "*",
    row_level: {
      filters: [
        { member: "owners.name", operator: "equals", values: [`owner ${index}`] },
        ...(index < 50 ? [] : [{ member: "owners.id", operator: "gt", values: [`${index}`] }]),
      ],
    },
  }));
  const owners =
    "SELECT 1 AS id, 'owner 7' AS name UNION ALL SELECT 2, 'owner 60' UNION ALL SELECT 61, 'owner 60'";
  const many = validModel(
    JSON.stringify({
      cubes: [
        {
          name: "things",
          sql: "SELECT 1 AS id, 1 AS owner UNION ALL SELECT 2, 2 UNION ALL SELECT 3, 61 UNION ALL SELECT 4, 5",
          joins: [
            { name: "owners", relationship: "many_to_one", sql: "{CUBE}.owner = {owners.id}" },
          ],
          dimensions: [{ name: "id", sql: "id", type: "number", primary_key: true, public: true }],
          access_policy: policies,
        },
        {
          name: "owners",
          sql: owners,
          dimensions: [
            { name: "id", sql: "id", type: "number", primary_key: true },
            { name: "name", sql: "name", type: "string" },
          ],
        },
      ],
    }),
  );
  const planned = plan(many, { dimensions: ["things.id"], order: { "things.id": "asc" } }, of("x"));
  expect(planned.statement.text.split(owners)).toHaveLength(2);
  expect(await answer(database(), planned)).toEqual([{ "things.id": 1 }, { "things.id": 3 }]);
});
