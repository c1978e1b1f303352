// FILTER_PARAMS in the SQL of cubes with row filters: SQL that also reads hidden rows never has a value of the caller in it.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import type { QueryCaller } from "./access.ts";

const database = useQueryDatabase([
  "CREATE TABLE items (id INTEGER, tenant INTEGER, amount INTEGER)",
  "INSERT INTO items VALUES (1, 1, 5), (2, 1, 7), (3, 1, 9), (4, 2, 1), (5, 2, 3)",
  "CREATE TABLE tenants (id INTEGER, name VARCHAR(20))",
  "INSERT INTO tenants VALUES (1, 'one'), (2, 'two')",
]);

const onlyOwn = (member: string) => [
  { group: "all" },
  {
    group: "*",
    row_level: { filters: [{ member, operator: "equals", values: ["{userAttributes.tenant}"] }] },
  },
];
const cube = (name: string, sql: string, policy?: readonly JsonObject[]) => ({
  name,
  sql: sql.replaceAll("FILTER", `FILTER_PARAMS.${name}.id.filter`),
  joins: [{ name: "tenants", relationship: "many_to_one", sql: "{CUBE}.tenant = {tenants.id}" }],
  dimensions: [
    { name: "id", sql: "id", type: "number", primary_key: true, public: true },
    { name: "tenant", sql: "tenant", type: "number" },
    { name: "amount", sql: "amount", type: "number" },
  ],
  measures: [
    { name: "count", type: "count" },
    { name: "total", type: "sum", sql: "amount" },
    {
      name: "selected",
      type: "number",
      sql: `(SELECT sum(i.amount) FROM items AS i WHERE {FILTER_PARAMS.${name}.id.filter('i.id')})`,
    },
  ],
  ...(policy && { access_policy: policy }),
});
const rows = "SELECT i.id, i.tenant, i.amount FROM items AS i WHERE {FILTER('i.id')} AND id > 0";
const divided = "SELECT * FROM items WHERE {FILTER(lambda x: f'100 / NULLIF(id - {x}, 0) < 1000')}";
const summed =
  "SELECT id, tenant, (SELECT sum(amount) FROM items WHERE {FILTER('id')}) AS amount FROM items";
const model = validModel(
  JSON.stringify({
    cubes: [
      cube("plain", rows, onlyOwn("tenant")),
      cube("either", "SELECT * FROM items WHERE {FILTER('id')} OR id = 2", onlyOwn("tenant")),
      cube("other", "SELECT * FROM items WHERE {FILTER('amount')}", onlyOwn("tenant")),
      cube("divided", divided, onlyOwn("tenant")),
      cube("summed", summed, onlyOwn("tenants.id")),
      cube("open", summed),
      cube("named", "SELECT * FROM items", [
        {
          group: "*",
          row_level: {
            filters: [{ member: "tenants.name", operator: "notEquals", values: ["two"] }],
          },
        },
      ]),
      {
        ...cube("chosen", "SELECT * FROM items"),
        joins: [
          {
            name: "tenants",
            relationship: "many_to_one",
            sql: "{CUBE}.tenant = {tenants.id} AND {FILTER_PARAMS.chosen.id.filter('100')}",
          },
        ],
      },
      {
        name: "tenants",
        sql: "SELECT * FROM tenants WHERE {FILTER_PARAMS.tenants.name.filter('name')}",
        dimensions: [
          { name: "id", sql: "id", type: "number", primary_key: true },
          { name: "name", sql: "name", type: "string" },
        ],
      },
    ],
    views: [
      {
        name: "seen",
        cubes: [{ join_path: "open", includes: "*" }],
        access_policy: onlyOwn("tenant"),
      },
      {
        name: "seen_by_name",
        cubes: [
          { join_path: "chosen", includes: "*" },
          { join_path: "chosen.tenants", includes: ["name"] },
        ],
        access_policy: [
          { group: "all" },
          {
            group: "*",
            row_level: { filters: [{ member: "name", operator: "notEquals", values: ["two"] }] },
          },
        ],
      },
    ],
  }),
);
const viewer: QueryCaller = { ...anyone, userAttributes: { tenant: "1" } };
const all: QueryCaller = { ...anyone, groups: ["all"] };
const refusal = "uses the filter before a row filter hides rows from you";

const ask = (query: JsonObject, caller: QueryCaller) =>
  answer(database(), plan(model, query, caller));
const totals = (name: string, caller: QueryCaller, ...ids: readonly number[]) => {
  const filters = [{ member: `${name}.id`, operator: "equals", values: ids }];
  const query = { dimensions: [`${name}.id`], measures: [`${name}.total`], filters };
  return ask(query, caller).then((list) =>
    Object.fromEntries(list.map((row) => [row[`${name}.id`], row[`${name}.total`]])),
  );
};

describe("a filter of a caller with a row filter", () => {
  test("stands behind the row filter where it is the same condition on a column of a table", async () => {
    expect(await totals("plain", all, 1, 4)).toEqual({ 1: 5, 4: 1 });
    expect(await totals("plain", viewer, 1, 4)).toEqual({ 1: 5 });
    expect(await totals("plain", viewer, 4)).toEqual({});
  });

  test.each(["divided", "summed", "either", "other"])("is refused elsewhere: %s", async (name) => {
    await expect((async () => totals(name, viewer, 1, 4))()).rejects.toThrow(refusal);
    expect(await ask({ measures: [`${name}.count`] }, viewer)).toEqual([{ [`${name}.count`]: 3 }]);
    await totals(name, all, 1);
  });

  test("is refused under the row filter of a view, and not on the cube, all of whose rows are open", async () => {
    await expect((async () => totals("seen", viewer, 1, 4))()).rejects.toThrow(refusal);
    expect(await ask({ measures: ["seen.count"] }, viewer)).toEqual([{ "seen.count": 3 }]);
    expect(await totals("open", viewer, 1, 4)).toEqual({ 1: 6, 4: 6 });
    expect(await totals("seen", all, 1, 4)).toEqual({ 1: 6, 4: 6 });
  });

  test("is refused in a SELECT of a measure, which also reads hidden rows", async () => {
    const query = (name: string) => ({
      measures: [`${name}.selected`],
      filters: [{ member: `${name}.id`, operator: "equals", values: [4] }],
    });
    for (const name of ["plain", "seen"]) {
      await expect((async () => ask(query(name), viewer))()).rejects.toThrow("a SELECT in the SQL");
      expect(await ask(query(name), all)).toEqual([{ [`${name}.selected`]: 1 }]);
    }
    expect(await ask(query("open"), viewer)).toEqual([{ "open.selected": 1 }]);
  });

  test("is refused in a join under the row filter of a view, which would read no joined row", async () => {
    await expect((async () => totals("seen_by_name", viewer, 4))()).rejects.toThrow(refusal);
    expect(await ask({ measures: ["seen_by_name.count"] }, viewer)).toEqual([
      { "seen_by_name.count": 3 },
    ]);
    expect(await totals("seen_by_name", all, 4)).toEqual({ 4: 1 });
  });

  test("does not restrict the joined rows by which a row filter selects", async () => {
    const filters = [{ member: "tenants.name", operator: "notEquals", values: ["two"] }];
    for (const query of [
      { measures: ["named.count"] },
      { measures: ["named.count"], filters },
      {
        measures: ["named.count"],
        filters: [{ member: "tenants.name", operator: "notSet" }],
      },
    ]) {
      const [row] = await ask(query, viewer);
      expect(Number(row?.["named.count"])).toBeLessThanOrEqual(3);
    }
  });
});
