// Controls of a notification that name what its data model, its dashboard or queries do not have.
import { expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { notification } from "./notification.ts";

const model = `cubes:
  - name: orders
    sql_table: t
    dimensions:
      - { name: status, sql: status, type: string }
      - { name: at, sql: at, type: time }
      - { name: secret, sql: secret, type: string, public: false }
    measures:
      - { name: count, type: count }
  - name: stores
    sql_table: s
    dimensions:
      - { name: city, sql: city, type: string }
`;
const query = { measures: ["orders.count"] };
const chart = { id: "a", type: "CHART", config: { query } };
const declared = (kind: string): JsonObject =>
  kind === "DataModel"
    ? { files: { "model/a.yml": model } }
    : { deployment: "d", slug: "sales", dashboard: { widgets: [chart] } };

const spec = (controls: JsonObject) => ({ deployment: "d", workbook: "sales", ...controls });
const warnings = (controls: JsonObject) =>
  notification
    .offlineWarnings?.(spec(controls), declared)
    .map(({ path, message }) => `${path} ${message}`);

it("are warnings of members, granularities and filters that no chart reads", () => {
  const filters = ["status", "sttus", "secret"].map((name) => ({ member: `orders.${name}` }));
  const timeGrains = [
    { grain: "week" },
    { member: "orders.at", grain: "week" },
    { member: "orders.at", grain: "wek" },
    { member: "orders.att", grain: "week" },
  ];
  const memberSwitchers = [{ from: "orders.count", to: "orders.cuont" }];
  expect(warnings({ filters, timeGrains, memberSwitchers })).toEqual([
    `/timeGrains/2/grain Granularity "wek" does not exist in dimension orders.at`,
    "/filters/1/member 'sttus' not found for path 'orders.sttus'",
    "/filters/2/member orders.secret is hidden: it, its cube or its view is not public, as primary keys by default",
    "/timeGrains/3/member 'att' not found for path 'orders.att'",
    "/memberSwitchers/0/to 'cuont' not found for path 'orders.cuont'",
  ]);
  expect(warnings({ filters: [{ member: "orders.status" }, { member: "stores.city" }] })).toEqual([
    "/filters/1/member no chart of sales reads stores, so the files show no chart",
  ]);
});

it("are errors of operators that filters do not have", () => {
  const filters = ["eqals", "inDateRange", undefined].map((operator) => ({
    member: "orders.status",
    ...(operator !== undefined && { operator }),
  }));
  expect(notification.offlineErrors?.(spec({ filters }))).toEqual([
    {
      path: "/filters/0/operator",
      message: "is not an operator of filters",
      remedy: 'Did you mean "equals"?',
    },
  ]);
});

it("are none where an engine passes null for what is not set", () => {
  const unset = { filters: null, timeGrains: null, memberSwitchers: null };
  expect(notification.offlineErrors?.(spec(unset))).toEqual([]);
  expect(warnings(unset)).toEqual([]);
  const filters = [{ member: "orders.status", operator: null }, null];
  expect(notification.offlineErrors?.(spec({ filters }))).toEqual([]);
});
