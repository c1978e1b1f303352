// Why no query can use a pre-aggregation.
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { anyone, validModel } from "../../test/support/query-database.ts";
import type { Dialect } from "../query/dialect.ts";
import { duckdb } from "../query/duckdb-dialect.ts";
import { mysql } from "../query/mysql-dialect.ts";
import { normalizeQueries } from "../query/normalize.ts";
import { postgres } from "../query/postgres-dialect.ts";
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
    { name: "size", sql: "{count}", type: "number", multi_stage: true, add_group_by: ["buyer"] },
    { name: "buyer", sql: "{users.name}", type: "string" },
    { name: "currency", type: "switch", values: ["USD", "EUR"] },
    { name: "sign", sql: "left({currency}, 1)", type: "string" },
  ],
  measures: [
    { name: "count", type: "count" },
    { name: "so_far", type: "count", rolling_window: { trailing: "unbounded" } },
    { name: "oldest", type: "min", sql: "id" },
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
  [
    { measures: ["count"], dimensions: ["status", "size"] },
    "orders.size depends on the groups of each query",
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
    joins: [{ name: "orders", relationship: "one_to_one", sql: "{CUBE}.id = {orders}.user_id" }],
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

test("a query is planned over one rollup at a time, and only over those with its dimensions and measures", () => {
  const rollup = (name: string, dimensions: readonly string[], ...more: readonly string[]) => ({
    name,
    measures: ["count", ...more],
    dimensions,
  });
  const declared = [
    rollup("other", ["id"]),
    { name: "of_others", measures: ["oldest"], dimensions: ["status"] },
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

test("a model has at most 1,000, in all its cubes", () => {
  const declared = (length: number) => ({
    pre_aggregations: Array.from({ length }, (_, at) => ({ measures: ["count"], name: `r${at}` })),
  });
  const model = (length: number) =>
    validModel(JSON.stringify({ cubes: [orders(declared(600)), items, users(declared(length))] }));
  expect(model(400).cubes).toHaveLength(3);
  expect(() => model(401)).toThrow("the data model has more than 1000 pre-aggregations");
});

/** Returns the SQL over the rows of the first rollup for a query; undefined if it does not answer the query. */
function sqlOver(
  cubes: readonly JsonObject[],
  asked: JsonObject,
  { caller = anyone, views = [] as readonly JsonObject[], dialect = duckdb } = {},
) {
  const model = validModel(JSON.stringify({ cubes, views }));
  const [query] = normalizeQueries(asked, new Date(0));
  if (query === undefined) throw new Error("no query");
  const input = { model, caller, clock: { now: new Date(0), timezone: "UTC" }, dialect };
  const [match] = matchRollups({ query, plan: planQuery(query, input), input });
  return match?.plan.statement.text;
}

test.each([
  ["fiscal_year", { interval: "1 year", offset: "3 months" }, "day", true],
  ["fiscal_year", { interval: "1 year", origin: "2024-04-01" }, "month", true],
  ["fiscal_year", { interval: "1 year", origin: "2024-04-01" }, "quarter", true],
  ["fiscal_year", { interval: "1 year", origin: "2024-02-01" }, "quarter", false],
  ["fiscal_year", { interval: "1 year", origin: "2024-04-01" }, "week", false],
  ["sprint", { interval: "2 weeks", origin: "2024-01-02" }, "day", true],
  ["sprint", { interval: "2 weeks", origin: "2024-01-01" }, "week", true],
  ["sprint", { interval: "2 weeks", origin: "2024-01-02" }, "week", false],
  ["shift", { interval: "8 hours", origin: "2024-01-01T06:00:00" }, "hour", true],
  ["shift", { interval: "8 hours", origin: "2024-01-01T06:00:00" }, "day", false],
  ["shift", { interval: "1 day", origin: "2024-01-01T06:00:00" }, "day", false],
])("%s of %j over rows of each %s", (name, granularity, stored, isUsed) => {
  const cube = {
    name: "orders",
    sql_table: "orders",
    dimensions: [
      { name: "at", sql: "at", type: "time", granularities: [{ name, ...granularity }] },
    ],
    measures: [{ name: "count", type: "count" }],
    pre_aggregations: [
      { name: "main", measures: ["count"], time_dimension: "at", granularity: stored },
    ],
  };
  const sql = sqlOver([cube], {
    measures: ["orders.count"],
    timeDimensions: [{ dimension: "orders.at", granularity: name }],
  });
  expect(sql !== undefined).toBe(isUsed);
});

test("a policy of the first cube can read a joined cube, if the rows have what it reads", () => {
  const isTheirs = {
    group: "*",
    row_level: {
      filters: [
        { or: [{ member: "users.name", operator: "equals", values: ["{userAttributes.name}"] }] },
      ],
    },
  };
  const cubes = (dimensions: readonly string[]) => [
    orders({
      access_policy: [isTheirs],
      pre_aggregations: [{ name: "main", measures: ["count"], dimensions }],
    }),
    items,
    users({}),
  ];
  const asked = { measures: ["orders.count"], dimensions: ["orders.status"] };
  const caller = { ...anyone, userAttributes: { name: "Ada" } };
  expect(sqlOver(cubes(["status"]), asked, { caller })).toBeUndefined();
  expect(sqlOver(cubes(["status", "users.name"]), asked, { caller })).toMatch(/WHERE .*c1/u);
});

test.each([
  ["places", "places.regions", ["regions.name"], ["towns.of_region", "regions.name"]],
  ["all_places", "places.towns.regions", ["towns.of_region", "regions.name"], ["regions.name"]],
])(
  "a row filter of %s reads no cube that the rows join by another path",
  (name, path, same, other) => {
    const id = { name: "id", sql: "id", type: "number", primary_key: true };
    const join = (to: string) => ({
      name: to,
      relationship: "many_to_one",
      sql: `{CUBE}.${to}_id = {${to}.id}`,
    });
    const cube = (own: string, joins: readonly string[], label = "name") => ({
      name: own,
      sql_table: own,
      joins: joins.map(join),
      dimensions: [
        id,
        { name: label === "name" ? label : "of_region", sql: label, type: "string" },
      ],
    });
    const access = (subject: string, member: string) => {
      const filters = [{ member, operator: "equals", values: ["north"] }];
      return subject === name && { access_policy: [{ group: "*", row_level: { filters } }] };
    };
    const joined = [
      { join_path: "places", includes: ["count"] },
      { join_path: path, includes: ["name"] },
    ];
    const view = { name: "all_places", cubes: joined, ...access("all_places", "name") };
    const over = (dimensions: readonly string[]) => {
      const places = {
        ...cube("places", ["towns", "regions"]),
        ...access("places", "regions.name"),
        measures: [{ name: "count", type: "count" }],
        pre_aggregations: [{ name: "main", measures: ["count"], dimensions }],
      };
      const cubes = [places, cube("towns", ["regions"], "{regions.name}"), cube("regions", [])];
      return sqlOver(cubes, { measures: [`${name}.count`] }, { views: [view] });
    };
    expect(over(same)).toMatch(/WHERE/u);
    expect(over(other)).toBeUndefined();
  },
);

test("a measure of a view is computed over the rows that have what it computes with", () => {
  const cubes = [
    orders({ pre_aggregations: [{ name: "main", measures: ["count"], dimensions: ["status"] }] }),
    items,
    users({}),
  ];
  const view = {
    name: "all_orders",
    cubes: [
      { join_path: "orders", includes: ["count", "status"] },
      { join_path: "orders.users", includes: [{ name: "count", alias: "buyers" }] },
    ],
    dimensions: [{ name: "state", type: "string", sql: "UPPER({CUBE.status})" }],
    measures: [
      { name: "half", type: "number", sql: "{CUBE.count} / 2" },
      { name: "for_each", type: "number", sql: "{CUBE.count} / {CUBE.buyers}" },
    ],
  };
  const over = (measure: string, dimension: string) =>
    sqlOver(
      cubes,
      { measures: [`all_orders.${measure}`], dimensions: [`all_orders.${dimension}`] },
      { views: [view] },
    );
  expect(over("half", "status")).toContain("rollup");
  expect(over("for_each", "status")).toBeUndefined();
  // Only the tables have what a dimension is computed from.
  expect(over("half", "state")).toBeUndefined();
});

test.each([
  [{ order: { "orders.count": "desc" } }, false],
  [{ filters: [{ member: "orders.first", operator: "equals", values: ["a"] }] }, false],
  [{ dimensions: ["orders.status"] }, true],
])("the least text of several rows is that of the database: %j", (asked, isEachRow) => {
  const measures = ["count", "first"];
  const cube = orders({
    measures: [
      { name: "count", type: "count" },
      { name: "first", type: "min", sql: "{status}" },
    ],
    pre_aggregations: [{ name: "main", measures, dimensions: ["status"] }],
  });
  const over = (dialect: Dialect) =>
    sqlOver(
      [cube, items, users({})],
      { measures: measures.map((name) => `orders.${name}`), ...asked },
      { dialect },
    );
  expect(over(duckdb)).toContain("rollup");
  for (const dialect of [postgres, mysql]) expect(over(dialect) !== undefined).toBe(isEachRow);
});
