// What charts make of results of the service: sums of what can be added up.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChartModel, describeChart, readChartConfig } from "../../charts/index.ts";
import type { JsonObject } from "../../core/json.ts";
import { readResult } from "../../web/dashboard/state/results.ts";
import { notesOf, optionOf } from "../support/chart-samples.ts";
import {
  dataToken,
  type ModelService,
  serveDevMode,
  startModelService,
} from "./data-model-service.ts";

const cubes = `
cubes:
  - name: orders
    sql: "SELECT i AS id, i % 40 AS region, i % 3 AS kind, DATE '2026-01-01' + CAST(i % 2 AS INTEGER) * INTERVAL 1 MONTH AS at FROM range(0, 240) t(i)"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: region, sql: "'region ' || {CUBE}.region", type: string }
      - { name: kind, sql: "'kind ' || {CUBE}.kind", type: string }
      - { name: at, sql: at, type: time }
    measures:
      - { name: count, type: count }
      - { name: total, type: sum, sql: id }
      - { name: average, type: avg, sql: id }
      - { name: so_far, type: sum, sql: id, rolling_window: { trailing: unbounded } }
views:
  - name: shown
    cubes: [{ join_path: orders, includes: [total, kind] }]
`;

let service: ModelService;
let address: string;
let token: string;
beforeAll(async () => {
  service = await startModelService();
  ({ address } = await serveDevMode(service, { model: cubes, seeds: "id\n1\n" }));
  token = await dataToken(service);
});
afterAll(() => service.close());

/** Returns the chart of a query, as the page describes it. */
async function draw(query: JsonObject, config: JsonObject = {}): Promise<ChartModel> {
  const response = await fetch(`${address}/load`, {
    method: "POST",
    headers: { authorization: token, "content-type": "application/json" },
    body: JSON.stringify({ query: { ...query, responseFormat: "compact" } }),
  });
  expect(response.status).toBe(200);
  const { table } = readResult((await response.json()) as JsonObject);
  return describeChart(table, readChartConfig(config), {
    width: 900,
    height: 400,
    locale: "en-US",
    scheme: "light",
    now: () => "2030-01-01T00:00:00.000",
  });
}

const monthly = [{ dimension: "orders.at", granularity: "month" }];

describe("a table", () => {
  const totals = async (query: JsonObject) => {
    const model = await draw(query, { chart: "table", totals: true });
    return model.kind === "table" ? model.table.totals?.cells.map(({ text }) => text) : [];
  };

  it("adds up sums and counts, but neither averages nor windows", async () => {
    const measures = ["orders.count", "orders.total", "orders.average"];
    expect(await totals({ measures, dimensions: ["orders.kind"] })).toEqual([
      "Total",
      "240",
      "28,680",
      "",
    ]);
    const timeDimensions = [{ ...monthly[0], dateRange: ["2026-01-01", "2026-02-28"] }];
    expect(await totals({ measures: ["orders.so_far"], timeDimensions })).toEqual(["Total", ""]);
  });

  it("adds up the measures of a view", async () => {
    expect(await totals({ measures: ["shown.total"], dimensions: ["shown.kind"] })).toEqual([
      "Total",
      "28,680",
    ]);
  });
});

it("joins the smallest of many series, so that the stacks have their height", async () => {
  const chart = await draw(
    { measures: ["orders.count"], dimensions: ["orders.region"], timeDimensions: monthly },
    { chart: "bar", stacking: "stacked" },
  );
  expect(notesOf(chart)).toEqual(["Other holds 32 of 40 series"]);
  const { series } = optionOf(chart);
  const heights = [0, 1].map((month) =>
    series.reduce((sum, { data }) => sum + Number(data[month] ?? 0), 0),
  );
  expect(heights).toEqual([120, 120]);
});
