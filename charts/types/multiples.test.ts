// Small multiples: charts beside each other that can be compared.
import { expect, it } from "vitest";
import {
  amount,
  day,
  dayAt,
  draw,
  notesOf,
  optionOf,
  region,
  result,
} from "../../test/support/chart-samples.ts";
import type { ResultColumn } from "../index.ts";

const status: ResultColumn = { ...region, name: "orders.status", title: "Status" };
const rows = [
  ["north", "paid", dayAt(0), "10"],
  ["south", "open", dayAt(1), "400"],
  ["north", "open", dayAt(2), "30"],
  ["north", "paid", dayAt(2), "5"],
];
const table = result([region, status, day, amount], rows);
const config = { chart: "bar", stacking: "stacked", multiples: "orders.region" };
const size = { width: 800, height: 300 };

interface Multiples {
  readonly title: readonly { readonly text: string }[];
  readonly grid: readonly { readonly left: number; readonly right: number }[];
  readonly xAxis: readonly { readonly data: readonly string[] }[];
  readonly yAxis: readonly { readonly max: number; readonly gridIndex: number }[];
  readonly series: readonly {
    readonly name: string;
    readonly stack: string;
    readonly xAxisIndex: number;
    readonly itemStyle: { readonly color: string };
    readonly data: readonly unknown[];
  }[];
}

it("have the same categories, range, series and colors, and stacks of their own", () => {
  const model = draw(table, config, size);
  const { title, grid, xAxis, yAxis, series } = optionOf(model) as unknown as Multiples;
  expect(title.map(({ text }) => text)).toEqual(["north", "south"]);
  expect(xAxis[0]?.data).toEqual(xAxis[1]?.data);
  expect(xAxis[0]?.data).toHaveLength(3);
  expect(yAxis.map(({ max, gridIndex }) => [max, gridIndex])).toEqual([
    [400, 0],
    [400, 1],
  ]);
  expect(series.map(({ name, xAxisIndex, data }) => [name, xAxisIndex, data])).toEqual([
    ["open", 0, [null, null, 30]],
    ["paid", 0, [10, null, 5]],
    ["open", 1, [null, 400, null]],
    ["paid", 1, [null, null, null]],
  ]);
  expect(series[0]?.itemStyle.color).toBe(series[2]?.itemStyle.color);
  expect(series[0]?.stack).not.toBe(series[2]?.stack);
  // The second begins where the first has ended.
  expect(grid[1]?.left).toBeGreaterThan(size.width - (grid[0]?.right ?? 0));
});

it("say the value of each mark with the name of its chart, and know its row", () => {
  const model = draw(table, config, size);
  const points = model.kind === "echarts" ? model.points : [];
  expect(points.map(({ label, row, seriesIndex }) => [label, row, seriesIndex])).toEqual([
    ["north, Jan 3, 2026, open: 30", 2, 0],
    ["north, Jan 1, 2026, paid: 10", 0, 1],
    ["north, Jan 3, 2026, paid: 5", 3, 1],
    ["south, Jan 2, 2026, open: 400", 1, 2],
  ]);
});

it("are as many as have room, and say how many there are", () => {
  const many = Array.from({ length: 40 }, (_, at) => [`region ${at}`, "paid", dayAt(0), "1"]);
  const model = draw(result(table.columns, many), config, size);
  const { title } = optionOf(model) as unknown as Multiples;
  expect(title.length).toBeGreaterThan(3);
  expect(title.length).toBeLessThan(40);
  expect(notesOf(model)).toContain(`First ${title.length} of 40 categories`);
});

it("are refused for a dimension that the result does not have", () => {
  const model = draw(table, { ...config, multiples: "orders.none" }, size);
  expect(model).toMatchObject({ kind: "refused", reason: "The result has no column orders.none." });
});
