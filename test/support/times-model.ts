// A family of data models with times, windows, stages and subqueries, for generated queries.
import type { Cell, NaiveFilter, Row } from "./naive-query.ts";

/** The cubes: a customer has orders, an order items. */
export const cubes = ["customers", "orders", "items"] as const;
/** A cube. */
export type Cube = (typeof cubes)[number];
/** The parent of each cube. */
export const parentOf: Partial<Record<Cube, Cube>> = { orders: "customers", items: "orders" };

/** The columns of all tables. */
export const tableColumns = {
  id: "INTEGER",
  parent: "INTEGER",
  kind: "VARCHAR",
  amount: "INTEGER",
  moment: "TIMESTAMP",
};

/** Rows, policies and a query. */
export interface TimeCase {
  readonly tables: Readonly<Record<Cube, readonly Row[]>>;
  /** The kinds of rows that a policy of a cube or of the view opens. */
  readonly policies: Readonly<Partial<Record<Cube | "v", readonly Cell[]>>>;
  readonly throughView: boolean;
  readonly query: {
    readonly measures: readonly string[];
    readonly dimensions: readonly string[];
    readonly timeDimensions: readonly NaiveTime[];
    readonly filters: readonly NaiveFilter[];
    readonly segments: readonly string[];
    readonly timezone: string;
    readonly limit: number;
    readonly offset: number;
  };
}

/** A time dimension of a query. */
export interface NaiveTime {
  readonly dimension: string;
  readonly granularity?: string | undefined;
  readonly dateRange?: readonly [string, string] | undefined;
}

const custom = [
  { name: "fiscal", interval: "1 year", offset: "1 month" },
  { name: "fortnight", interval: "2 weeks", origin: "2025-01-06" },
  { name: "shift", interval: "8 hours", offset: "6 hours" },
  { name: "two_months", interval: "2 months", origin: "2025-01-15" },
];
const units = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];
/** The granularities of time dimensions. */
export const granularities: readonly string[] = [...units, ...custom.map(({ name }) => name)];

const plainMeasures = ["count", "total", "average", "kinds", "some", "padded"] as const;
/** The windows of running measures. */
export const windows: Readonly<Record<string, { readonly [key: string]: string }>> = {
  running: { trailing: "unbounded" },
  recent: { trailing: "3 day" },
  around: { trailing: "1 month", leading: "2 day", offset: "start" },
  lagging: { trailing: "5 day", leading: "-2 day" },
  month_so_far: { type: "to_date", granularity: "month" },
  year_so_far: { type: "year_to_date" },
  fiscal_so_far: { type: "to_date", granularity: "fiscal" },
};
/** The time shifts of measures. */
export const shifts: Readonly<
  Record<string, { readonly months: number; readonly declared: object }>
> = {
  month_before: {
    months: 1,
    declared: { time_dimension: "at", interval: "1 month", type: "prior" },
  },
  year_after: { months: -12, declared: { interval: "1 year", type: "next" } },
};
/** The windows of multi-stage measures, which aggregate whole intervals. */
export const movingWindows: Readonly<Record<string, { readonly [key: string]: string }>> = {
  moving: { trailing: "2 month" },
  most_so_far: { type: "year_to_date" },
};
const stages: Readonly<Record<string, object>> = {
  moving: { type: "avg", sql: "{total}", rolling_window: movingWindows["moving"] },
  most_so_far: { type: "max", sql: "{count}", rolling_window: movingWindows["most_so_far"] },
  by_kind: { type: "sum", sql: "{total}", group_by: ["kind"] },
  all_kinds: { type: "sum", sql: "{total}", reduce_by: ["kind"] },
  grand: { type: "max", sql: "{total}", group_by: [] },
  per_customer: { type: "avg", sql: "{count}", add_group_by: ["customers.kind"] },
  ranked: { type: "rank", order_by: [{ sql: "{count}", dir: "desc" }], reduce_by: ["kind"] },
  ...Object.fromEntries(
    Object.entries(shifts).map(([name, { declared }]) => [
      name,
      { type: "number", sql: "{total}", time_shift: [declared] },
    ]),
  ),
};

/** Returns the measures of a cube. */
export function measureNames(cube: Cube): readonly string[] {
  if (cube !== "orders") return plainMeasures;
  const more = [...Object.keys(windows), ...Object.keys(stages), "share", "item_sum"];
  return [...plainMeasures, ...more];
}

/** Returns the data model of a case. */
export function timesModel({ policies }: TimeCase): string {
  const policy = (name: Cube | "v") => {
    const values = policies[name];
    const member = name === "v" ? "orders_kind" : "kind";
    const filters = [{ member, operator: "in", values }];
    return values && { access_policy: [{ group: "*", row_level: { filters } }] };
  };
  const cubePaths = ["orders", "orders.customers", "orders.items"];
  return JSON.stringify({
    cubes: cubes.map((name) => ({ ...cubeModel(name), ...policy(name) })),
    views: [
      {
        name: "v",
        cubes: cubePaths.map((path) => ({ join_path: path, includes: "*", prefix: true })),
        ...policy("v"),
      },
    ],
  });
}

function cubeModel(name: Cube) {
  const own = name === "orders" ? ordersMembers() : { dimensions: [], measures: [] };
  return {
    name,
    sql_table: name,
    joins: joinsOf(name),
    dimensions: [
      { name: "id", sql: "id", type: "number", primary_key: true, public: true },
      { name: "kind", sql: "kind", type: "string" },
      { name: "amount", sql: "amount", type: "number" },
      { name: "at", sql: "moment", type: "time", granularities: custom },
      ...own.dimensions,
    ],
    segments: [
      { name: "big", sql: "{amount} > 5" },
      { name: "x", sql: "{kind} = 'x'" },
    ],
    measures: [
      { name: "count", type: "count" },
      { name: "total", type: "sum", sql: "amount" },
      { name: "average", type: "avg", sql: "amount" },
      { name: "kinds", type: "count_distinct", sql: "kind" },
      { name: "some", type: "sum", sql: "amount", filters: [{ sql: "{kind} = 'x'" }] },
      { name: "padded", type: "sum", sql: "COALESCE({amount}, 1)" },
      ...own.measures,
    ],
  };
}

function joinsOf(name: Cube) {
  const parent = parentOf[name];
  const child = cubes.find((one) => parentOf[one] === name);
  const up = parent && {
    name: parent,
    relationship: "many_to_one",
    sql: `{CUBE}.parent = {${parent}.id}`,
  };
  const down = child && {
    name: child,
    relationship: "one_to_many",
    sql: `{CUBE}.id = {${child}}.parent`,
  };
  return [up, down].filter((join) => join !== undefined);
}

function ordersMembers() {
  const when = [
    { sql: "{amount} > 5", label: "big" },
    { sql: "{amount} < 0", label: { sql: "{customers.kind}" } },
  ];
  const stage = Object.entries(stages).map(([name, rest]) => ({
    name,
    multi_stage: true,
    ...rest,
  }));
  const window = Object.entries(windows).map(([name, rolling]) => ({
    name,
    type: name === "recent" ? "count" : "sum",
    ...(name !== "recent" && { sql: "amount" }),
    rolling_window: rolling,
  }));
  return {
    dimensions: [
      { name: "item_count", sql: "{items.count}", type: "number", sub_query: true },
      { name: "label", type: "string", case: { when } },
    ],
    measures: [
      ...window,
      ...stage,
      { name: "share", type: "number", sql: "1.0 * {total} / NULLIF({by_kind}, 0)" },
      { name: "item_sum", type: "sum", sql: "{item_count}" },
    ],
  };
}
