// Dashboards with every type of chart, with unusual data (texts of sixty characters, one and forty series, values that are
// negative, missing, huge or tiny), and with texts from right to left. All data is constant.
import { expect } from "vitest";
import {
  type ModelService,
  startModelService,
  uploadModelFile,
} from "../contract/data-model-service.ts";

const model = `
cubes:
  - name: sales
    sql: >
      SELECT i AS id, 'Region ' || chr(65 + CAST(i % 4 AS INTEGER)) AS region, ['Mail', 'Shop', 'Web'][1 + i % 3] AS channel,
      TIMESTAMP '2025-01-01 00:00:00' + CAST(i // 12 AS INTEGER) * INTERVAL 1 MONTH AS at,
      100 + (i * 37) % 91 + i AS amount, (i * 53) % 17 + 1 AS items
      FROM range(0, 216) t(i)
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: region, sql: region, type: string }
      - { name: channel, sql: channel, type: string }
      - { name: at, sql: at, type: time }
    measures:
      - { name: orders, type: count, title: Orders }
      - { name: revenue, type: sum, sql: amount, title: Revenue, format: currency, currency: EUR }
      - { name: items, type: sum, sql: items, title: Items }
      - { name: least, type: min, sql: amount, title: Least }
      - { name: low, type: number, sql: "quantile_cont(amount, 0.25)", title: Lower quartile }
      - { name: middle, type: number, sql: "quantile_cont(amount, 0.5)", title: Median }
      - { name: high, type: number, sql: "quantile_cont(amount, 0.75)", title: Upper quartile }
      - { name: most, type: max, sql: amount, title: Most }
  - name: steps
    sql: "SELECT * FROM (VALUES ('Visits', 9000), ('Carts', 3200), ('Orders', 1100), ('Returns', 90)) t(name, size)"
    dimensions: [{ name: name, sql: name, type: string }]
    measures: [{ name: size, type: sum, sql: size, title: People }]
  - name: hostile
    sql: "SELECT '<img src=x onerror=window.hacked=1>' AS name, 1 AS size"
    dimensions: [{ name: name, sql: name, type: string }]
    measures: [{ name: size, type: sum, sql: size, title: Size }]
  - name: odd
    sql: >
      SELECT i AS id, 'A name of a store that has exactly sixty characters in row ' || chr(65 + CAST(i % 5 AS INTEGER)) AS long_name,
      'Series ' || lpad(CAST(i AS VARCHAR), 2, '0') AS series,
      ['متجر الشمال', 'סניף הדרום', 'متجر الشرق الكبير', 'סניף המערב'][1 + i % 4] AS rtl,
      TIMESTAMP '2026-01-01 00:00:00' + CAST(i % 12 AS INTEGER) * INTERVAL 1 DAY AS at,
      (i - 20) * 12.5 AS signed, power(10, i) AS huge, 1 / power(10, i % 8) AS tiny,
      CASE WHEN i % 3 = 0 THEN NULL ELSE i END AS holes
      FROM range(0, 40) t(i)
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: long_name, sql: long_name, type: string }
      - { name: series, sql: series, type: string }
      - { name: rtl, sql: rtl, type: string }
      - { name: at, sql: at, type: time }
    measures:
      - { name: count, type: count, title: Count }
      - { name: signed, type: sum, sql: signed, title: Profit and loss }
      - { name: huge, type: max, sql: huge, title: Huge }
      - { name: tiny, type: max, sql: tiny, title: Tiny }
      - { name: holes, type: sum, sql: holes, title: With gaps }
`;

const sixty = "A title of sixty characters, which no small tile has room f.";

type Place = readonly [x: number, y: number, w: number, h: number];

const widget = (title: string, [x, y, w, h]: Place, config: object) => ({
  id: title,
  type: "CHART",
  position: { x, y, w, h },
  config: { title, ...config },
});

/** Members of a query beside its measures and dimensions. */
interface SampleQuery {
  readonly order?: readonly (readonly string[])[];
  readonly timeDimensions?: readonly object[];
  readonly filters?: readonly object[];
}

/** Returns a function that makes the queries of charts over a cube. */
function queryOf(cube: string) {
  return (measures: readonly string[], dimensions: readonly string[], more: SampleQuery = {}) => ({
    query: {
      ...more,
      measures: measures.map((name) => `${cube}.${name}`),
      dimensions: dimensions.map((name) => `${cube}.${name}`),
      // Databases return rows in any order that the query leaves open.
      order: [...(more.order ?? []), ...dimensions.map((name) => [`${cube}.${name}`, "asc"])],
    },
  });
}

const month = { dimension: "sales.at", granularity: "month" };
const sales = queryOf("sales");
const byMonth = { timeDimensions: [month], order: [["sales.at", "asc"]] };

/** Every type of chart, with usual data. */
export const everyType = [
  widget("Bars", [0, 0, 4, 6], { chart: "bar", ...sales(["revenue"], ["region", "channel"]) }),
  widget("Lines", [4, 0, 4, 6], { chart: "line", ...sales(["revenue"], ["channel"], byMonth) }),
  widget("Areas", [8, 0, 4, 6], { chart: "area", ...sales(["items"], ["region"], byMonth) }),
  widget("Shares", [0, 6, 4, 6], {
    chart: "bar",
    stacking: "percent",
    dataLabels: true,
    ...sales(["items"], ["region", "channel"]),
  }),
  widget("Two axes", [4, 6, 4, 6], {
    chart: "bar",
    y: [{ member: "sales.revenue" }, { member: "sales.orders", axis: "right", type: "line" }],
    ...sales(["revenue", "orders"], ["channel"]),
  }),
  widget("Points", [8, 6, 4, 6], {
    chart: "scatter",
    x: "sales.items",
    y: "sales.revenue",
    ...sales(["items", "revenue"], ["region", "channel"]),
  }),
  widget("Slices", [0, 12, 3, 6], { chart: "pie", ...sales(["revenue"], ["region"]) }),
  widget("Ring", [3, 12, 3, 6], {
    chart: "donut",
    dataLabels: true,
    ...sales(["revenue"], ["channel"]),
  }),
  widget("Heat", [6, 12, 6, 6], {
    chart: "heatmap",
    dataLabels: true,
    ...sales(["items"], ["region", "channel"]),
  }),
  widget("Steps", [0, 18, 4, 6], {
    chart: "funnel",
    query: { measures: ["steps.size"], dimensions: ["steps.name"] },
  }),
  widget("Boxes", [4, 18, 4, 6], {
    chart: "boxplot",
    ...sales(["least", "low", "middle", "high", "most"], ["region"]),
  }),
  widget("Flows", [8, 18, 4, 6], { chart: "sankey", ...sales(["items"], ["region", "channel"]) }),
  widget("Number", [0, 24, 3, 4], { chart: "number", ...sales(["revenue"], [], byMonth) }),
  widget("Numbers", [3, 24, 3, 4], { chart: "number", ...sales(["orders", "items"], []) }),
  widget("Table", [6, 24, 6, 6], {
    chart: "table",
    totals: true,
    conditions: [{ member: "sales.items", scale: "bars" }],
    ...sales(["revenue", "items"], ["region", "channel"]),
  }),
  widget("Pivot", [0, 28, 6, 6], { chart: "pivot", ...sales(["items"], ["region", "channel"]) }),
  widget("HTML", [6, 30, 3, 4], {
    chart: "html",
    html: "<h3>{sales.orders} orders</h3><p>In <b>eighteen</b> months.</p>",
    ...sales(["orders"], []),
  }),
  {
    id: "text",
    type: "TEXT",
    position: { x: 9, y: 30, w: 3, h: 4 },
    config: { text: "## A text\n\nWith a [link](https://example.com) and a list:\n\n- one\n- two" },
  },
];

/** A chart of a name that would run a script. */
export const hostile = widget("Hostile", [4, 0, 4, 6], {
  chart: "bar",
  orientation: "vertical",
  query: { measures: ["hostile.size"], dimensions: ["hostile.name"] },
});

/** Small multiples: stacked, of lines with a legend, across, and more than have room. */
export const multiples = [
  widget("Stacked", [0, 0, 6, 6], {
    chart: "bar",
    stacking: "stacked",
    multiples: "sales.region",
    x: "sales.channel",
    ...sales(["items"], ["region", "channel"]),
  }),
  widget("Lines", [6, 0, 6, 6], {
    chart: "line",
    multiples: "sales.region",
    ...sales(["revenue"], ["region", "channel"], byMonth),
  }),
  widget("Shares", [0, 6, 12, 5], {
    chart: "area",
    stacking: "percent",
    multiples: "sales.channel",
    ...sales(["items"], ["channel", "region"], byMonth),
  }),
  widget("Many", [0, 11, 6, 6], {
    chart: "bar",
    multiples: "odd.series",
    query: { measures: ["odd.signed"], dimensions: ["odd.series", "odd.long_name"] },
  }),
  widget("Two measures", [6, 11, 6, 6], {
    chart: "line",
    multiples: "sales.region",
    ...sales(["orders", "items"], ["region"], byMonth),
  }),
  widget("Low", [0, 17, 3, 3], {
    chart: "bar",
    multiples: "sales.region",
    ...sales(["items"], ["region", "channel"]),
  }),
];

const odd = queryOf("odd");
const byDay = {
  timeDimensions: [{ dimension: "odd.at", granularity: "day" }],
  order: [["odd.at", "asc"]],
};

/** Charts of unusual data. */
export const unusual = [
  widget(sixty, [0, 0, 3, 5], { chart: "bar", ...odd(["count"], ["long_name"]) }),
  widget("Long names below", [3, 0, 5, 5], {
    chart: "bar",
    orientation: "vertical",
    ...odd(["count"], ["long_name"]),
  }),
  widget("Long slices", [8, 0, 4, 5], { chart: "pie", ...odd(["count"], ["long_name"]) }),
  widget("Forty series", [0, 5, 6, 6], { chart: "line", ...odd(["count"], ["series"], byDay) }),
  widget("Forty bars", [6, 5, 6, 6], { chart: "bar", ...odd(["count"], ["series"]) }),
  widget("One series", [0, 11, 4, 5], { chart: "line", ...odd(["count"], [], byDay) }),
  widget("Below zero", [4, 11, 4, 5], {
    chart: "bar",
    dataLabels: true,
    ...odd(["signed"], [], byDay),
  }),
  widget("Negative slices", [8, 11, 4, 5], { chart: "pie", ...odd(["signed"], ["series"]) }),
  widget("Huge", [0, 16, 4, 5], { chart: "bar", ...odd(["huge"], ["series"]) }),
  widget("Tiny", [4, 16, 4, 5], { chart: "line", ...odd(["tiny"], [], byDay) }),
  widget("Gaps", [8, 16, 4, 5], { chart: "line", ...odd(["holes"], [], byDay) }),
  widget("Nothing", [0, 21, 4, 4], {
    chart: "bar",
    ...odd(["count"], ["series"], {
      filters: [{ member: "odd.series", operator: "equals", values: ["none"] }],
    }),
  }),
  widget("Huge number", [4, 21, 2, 4], { chart: "number", ...odd(["huge"], []) }),
  widget("Narrow", [6, 21, 1, 4], { chart: "bar", ...odd(["count"], ["series"]) }),
  widget("Low", [7, 21, 5, 3], { chart: "line", ...odd(["count"], ["long_name"], byDay) }),
  widget("Long steps", [0, 25, 4, 6], { chart: "funnel", ...odd(["count"], ["long_name"]) }),
];

/** Charts of texts from right to left, which fonts of the machine draw. */
export const rightToLeft = [
  widget("من اليمين إلى اليسار", [0, 0, 4, 5], { chart: "bar", ...odd(["signed"], ["rtl"]) }),
  widget("שולחן", [4, 0, 4, 5], { chart: "table", ...odd(["signed", "count"], ["rtl"]) }),
  widget("Slices of right-to-left names", [8, 0, 4, 5], {
    chart: "pie",
    ...odd(["count"], ["rtl"]),
  }),
  widget("Flows", [0, 5, 4, 6], { chart: "sankey", ...odd(["count"], ["long_name", "rtl"]) }),
  widget("Cells", [4, 5, 4, 6], {
    chart: "heatmap",
    dataLabels: true,
    ...odd(["count"], ["long_name", "rtl"]),
  }),
  widget("Lines", [8, 5, 4, 6], { chart: "line", ...odd(["count"], ["rtl"], byDay) }),
  widget("Steps", [0, 11, 4, 5], { chart: "funnel", ...odd(["count"], ["rtl"]) }),
  widget("Narrow", [4, 11, 1, 3], { chart: "bar", ...odd(["count"], ["rtl"]) }),
];

/** Starts a service with the data of the samples. Close it after the test. */
export async function startSampleService(): Promise<ModelService> {
  const service = await startModelService();
  const id = await service.start();
  const path = "model/samples.yml";
  const at = { url: service.url, key: service.adminKey };
  expect(await uploadModelFile(at, { id, path, content: model })).toBe(204);
  await service.finish(id, { [path]: model });
  expect(await service.buildEnded()).toMatchObject({ status: "built" });
  return service;
}
