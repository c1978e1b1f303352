// Row filters over joins whose keys repeat in the table, although the model says that they do not: no row counts twice.
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import {
  answer,
  anyone,
  plan,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";

const database = useQueryDatabase([
  "CREATE TABLE items (id INTEGER, tenant INTEGER)",
  "INSERT INTO items VALUES (1, 1), (2, 1), (3, 2), (4, 3), (5, NULL), (6, 4)",
  "CREATE TABLE tenants (id INTEGER, name VARCHAR(20), region INTEGER)",
  "INSERT INTO tenants VALUES (1, 'one', 1), (1, 'one', 1), (2, 'two', 1), (2, 'one', 2), (4, NULL, NULL), (NULL, 'one', 1)",
  "CREATE TABLE regions (id INTEGER, name VARCHAR(20))",
  "INSERT INTO regions VALUES (1, 'north'), (1, 'north'), (2, 'south')",
]);

const filter = (member: string, operator: string, ...values: readonly string[]) => ({
  member,
  operator,
  ...(values.length > 0 && { values }),
});
const filters: Readonly<Record<string, readonly JsonObject[]>> = {
  equal: [filter("tenants.name", "equals", "one")],
  unequal: [filter("tenants.name", "notEquals", "one")],
  unset: [filter("tenants.name", "notSet")],
  both: [filter("tenants.name", "notEquals", "two"), filter("regions.name", "notEquals", "north")],
  north: [filter("regions.name", "equals", "north")],
  either: [{ or: [filter("tenants.name", "equals", "two"), filter("id", "equals", "5")] }],
  unknown: [filter("tenants.name", "notEquals", "{userAttributes.none}")],
  unknown_or_own: [
    {
      or: [filter("tenants.name", "equals", "{userAttributes.none}"), filter("id", "lt", "4")],
    },
  ],
  two_in_south: [
    { or: [filter("tenants.name", "equals", "two"), filter("id", "equals", "1")] },
    { or: [filter("regions.name", "equals", "south"), filter("id", "equals", "5")] },
  ],
  two_and_one: [filter("tenants.name", "equals", "two"), filter("tenants.upper", "equals", "ONE")],
};
const model = validModel(
  JSON.stringify({
    cubes: [
      ...Object.entries(filters).map(([name, list]) => ({
        name,
        sql: "SELECT id, tenant, 10 / id AS share FROM items",
        joins: [
          { name: "tenants", relationship: "many_to_one", sql: "{CUBE}.tenant = {tenants.id}" },
        ],
        dimensions: [
          { name: "id", sql: "id", type: "number", primary_key: true, public: true },
          { name: "share", sql: "share", type: "number" },
        ],
        measures: [{ name: "count", type: "count" }],
        access_policy: [{ group: "*", row_level: { filters: list } }],
      })),
      {
        name: "tenants",
        sql_table: "tenants",
        joins: [
          { name: "regions", relationship: "many_to_one", sql: "{regions}.id = {CUBE}.region" },
        ],
        dimensions: [
          { name: "id", sql: "id", type: "number", primary_key: true },
          { name: "name", sql: "name", type: "string" },
          { name: "upper", sql: "UPPER({CUBE}.name)", type: "string" },
        ],
      },
      {
        name: "regions",
        sql_table: "regions",
        dimensions: [
          { name: "id", sql: "id", type: "number", primary_key: true },
          { name: "name", sql: "name", type: "string" },
        ],
      },
    ],
  }),
);

test.each([
  ["equal", [1, 2, 3]],
  ["unequal", [3, 4, 5, 6]],
  ["unset", [4, 5, 6]],
  ["both", [3, 4, 5, 6]],
  ["north", [1, 2, 3]],
  ["either", [3, 5]],
  ["unknown", []],
  ["unknown_or_own", [1, 2, 3]],
  ["two_in_south", []],
  ["two_and_one", []],
])("rows that %s admits are read once", async (name, ids) => {
  const rows = await answer(
    database(),
    plan(model, { dimensions: [`${name}.id`], order: { [`${name}.id`]: "asc" } }, anyone),
  );
  expect(rows.map((row) => row[`${name}.id`])).toEqual(ids);
  const counted = await answer(database(), plan(model, { measures: [`${name}.count`] }, anyone));
  expect(counted).toEqual([{ [`${name}.count`]: ids.length }]);
});
