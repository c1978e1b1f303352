// Why no query can use a pre-aggregation.
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { anyone, validModel } from "../../test/support/query-database.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import { normalizeQueries } from "../query/normalize.ts";
import { planQuery } from "../query/query-to-sql.ts";
import { matchRollups } from "./match-rollup.ts";
import { planRollups } from "./plan-rollup.ts";

const orders = (more: JsonObject): JsonObject => ({
  name: "orders",
  sql_table: "orders",
  joins: [
    { name: "items", relationship: "one_to_many", sql: "{CUBE}.id = {items.order_id}" },
    { name: "users", relationship: "many_to_one", sql: "{CUBE}.user_id = {users.id}" },
  ],
  dimensions: [
    { name: "id", sql: "id", type: "number", primary_key: true },
    { name: "status", sql: "status", type: "string" },
    { name: "at", sql: "at", type: "time" },
    { name: "age", sql: "now() - at", type: "string" },
    { name: "secret", sql: "{SECURITY_CONTEXT.x.requiredFilter('x')}", type: "boolean" },
    { name: "chosen", sql: "{FILTER_PARAMS.orders.status.filter('status')}", type: "boolean" },
    {
      name: "sold",
      sql: "{items.count}",
      type: "number",
      sub_query: true,
      propagate_filters_to_sub_query: true,
    },
    { name: "buyer", sql: "{users.name}", type: "string" },
    { name: "currency", type: "switch", values: ["USD", "EUR"] },
    { name: "sign", sql: "left({currency}, 1)", type: "string" },
  ],
  measures: [
    { name: "count", type: "count" },
    { name: "so_far", type: "count", rolling_window: { trailing: "unbounded" } },
  ],
  ...more,
});
const items = {
  name: "items",
  sql_table: "items",
  dimensions: [
    { name: "id", sql: "id", type: "number", primary_key: true },
    { name: "order_id", sql: "order_id", type: "number" },
    { name: "product", sql: "product", type: "string" },
  ],
  measures: [{ name: "count", type: "count" }],
};
const users = (more: JsonObject): JsonObject => ({
  name: "users",
  sql_table: "users",
  dimensions: [
    { name: "id", sql: "id", type: "number", primary_key: true },
    { name: "name", sql: "name", type: "string" },
  ],
  measures: [{ name: "count", type: "count" }],
  ...more,
});
const isOwn = { group: "*", row_level: { filters: [{ member: "id", operator: "set" }] } };

function reasonOf(declared: JsonObject, onOrders: JsonObject = {}, onUsers: JsonObject = {}) {
  const own = { ...onOrders, pre_aggregations: [{ name: "main", ...declared }] };
  const cubes = [orders(own), items, users(onUsers)];
  const [first] = planRollups(validModel(JSON.stringify({ cubes })));
  return first && "reason" in first.plan ? first.plan.reason : undefined;
}

const count = { measures: ["count"], dimensions: ["status"] };

test.each<[JsonObject, string | undefined]>([
  [count, undefined],
  [{ measures: ["count"], dimensions: ["users.name", "buyer"] }, undefined],
  [
    { ...count, time_dimension: "at", granularity: "day", partition_granularity: "month" },
    undefined,
  ],
  [{ type: "original_sql" }, "the service does not build the type original_sql"],
  [
    { ...count, build_range_start: { sql: "SELECT 1" } },
    "it has build_range_start or build_range_end, and queries need all rows",
  ],
  [
    { measures: ["count"], dimensions: ["items.product"] },
    "a row of orders can have several of items",
  ],
  [
    { measures: ["count", "users.count"], dimensions: ["status"] },
    "its joins repeat the rows of users.count",
  ],
  [
    { measures: ["so_far"], dimensions: ["status"] },
    "orders.so_far is computed from rows of other groups",
  ],
  [{ measures: ["count"], dimensions: ["age"] }, "its SQL reads the time or chance"],
  [
    { measures: ["count"], dimensions: ["secret"] },
    "it uses SECURITY_CONTEXT, which differs between queries",
  ],
  [
    { measures: ["count"], dimensions: ["chosen"] },
    "it uses FILTER_PARAMS, which differs between queries",
  ],
  [
    { measures: ["count"], dimensions: ["sold"] },
    "it uses propagate_filters_to_sub_query, which differs between queries",
  ],
  [{ measures: ["count"], dimensions: ["sign"] }, "each row has all values of orders.currency"],
])("the reason against %j", (declared, reason) => {
  expect(reasonOf(declared)).toBe(reason);
});

test("access policies allow rows only of the first cube, and no masks", () => {
  const access = { access_policy: [isOwn] };
  expect(reasonOf(count, access)).toBeUndefined();
  expect(reasonOf(count, {}, access)).toBeUndefined();
  const joined = { measures: ["count"], dimensions: ["users.name"] };
  expect(reasonOf(joined, access)).toBeUndefined();
  expect(reasonOf(joined, {}, access)).toBe(
    "it reads users through joins or SQL, which has an access policy",
  );
  const masking = {
    ...isOwn,
    member_level: { includes: ["count"] },
    member_masking: { includes: ["status"] },
  };
  expect(reasonOf(count, { access_policy: [masking] })).toBe(
    "the access policy of orders masks members",
  );
  const back = {
    joins: [{ name: "orders", relationship: "one_to_one", sql: "{CUBE}.id = {orders.id}" }],
    dimensions: [
      { name: "id", sql: "id", type: "number", primary_key: true },
      { name: "name", sql: "name", type: "string" },
      { name: "state", sql: "{orders.status}", type: "string" },
    ],
  };
  expect(reasonOf({ measures: ["count"], dimensions: ["users.state"] }, access, back)).toBe(
    "SQL of another cube uses orders, which has an access policy",
  );
});

test("a query is planned over one rollup at a time, and only over those with its dimensions", () => {
  const rollup = (name: string, dimensions: readonly string[], ...more: readonly string[]) => ({
    name,
    measures: ["count", ...more],
    dimensions,
  });
  const declared = [
    rollup("other", ["id"]),
    rollup("unusable", ["status"], "so_far"),
    rollup("finer", ["id", "status"]),
    rollup("same", ["status"]),
  ];
  const cubes = [orders({ pre_aggregations: declared }), items, users({})];
  const model = validModel(JSON.stringify({ cubes }));
  const [query] = normalizeQueries(
    { measures: ["orders.count"], dimensions: ["orders.status"] },
    new Date(0),
  );
  if (query === undefined) throw new Error("no query");
  const clock = { now: new Date(0), timezone: "UTC" };
  const input = { model, caller: anyone, clock, dialect: duckdb };
  const plan = planQuery(query, input);
  const matches = [...matchRollups({ query, plan, input })];
  expect(matches.map((match) => match?.rollup.id)).toEqual([
    undefined,
    "orders.finer",
    "orders.same",
  ]);
});

test("a cube has at most 100", () => {
  const declared = Array.from({ length: 101 }, (_, at) => ({ ...count, name: `r${at}` }));
  const cubes = [orders({ pre_aggregations: declared }), items, users({})];
  expect(() => validModel(JSON.stringify({ cubes }))).toThrow("pre_aggregations");
});
