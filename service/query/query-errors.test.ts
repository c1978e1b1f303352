// Queries that planning refuses, with their errors.
import { describe, expect, test } from "vitest";
import { plan, validModel } from "../../test/support/query-database.ts";
import { ordersModel } from "../../test/support/orders-model.ts";
import type { JsonObject } from "../../core/json.ts";
import { Failure } from "../../core/errors.ts";
import type { CompiledCube, CompiledModel, MemberKind, SqlTemplate } from "../model/types.ts";

describe("errors", () => {
  test.each<[string, JsonObject, string]>([
    ["an empty query", {}, "Query should contain either measures"],
    [
      "an unknown key",
      { mesures: ["orders.count"] },
      'Invalid query format: query.mesures is not a known field. Did you mean "measures"?',
    ],
    [
      "an unknown operator in a group",
      {
        measures: ["orders.count"],
        filters: [{ or: [{ member: "orders.status", operator: "equls", values: ["a"] }] }],
      },
      "Invalid query format: query.filters[0].or[0].operator must be one of ",
    ],
    [
      "an unknown granularity",
      { timeDimensions: [{ dimension: "orders.created_at", granularity: "weeks" }] },
      'Granularity "weeks" does not exist in dimension orders.created_at. Did you mean week?',
    ],
    ["an unknown member", { measures: ["orders.rev"] }, "'rev' not found for path 'orders.rev'"],
    [
      "an unknown cube",
      { measures: ["order.count"] },
      "'order' not found for path 'order.count'. Did you mean orders.count?",
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
      "relative text in a filter with two values",
      {
        measures: ["orders.count"],
        filters: [
          { member: "orders.created_at", operator: "inDateRange", values: ["last week", "today"] },
        ],
      },
      "Can't parse date: 'last week'",
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
      "an unknown member in the order",
      { measures: ["orders.count"], order: { "orders.cuont": "desc" } },
      "'cuont' not found for path 'orders.cuont'. Did you mean orders.count?",
    ],
    [
      "an unknown cube in the order",
      { measures: ["orders.count"], order: [["order.count", "asc"]] },
      "'order' not found for path 'order.count'. Did you mean orders.count?",
    ],
    [
      "an unknown granularity in the order",
      {
        timeDimensions: [{ dimension: "orders.created_at", granularity: "day" }],
        order: { "orders.created_at.dya": "asc" },
      },
      'Granularity "dya" does not exist in dimension orders.created_at',
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

describe("SQL that grows by references", () => {
  const levels = Array.from({ length: 4000 }, (_, level) => level);
  const { cubes } = validModel(
    JSON.stringify({
      cubes: [
        {
          name: "c",
          sql_table: "c",
          dimensions: [
            { name: "x", sql: "1", type: "number" },
            { name: "long", sql: `'${"x".repeat(100_000)}'`, type: "string" },
          ],
          measures: [
            { name: "sum", sql: "x", type: "sum" },
            { name: "total", sql: "count(*)", type: "number" },
          ],
          segments: [{ name: "all", sql: "1 = 1" }],
        },
      ],
    }),
  );

  /** A model that the compiler refuses: each of its members references the one before `times`. */
  const grown = (kind: MemberKind, count: number, times: number): CompiledModel => {
    const reference = (level: number): SqlTemplate => [
      { kind: "member", path: ["c"], member: `n${level}`, memberKind: kind },
      " + ",
    ];
    const membersOf = <T>(own: readonly T[]): readonly T[] => [
      ...own,
      ...levels.slice(0, count).map((level) => ({
        ...(own[0] as T),
        name: `n${level}`,
        ...(level > 0 && {
          ...(kind === "measure" && { type: "number" }),
          sql: [...Array.from({ length: times }, () => reference(level - 1)).flat(), "1"],
        }),
      })),
    ];
    const grow = (cube: CompiledCube): CompiledCube => {
      if (kind === "dimension") return { ...cube, dimensions: membersOf(cube.dimensions) };
      if (kind === "measure") return { ...cube, measures: membersOf(cube.measures) };
      return { ...cube, segments: membersOf(cube.segments) };
    };
    return { cubes: cubes.map(grow), views: [], viewGroups: [] };
  };

  const failure = (model: CompiledModel, query: JsonObject): unknown => {
    try {
      return plan(model, query);
    } catch (error) {
      return error instanceof Failure ? [error.code, error.message] : error;
    }
  };
  const tooLong = [
    "invalid",
    expect.stringMatching(
      /^the SQL of the query has more than 4194304 characters, in what c\.n17 references; /,
    ),
  ];
  const tooDeep = [
    "invalid",
    expect.stringMatching(/^references nest more than 100 levels deep in the SQL of c\.n3998; /),
  ];

  test.each<[string, MemberKind, JsonObject]>([
    ["dimensions", "dimension", { dimensions: ["c.n18"] }],
    [
      "filters",
      "dimension",
      { measures: ["c.total"], filters: [{ member: "c.n18", operator: "set" }] },
    ],
    ["measures", "measure", { measures: ["c.n18"] }],
    ["measures of rows", "measure", { measures: ["c.n18"], dimensions: ["c.x"], ungrouped: true }],
    ["segments", "segment", { measures: ["c.total"], segments: ["c.n18"] }],
  ])("%s that double fail, and so does a long chain", (_, kind, query) => {
    expect(failure(grown(kind, 19, 2), query)).toEqual(tooLong);
    const chain = JSON.parse(JSON.stringify(query).replace("n18", "n3999")) as JsonObject;
    expect(failure(grown(kind, 4000, 1), chain)).toEqual(tooDeep);
  });

  test("the largest member that the compiler accepts can be queried", () => {
    const model = (count: number) =>
      JSON.stringify({
        cubes: [
          {
            name: "c",
            sql_table: "c",
            dimensions: levels.slice(0, count).map((level) => ({
              name: `n${level}`,
              type: "number",
              sql: level === 0 ? "1" : `{n${level - 1}} + {n${level - 1}}`,
            })),
          },
        ],
      });
    expect(() => validModel(model(16))).toThrow("c.n15 makes queries write");
    const { statement } = plan(validModel(model(15)), { dimensions: ["c.n14"] });
    expect(statement.text.length).toBeGreaterThan(100_000);
  });

  test("cubes in each other are read a bounded number of times", () => {
    const model = validModel(
      JSON.stringify({
        cubes: levels.slice(0, 5).map((level) => ({
          name: `c${level}`,
          sql: level === 0 ? "SELECT 1" : `SELECT 1 FROM ${`({c${level - 1}.sql()}), `.repeat(10)}`,
          dimensions: [{ name: "x", sql: "1", type: "number" }],
        })),
      }),
    );
    expect(failure(model, { dimensions: ["c4.x"] })).toEqual([
      "invalid",
      expect.stringMatching(/^the query reads c\d and others in more than 1000 nested queries; /),
    ]);
    expect(plan(model, { dimensions: ["c2.x"] }).cubes).toEqual(["c2"]);
  });

  test("values of a filter that repeat a long expression", () => {
    const values = Array.from({ length: 100 }, (_, index) => `v${index}`);
    const query = (operator: string) => ({
      dimensions: ["c.long"],
      filters: [{ member: "c.long", operator, values }],
    });
    const model = { cubes, views: [], viewGroups: [] };
    expect(plan(model, query("equals")).statement.text.length).toBeLessThan(500_000);
    expect(failure(model, query("contains"))).toEqual([
      "invalid",
      expect.stringMatching(/^the SQL of the query has more than 4194304 characters; /),
    ]);
  });

  test("stages that repeat a long expression", () => {
    const model = validModel(
      JSON.stringify({
        cubes: [
          {
            name: "c",
            sql_table: "c",
            dimensions: [{ name: "long", sql: `'${"x".repeat(100_000)}'`, type: "string" }],
            measures: [
              { name: "total", sql: "count(*)", type: "number" },
              ...levels.slice(0, 60).map((level) => ({
                name: `s${level}`,
                type: "sum",
                multi_stage: true,
                sql: "{total}",
              })),
            ],
          },
        ],
      }),
    );
    const query = (count: number) => ({
      dimensions: ["c.long"],
      measures: levels.slice(0, count).map((level) => `c.s${level}`),
    });
    expect(plan(model, query(2)).columns.length).toBe(3);
    expect(failure(model, query(60))).toEqual([
      "invalid",
      expect.stringMatching(/^the SQL of the query has more than 4194304 characters; /),
    ]);
  });
});
