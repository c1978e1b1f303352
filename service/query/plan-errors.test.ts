// Queries that planning refuses, with their errors.
import { describe, expect, test } from "vitest";
import { plan } from "../../test/support/query-database.ts";
import { ordersModel } from "../../test/support/orders-model.ts";
import type { JsonObject } from "../../core/json.ts";

describe("errors", () => {
  test.each<[string, JsonObject, string]>([
    ["an empty query", {}, "Query should contain either measures"],
    ["an unknown key", { measurez: [] }, "Invalid query format: "],
    ["an unknown member", { measures: ["orders.rev"] }, "'rev' not found for path 'orders.rev'"],
    [
      "an unknown cube",
      { measures: ["order.count"] },
      "'order' not found for path 'order.count'; did you mean orders?",
    ],
    [
      "another kind",
      { measures: ["orders.status"] },
      "orders.status is a dimension, not a measure",
    ],
    [
      "a filter without values",
      {
        measures: ["orders.count"],
        filters: [{ member: "orders.status", operator: "equals", values: [] }],
      },
      'Values required for filter: {"member":"orders.status"',
    ],
    [
      "a group of both kinds",
      {
        measures: ["orders.count"],
        filters: [
          {
            or: [
              { member: "orders.status", operator: "set" },
              { member: "orders.count", operator: "set" },
            ],
          },
        ],
      },
      "You cannot use dimension and measure in same condition: ",
    ],
    [
      "a date",
      {
        measures: ["orders.count"],
        timeDimensions: [{ dimension: "orders.created_at", dateRange: "someday" }],
      },
      "Can't parse date: 'someday'",
    ],
    [
      "many filters in groups",
      {
        measures: ["orders.count"],
        filters: Array.from({ length: 2 }, () => ({
          or: Array.from({ length: 500 }, () => ({ member: "orders.status", operator: "set" })),
        })),
      },
      "a query has more than 1000 filters and groups",
    ],
    [
      "a large order",
      {
        measures: ["orders.count"],
        order: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`a.b${at}`, "asc"])),
      },
      "at most 1000",
    ],
    [
      "many compared ranges",
      {
        measures: ["orders.count"],
        timeDimensions: [
          {
            dimension: "orders.created_at",
            compareDateRange: Array.from({ length: 21 }, () => "someday"),
          },
        ],
      },
      "a request has at most 20 queries",
    ],
    [
      "a long date",
      {
        measures: ["orders.count"],
        timeDimensions: [{ dimension: "orders.created_at", dateRange: `from${" ".repeat(9990)}x` }],
      },
      "has more than 200 characters",
    ],
    ["a zone", { measures: ["orders.count"], timezone: "Mars/Base" }, "is not a time zone"],
    ["a large limit", { measures: ["orders.count"], limit: 50_001 }, "The query limit has been"],
    [
      "cubes without a path",
      { measures: ["orders.count", "notes.count"] },
      "Can't find join path to join 'orders', 'notes'",
    ],
    [
      "a hidden member",
      { dimensions: ["notes.text"] },
      "You requested hidden member: 'notes.text'",
    ],
    [
      "missing keys",
      { dimensions: ["orders.status"], ungrouped: true },
      "Ungrouped query requires primary keys to be present in dimensions: 'orders.id'",
    ],
    [
      "a running measure without a range",
      {
        measures: ["orders.so_far"],
        timeDimensions: [{ dimension: "orders.created_at", granularity: "day" }],
      },
      "needs a dateRange of orders.created_at",
    ],
    [
      "a granularity",
      { timeDimensions: [{ dimension: "orders.created_at", granularity: "decade" }] },
      'Granularity "decade" does not exist in dimension orders.created_at',
    ],
  ])("%s", (_, query, message) => {
    expect(() => plan(ordersModel, query)).toThrow(message);
  });
});
