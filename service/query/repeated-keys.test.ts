// Row filters over joins whose keys repeat in the table, although the model says that they do not: no row counts twice.
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import {
  answer,
  anyone,
  plan,
  testedDialect,
  useQueryDatabase,
  validModel,
} from "../../test/support/query-database.ts";
import { onClickhouse } from "../../test/support/test-database.ts";
import { planRollups } from "../rollups/plan-rollup.ts";

const database = useQueryDatabase([
  "CREATE TABLE items (id INTEGER, tenant INTEGER)",
  "INSERT INTO items VALUES (1, 1), (2, 1), (3, 2), (4, 3), (5, NULL), (6, 4)",
  "CREATE TABLE tenants (id INTEGER, name VARCHAR(20), region INTEGER)",
  "INSERT INTO tenants VALUES (1, 'one', 1), (1, 'one', 1), (2, 'two', 1), (2, 'one', 2), (4, NULL, NULL), (NULL, 'one', 1)",
  "CREATE TABLE regions (id INTEGER, name VARCHAR(20))",
  "INSERT INTO regions VALUES (1, 'north'), (1, 'north'), (2, 'south')",
  "CREATE TABLE parts (id INTEGER, item INTEGER, kind VARCHAR(20))",
  "INSERT INTO parts VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a')",
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
/** Cubes that join `halves` by SQL of each kind. ClickHouse joins by equalities only. */
const owners = [
  ["owners", "{CUBE}.id = {halves}.tenant"],
  ["owners_by_sum", "{CUBE}.id + 1 = {halves}.tenant + 1"],
  ["owners_by_range", "{CUBE}.id >= {halves}.tenant AND {CUBE}.id <= {halves}.tenant"],
  ["owners_by_choice", "{CUBE}.id = {halves}.tenant OR {CUBE}.id + {halves}.tenant = 0"],
].slice(0, onClickhouse ? 2 : 4);
const policyOf = (list: JsonValue) => [{ group: "*", row_level: { filters: list } }];
const items = (name: string) => ({
  name,
  sql: "SELECT id, tenant, 10 / id AS share FROM items",
  joins: [{ name: "tenants", relationship: "many_to_one", sql: "{CUBE}.tenant = {tenants.id}" }],
  dimensions: [
    { name: "id", sql: "id", type: "number", primary_key: true, public: true },
    { name: "share", sql: "share", type: "number" },
  ],
  measures: [{ name: "count", type: "count" }],
});
const model = validModel(
  JSON.stringify({
    views: [
      ...owners.map(([name]) => ({
        name: `by_${name}`,
        cubes: [
          { join_path: name, includes: ["id"] },
          {
            join_path: `${name}.halves`,
            includes: ["total", "mean", "sizes", "written", "so_far", "day"],
          },
          { join_path: `${name}.halves.parts`, includes: ["kind"] },
        ],
        access_policy: policyOf([filter("id", "lt", "3")]),
      })),
      ...Object.entries({
        by_tenant: filter("tenant", "lt", "3"),
        by_tenants_name: filter("tenants_name", "equals", "one"),
        by_others: filter("tenants_name", "notEquals", "two"),
      }).map(([name, one]) => ({
        name,
        cubes: [
          { join_path: "halves", includes: "*" },
          { join_path: "halves.tenants", includes: ["name"], prefix: true },
          { join_path: "halves.parts", includes: ["kind"] },
        ],
        access_policy: policyOf([one]),
      })),
      {
        name: "masked",
        cubes: [
          { join_path: "halves", includes: "*" },
          { join_path: "halves.parts", includes: ["kind"] },
        ],
        access_policy: [
          {
            group: "*",
            member_level: { includes: ["kind", "amount"] },
            member_masking: { includes: "*" },
          },
          ...policyOf([filter("tenant", "lt", "3")]),
        ],
      },
      ...Object.entries(filters).map(([name, list]) => ({
        name: `view_${name}`,
        cubes: [
          { join_path: "items", includes: "*" },
          { join_path: "items.tenants", includes: ["name", "upper"], prefix: true },
          { join_path: "items.tenants.regions", includes: ["name"], prefix: true },
        ],
        access_policy: policyOf(
          JSON.parse(JSON.stringify(list).replaceAll(/(tenants|regions)\./gu, "$1_")) as JsonValue,
        ),
      })),
    ],
    cubes: [
      items("items"),
      {
        ...items("halves"),
        sql: "SELECT id % 3 AS id, tenant, id AS amount, CAST('2026-03-01' AS TIMESTAMP) AS day FROM items",
        joins: [
          ...items("halves").joins,
          { name: "parts", relationship: "one_to_many", sql: "{CUBE}.id = {parts.item}" },
        ],
        dimensions: [
          { name: "id", sql: "id", type: "number", primary_key: true, public: true },
          { name: "tenant", sql: "tenant", type: "number" },
          { name: "amount", sql: "amount", type: "number" },
          { name: "day", sql: "day", type: "time" },
        ],
        measures: [
          { name: "total", type: "sum", sql: "amount" },
          { name: "mean", type: "avg", sql: "amount" },
          { name: "sizes", type: "count", sql: "amount", filters: [{ sql: "{CUBE}.amount > 1" }] },
          { name: "written", type: "number", sql: "sum({CUBE}.amount)" },
          { name: "so_far", type: "sum", sql: "amount", rolling_window: { trailing: "unbounded" } },
        ],
      },
      ...owners.map(([name, sql]) => ({
        name,
        sql: "SELECT DISTINCT tenant AS id FROM items WHERE tenant IS NOT NULL",
        joins: [{ name: "halves", relationship: "one_to_many", sql }],
        dimensions: [{ name: "id", sql: "id", type: "number", primary_key: true, public: true }],
      })),
      {
        name: "parts",
        sql_table: "parts",
        dimensions: [
          { name: "id", sql: "id", type: "number", primary_key: true },
          { name: "item", sql: "item", type: "number" },
          { name: "kind", sql: "kind", type: "string" },
        ],
      },
      ...Object.entries(filters).map(([name, list]) => ({
        ...items(name),
        access_policy: policyOf(list),
      })),
      ...["equals", "notEquals"].map((operator) => ({
        ...items(`pair_${operator}`),
        sql: "SELECT id, tenant, 1 AS region, 10 / id AS share FROM items",
        joins: [
          {
            name: "tenants",
            relationship: "many_to_one",
            sql: "{CUBE}.tenant = {tenants.id} AND {tenants}.region = {CUBE}.region",
          },
        ],
        access_policy: policyOf([filter("tenants.name", operator, "one")]),
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
])("rows that %s admits are read once", async (filtered, ids) => {
  for (const name of [filtered, `view_${filtered}`]) {
    expect(await idsOf(name)).toEqual(ids);
    expect(await read({ measures: [`${name}.count`] })).toEqual([
      { [`${name}.count`]: ids.length },
    ]);
  }
});

test.each([
  ["pair_equals", [1, 2]],
  ["pair_notEquals", [3, 4, 5, 6]],
])("rows that %s admits over a join of two equalities are read once", async (name, ids) => {
  expect(await idsOf(name)).toEqual(ids);
  expect(await read({ measures: [`${name}.count`] })).toEqual([{ [`${name}.count`]: ids.length }]);
});

test.each([
  ["number", "(1, 2), (NULL, 3)", true],
  ["number", "(NULL, 2), (NULL, 3)", true],
  ["number", "(1, 2), (1, 3)", false],
  ["code", "('', 2), ('a', 3), (NULL, 4), (NULL, 5)", true],
  ["code", "('', 2), ('', 3)", false],
  ["number org", "(1, 2), (1, 3), (2, 2), (1, NULL), (1, NULL), (NULL, NULL)", true],
  ["number org", "(1, 2), (1, 3), (1, 2)", false],
])("a pre-aggregation that joins by %s finds whether %s are keys: %s", async (by, rows, isKey) => {
  const [column = "", ...others] = by.split(" ");
  const values = `SELECT * FROM (VALUES ${rows}) AS t(${column}, org)`;
  const equalities = [column, ...others].map((one) => `{CUBE}.${one} = {parents}.${one}`);
  const own = {
    ...items("children"),
    joins: [{ name: "parents", relationship: "many_to_one", sql: equalities.join(" AND ") }],
    pre_aggregations: [{ name: "main", measures: ["count"], dimensions: ["parents.org"] }],
  };
  const org = { name: "org", sql: "org", type: "number" };
  const cubes = [own, { name: "parents", sql: values, dimensions: [org] }];
  const keys = planRollups(validModel(JSON.stringify({ cubes }))).flatMap(({ plan: one }) =>
    "rollup" in one ? one.rollup.keys(testedDialect) : [],
  );
  expect(keys.map(({ cube }) => cube)).toEqual(["parents"]);
  for (const { repeated } of keys)
    expect(await database().run(repeated)).toHaveLength(isKey ? 0 : 1);
});

test("a query of a view that shows a joined cube has the rows of it that the view admits", async () => {
  const rows = await read({ dimensions: ["view_equal.id", "view_equal.tenants_name"] });
  expect(rows.map((row) => row["view_equal.tenants_name"])).toEqual(["one", "one", "one"]);
  const regions = await read({
    dimensions: ["view_either.id", "view_either.regions_name"],
    order: { "view_either.id": "asc" },
  });
  expect(regions.map((row) => Object.values(row))).toEqual([
    [3, "north"],
    [5, null],
  ]);
});

test.each(["by_tenant", "by_tenants_name", ...owners.map(([name]) => `by_${name}`)])(
  "aggregates over keys that joins repeat have no row with the same key that the view %s hides",
  async (name) => {
    const order = { [`${name}.kind`]: "asc" };
    const measures = ["total", "mean", "sizes", "so_far"].map((one) => `${name}.${one}`);
    const timeDimensions = [{ dimension: `${name}.day`, dateRange: ["2026-01-01", "2026-12-31"] }];
    const query = { dimensions: [`${name}.kind`], measures, timeDimensions, order };
    expect((await read(query)).map((row) => Object.values(row))).toEqual([
      ["a", 3, 1.5, 1, 3],
      ["b", 1, 1, 0, 1],
      [null, 3, 3, 1, 3],
    ]);
    expect(() => plan(model, { ...query, measures: [`${name}.written`] }, anyone)).toThrow(
      "halves.written",
    );
  },
);

test("sums over keys that joins repeat have no row with the same key in which they are masked", async () => {
  const query = {
    dimensions: ["masked.kind"],
    measures: ["masked.total"],
    filters: [filter("masked.amount", "lt", "4")],
    order: { "masked.kind": "asc" },
  };
  expect((await read(query)).map((row) => Object.values(row))).toEqual([
    ["a", 3],
    ["b", 1],
    [null, 3],
  ]);
});

test("sums over keys that joins repeat have only the rows that join those of the group", async () => {
  const dimensions = ["by_others.tenants_name", "by_others.kind"];
  const order = Object.fromEntries(dimensions.map((name) => [name, "asc"]));
  const rows = await read({ dimensions, measures: ["by_others.total"], order });
  expect(new Set(rows.map((row) => Object.values(row).join(" ")))).toEqual(
    new Set(["one a 3", "one b 1", "one  3", " a 9", " b 4", "  6"]),
  );
});

test("an ungrouped query tests the row filter of a view again only for a column that sorts", () => {
  const dimensions = ["view_north.id", "view_north.share"];
  const guards = (order: JsonObject) =>
    plan(model, { ungrouped: true, dimensions, order }).statement.text.split("CASE WHEN").length -
    1;
  expect([{}, { "view_north.share": "asc" }].map(guards)).toEqual([0, 1]);
});

async function read(query: JsonObject) {
  return answer(database(), plan(model, query, anyone));
}

async function idsOf(name: string) {
  const rows = await read({ dimensions: [`${name}.id`], order: { [`${name}.id`]: "asc" } });
  return rows.map((row) => row[`${name}.id`]);
}
