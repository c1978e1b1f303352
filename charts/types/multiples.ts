// Small multiples: a chart of bars, lines or areas for each value of a dimension. All have the same categories, ranges and
// colors, and one legend, so that they can be compared.
import type { ChartConfig } from "../config/config.ts";
import { neededPlace, type Place, placesOf } from "../data/columns.ts";
import {
  fontSize,
  type Legend,
  legendOf,
  lineHeight,
  summaryOf,
  textStyle,
} from "../data/echarts.ts";
import { type Key, rowKey, sortedByKey } from "../data/order.ts";
import { chartData, type ChartData } from "../data/series.ts";
import type { ChartSpace, EchartsModel, ResultTable } from "../model/model.ts";
import { type ChartNote, note } from "../model/notes.ts";
import { surfaceColors } from "../scales/colors.ts";
import { fitText, isolated } from "../scales/text-width.ts";
import {
  axesBase,
  type AxesOption,
  colorsOf,
  drawnSeries,
  markOf,
  optionOf,
  pointsOf,
  rangeText,
  stackingOf,
} from "./cartesian.ts";
import { layOut } from "./cartesian-layout.ts";
import { cutNotes, tableOf } from "./table.ts";

/** Most charts. */
const mostCells = 24;
/** The least size of a chart with its title. */
const least = { width: 120, height: 96 };
const gap = 16;
const titleHeight = lineHeight + 4;

/** A value of the dimension with its rows. */
interface Part extends Key {
  readonly name: string;
  readonly result: ResultTable;
  /** The places of its rows in the whole result. */
  readonly rows: readonly number[];
}

/** Returns a chart for each value of the dimension that `multiples` names, as many as have room. */
export function describeMultiples(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): EchartsModel {
  const dimension = neededPlace(placesOf(result, config), config.multiples ?? "");
  const mark = markOf(config);
  const all = partsOf(result, dimension, space);
  const whole = chartData(withoutColumn(result, dimension), config, space);
  const read = withSameSeries(
    all.slice(0, mostCells).map((part) => dataOf(part, whole, { config, space })),
    whole,
  );
  const names = read[0]?.series.map(({ name }) => name) ?? [];
  const legend = legendOf(names, space, config.legend);
  const room = { width: space.width, height: space.height - legend.height };
  const grid = gridOf(read.length, room);
  const shown = read.slice(0, grid.count);
  const merged = { ...whole, series: shown.flatMap(({ series }) => series) };
  const stacking = stackingOf(mark, merged, config);
  const colors = colorsOf(merged.series, { config, space });
  const cells = shown.map((data) =>
    drawnSeries(data, { mark, stacking, config, colors, isAlone: false }),
  );
  const none: Legend = { option: {}, height: 0, notes: [] };
  const cellSpace = { ...space, width: grid.width, height: grid.height - titleHeight };
  let hidden = 0;
  const drawn = shown.map((data, at) => {
    const series = cells[at] ?? [];
    const layout = layOut({
      data,
      series,
      peers: cells,
      stacking,
      config,
      space: cellSpace,
      legend: none,
    });
    ({ hidden } = layout.labels);
    const name = all[at]?.name ?? "";
    const points = pointsOf(data, space).map(({ label, heading = "", ...point }) => ({
      ...point,
      label: `${isolated(name)}, ${label}`,
      heading: [name, heading].filter((part) => part !== "").join(", "),
    }));
    return {
      name,
      points,
      option: optionOf(layout, { series, stacking, config, space: cellSpace, points }),
    };
  });
  const { option, points } = joined(drawn, { grid, top: legend.height, space });
  return {
    kind: "echarts",
    chart: mark === "bar" ? "bar" : "line",
    option: { ...option, legend: legend.option },
    table: tableOf(result, config, space),
    summary: summaryOf(mark, { result, values: rangeText(merged, space), space }),
    notes: [
      ...notesOf(read, whole),
      ...legend.notes,
      ...cutNotes(result),
      ...(shown.length < all.length
        ? [note("chart.cutCategories", { shown: shown.length, total: all.length })]
        : []),
      ...(hidden > 0
        ? [
            note("chart.someLabels", {
              shown: whole.categories.length - hidden,
              total: whole.categories.length,
            }),
          ]
        : []),
    ],
    points,
  };
}

/** Divides the rows by the values of a dimension. */
function partsOf(result: ResultTable, dimension: Place, space: ChartSpace): readonly Part[] {
  const parts = new Map<string, Key & { readonly rows: number[] }>();
  for (const [at, row] of result.rows.entries()) {
    const key = rowKey(row, [dimension], space);
    const name = key.texts.join("");
    const part = parts.get(name) ?? { ...key, rows: [] };
    part.rows.push(at);
    parts.set(name, part);
  }
  const rest = withoutColumn(result, dimension);
  return sortedByKey([...parts.values()], [dimension], result).map((part) => ({
    ...part,
    name: part.texts.join(""),
    result: {
      ...rest,
      rows: part.rows.flatMap((at) => (rest.rows[at] === undefined ? [] : [rest.rows[at]])),
    },
  }));
}

function withoutColumn(result: ResultTable, { index }: Place): ResultTable {
  return {
    ...result,
    columns: result.columns.filter((_, at) => at !== index),
    rows: result.rows.map((row) => row.filter((_, at) => at !== index)),
  };
}

/** Reads the data of a part, with the categories of the whole. */
function dataOf(
  part: Part,
  whole: ChartData,
  { config, space }: { readonly config: ChartConfig; readonly space: ChartSpace },
): ChartData {
  const data = chartData(part.result, config, space);
  const places = new Map(data.categories.map(({ value }, at) => [value, at]));
  const own = whole.categories.map(({ value }) => places.get(value));
  return {
    ...data,
    categories: whole.categories,
    series: data.series.map((one) => ({
      ...one,
      values: own.map((at) => (at === undefined ? null : (one.values[at] ?? null))),
      rows: own.map((at) => {
        const row = at === undefined ? undefined : one.rows[at];
        return row === undefined ? undefined : part.rows[row];
      }),
    })),
  };
}

/** Gives each chart the series of all, in the order of the whole: where it has none, without values. */
function withSameSeries(all: readonly ChartData[], whole: ChartData): readonly ChartData[] {
  const empty = all.flatMap(({ series }) =>
    series.map((one) => ({
      ...one,
      values: one.values.map(() => null),
      rows: one.rows.map(() => undefined),
    })),
  );
  const names = new Set(empty.map(({ name }) => name));
  const first = whole.series.filter(({ name }) => names.has(name));
  const order = new Map([...first, ...empty].map((one) => [one.name, one]));
  return all.map((data) => {
    const own = new Map(data.series.map((one) => [one.name, one]));
    return { ...data, series: [...order].map(([name, none]) => own.get(name) ?? none) };
  });
}

/** Returns what the charts leave out: of the whole, what concerns its categories. */
function notesOf(all: readonly ChartData[], whole: ChartData): readonly ChartNote[] {
  const ofCategories = whole.notes.filter(({ key }) =>
    ["chart.withoutTime", "chart.cutTimes", "chart.cutCategories"].includes(key),
  );
  const ofSeries = all
    .flatMap(({ notes }) => notes)
    .filter(({ key }) =>
      ["chart.firstValues", "chart.otherHolds", "chart.cutSeries"].includes(key),
    );
  return [...ofCategories, ...new Map(ofSeries.map((one) => [one.key, one])).values()];
}

/** The places of the charts. */
interface CellGrid {
  readonly count: number;
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the grid of charts; fewer charts where not all have room. */
function gridOf(
  count: number,
  { width, height }: { readonly width: number; readonly height: number },
): CellGrid {
  for (let kept = count; kept > 1; kept--) {
    const grids = Array.from({ length: kept }, (_, at) =>
      gridWith(at + 1, { count: kept, width, height }),
    );
    const fitting = grids.filter(
      (grid) => grid.width >= least.width && grid.height >= least.height,
    );
    const [best] = fitting.toSorted((a, b) => distance(a) - distance(b));
    if (best !== undefined) return best;
  }
  return gridWith(1, { count: 1, width, height });
}

function gridWith(
  columns: number,
  {
    count,
    width,
    height,
  }: { readonly count: number; readonly width: number; readonly height: number },
): CellGrid {
  const rows = Math.ceil(count / columns);
  return {
    count,
    columns,
    width: (width - gap * (columns - 1)) / columns,
    height: (height - gap * (rows - 1)) / rows,
  };
}

/** Returns how far a grid is from a full one of charts that are about half as high as wide. */
function distance({ width, height, columns, count }: CellGrid): number {
  const empty = 1 - count / (columns * Math.ceil(count / columns));
  return Math.abs(Math.log(width / height / 1.8)) + 2 * empty;
}

interface DrawnCell {
  readonly name: string;
  readonly points: EchartsModel["points"];
  readonly option: AxesOption;
}

/** Joins the options of charts into one: each keeps its axes, at its place. */
function joined(
  cells: readonly DrawnCell[],
  {
    grid,
    top,
    space,
  }: { readonly grid: CellGrid; readonly top: number; readonly space: ChartSpace },
) {
  const xAxes: object[] = [];
  const yAxes: object[] = [];
  const series: object[] = [];
  const points: EchartsModel["points"][number][] = [];
  const places = cells.map(({ option, points: own }, gridIndex) => {
    const left = (gridIndex % grid.columns) * (grid.width + gap);
    const y = top + Math.floor(gridIndex / grid.columns) * (grid.height + gap) + titleHeight;
    points.push(
      ...own.map((point) => ({ ...point, seriesIndex: point.seriesIndex + series.length })),
    );
    series.push(
      ...option.series.map(({ stack, yAxisIndex = 0, ...one }) => ({
        ...one,
        ...(stack !== undefined && { stack: `${stack} ${gridIndex}` }),
        xAxisIndex: xAxes.length,
        yAxisIndex: yAxes.length + yAxisIndex,
      })),
    );
    xAxes.push(...[option.xAxis].flat().map((axis) => ({ ...axis, gridIndex })));
    yAxes.push(...[option.yAxis].flat().map((axis) => ({ ...axis, gridIndex })));
    return { left, y };
  });
  const style = {
    ...textStyle(space),
    color: surfaceColors(space).text,
    fontWeight: 600,
    lineHeight,
  };
  const [first] = cells;
  return {
    points,
    option: {
      ...first?.option,
      ...axesBase(space, points),
      color: cells.flatMap((cell) => cell.option.color),
      title: cells.map(({ name }, at) => ({
        text: fitText(name, fontSize, grid.width),
        left: places[at]?.left,
        top: (places[at]?.y ?? 0) - titleHeight,
        padding: 0,
        textAlign: "left",
        textVerticalAlign: "top",
        textStyle: style,
      })),
      grid: cells.map(({ option }, at) => {
        const { left = 0, y = 0 } = places[at] ?? {};
        const own = option.grid;
        return {
          ...own,
          left: left + own.left,
          right: space.width - left - grid.width + own.right,
          top: y + own.top,
          bottom: space.height - y - (grid.height - titleHeight) + own.bottom,
        };
      }),
      xAxis: xAxes,
      yAxis: yAxes,
      series,
    },
  };
}
