// Bars, lines and areas: grouped, stacked, as shares, horizontal, and combined on two axes.
import type { ChartConfig } from "../config/config.ts";
import { Refusal } from "../data/columns.ts";
import { baseOption, legendOf, summaryOf, textStyle } from "../data/echarts.ts";
import { formatValue } from "../formats/format-value.ts";
import type { ChartPoint, ChartSpace, EchartsModel, ResultTable } from "../model/model.ts";
import { note } from "../model/notes.ts";
import { categoryColors, paletteOf, surfaceColors } from "../scales/colors.ts";
import { isolated } from "../scales/text-width.ts";
import { extent } from "../scales/ticks.ts";
import { chartData, type ChartData, type Series } from "../data/series.ts";
import { type CartesianLayout, layOut } from "./cartesian-layout.ts";
import type { DrawnSeries, Stacking } from "./cartesian-series.ts";
import { valueLabels } from "./cartesian-labels.ts";
import { cutNotes, tableOf } from "./table.ts";

/** Returns a chart of bars, lines or areas. */
export function describeCartesian(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): EchartsModel {
  const mark = markOf(config);
  const data = chartData(result, config, space);
  const stacking = stackingOf(mark, data, config);
  const colors = colorsOf(data.series, { config, space });
  const series = drawnSeries(data, { mark, stacking, config, colors, isAlone: true });
  const legend = legendOf(
    series.map(({ name }) => name),
    space,
    config.legend,
  );
  const layout = layOut({ data, series, stacking, config, space, legend });
  const points = pointsOf(data, space);
  const notes = [...data.notes, ...legend.notes, ...cutNotes(result)];
  const { hidden } = layout.labels;
  if (hidden > 0) {
    const total = data.categories.length;
    notes.push(note("chart.someLabels", { shown: total - hidden, total }));
  }
  return {
    kind: "echarts",
    chart: mark === "bar" ? "bar" : "line",
    option: {
      ...optionOf(layout, { series, stacking, config, space, points }),
      legend: legend.option,
    },
    table: tableOf(result, config, space),
    summary: summaryOf(mark, { result, values: rangeText(data, space), space }),
    notes,
    points,
  };
}

/** Returns how the values of a type of chart are drawn. */
export function markOf({ chart }: ChartConfig): DrawnSeries["mark"] {
  return chart === "line" || chart === "area" ? chart : "bar";
}

/** Returns how the series of a chart are put on each other. */
export function stackingOf(mark: string, data: ChartData, { stacking }: ChartConfig): Stacking {
  const [first] = data.series;
  const isOne = data.series.every(({ measure }) => measure.index === first?.measure.index);
  const wanted = stacking ?? (mark === "area" && isOne ? "stacked" : "none");
  const isNegative = data.series.some(({ values }) =>
    values.some((one) => one !== null && one < 0),
  );
  if (wanted === "percent" && isNegative) {
    throw new Refusal(note("chart.refused.negativeShares"));
  }
  // Areas above and below zero would hide each other.
  return wanted === "stacked" && stacking === undefined && isNegative ? "none" : wanted;
}

interface SeriesOptions {
  readonly mark: DrawnSeries["mark"];
  readonly stacking: Stacking;
  readonly config: ChartConfig;
  /** The colors of series by their names. */
  readonly colors: ReadonlyMap<string, string>;
  /** Whether a measure may get an axis of its own: charts beside each other have the same axes. */
  readonly isAlone: boolean;
}

/** Returns the colors of series by their names. */
export function colorsOf(
  series: readonly Series[],
  { config, space }: { readonly config: ChartConfig; readonly space: ChartSpace },
): ReadonlyMap<string, string> {
  const own = [...new Map(series.map((one) => [one.name, one])).values()];
  // A category has its color by its name, so that it is the same in each chart. Measures have the colors in order.
  const colors =
    own[0]?.group === undefined
      ? paletteOf(space)
      : categoryColors(
          own.filter(({ isOther }) => !isOther).map(({ group, name }) => group ?? name),
          space,
        );
  return new Map(
    own.map(({ name, isOther, measure }, at) => [
      name,
      isOther
        ? surfaceColors(space).other
        : (measure.config.color ?? config.colors?.[at] ?? colors[at % colors.length] ?? ""),
    ]),
  );
}

/** Returns the series with the way in which they are drawn. */
export function drawnSeries(
  data: ChartData,
  { mark, stacking, config, colors, isAlone }: SeriesOptions,
): readonly DrawnSeries[] {
  const { series } = data;
  const isAutomatic =
    isAlone &&
    stacking === "none" &&
    config.orientation !== "horizontal" &&
    config.y?.some(({ axis }) => axis !== undefined) !== true;
  const second = isAutomatic ? secondAxis(series) : undefined;
  const totals = data.categories.map((_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  return series.map((one) => {
    const { config: own } = one.measure;
    const side = own.axis ?? (second === one ? "right" : "left");
    const isOrdered = data.isTime && second === one && mark === "bar";
    return {
      ...one,
      side: stacking === "percent" || config.orientation === "horizontal" ? "left" : side,
      mark: own.type ?? (isOrdered ? "line" : mark),
      color: colors.get(one.name) ?? "",
      drawn:
        stacking === "percent"
          ? one.values.map((value, place) => shareOf(value, totals[place] ?? 0))
          : one.values,
    };
  });
}

function shareOf(value: number | null, total: number): number | null {
  return value === null || total === 0 ? null : value / total;
}

/** Returns the one of two measures that needs its own axis, because the other is more than eight times as large. */
function secondAxis([first, second, ...more]: readonly Series[]): Series | undefined {
  if (first === undefined || second === undefined || more.length > 0) return undefined;
  if (first.measure.index === second.measure.index) return undefined;
  const largest = ({ values }: Series) =>
    values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  const [small = 0, large = 0] = [largest(first), largest(second)].toSorted((a, b) => a - b);
  return small > 0 && large / small > 8 ? second : undefined;
}

/** Returns the values of a chart in words. */
export function pointsOf(
  { categories, series }: ChartData,
  space: ChartSpace,
): readonly ChartPoint[] {
  return series.flatMap(({ name, values, rows, measure }, seriesIndex) =>
    values.flatMap((value, dataIndex): ChartPoint[] => {
      if (value === null) return [];
      const row = rows[dataIndex];
      const category = categories[dataIndex]?.text ?? "";
      const what = [category, name].filter((part) => part !== "").join(", ");
      const text = formatValue(value, measure.column, space);
      return [
        {
          seriesIndex,
          dataIndex,
          label: `${isolated(what)}: ${text}`,
          heading: category,
          entry: `${isolated(name)}: ${text}`,
          ...(row !== undefined && { row }),
        },
      ];
    }),
  );
}

/** Returns the least and the largest value as text. */
export function rangeText({ series }: ChartData, space: ChartSpace): readonly string[] {
  const range = extent(series.flatMap(({ values }) => [...values]));
  const [first] = series;
  if (range === undefined || first === undefined) return [];
  return range.map((value) => formatValue(value, first.measure.column, space));
}

interface OptionParts {
  readonly series: readonly DrawnSeries[];
  readonly stacking: Stacking;
  readonly config: ChartConfig;
  readonly space: ChartSpace;
  readonly points: readonly ChartPoint[];
}

/** Returns the members of the option that all charts with axes have. */
export function axesBase(space: ChartSpace, points: readonly ChartPoint[]): object {
  const base = baseOption(space, points);
  const tooltip = { ...base.tooltip, trigger: "axis", axisPointer: { type: "shadow" } };
  return { ...base, tooltip };
}

/** The members of the option of a chart that have a place. */
export interface AxesOption {
  readonly color: readonly string[];
  readonly grid: CartesianLayout["grid"] & {
    readonly outerBoundsMode: "none";
    readonly containLabel: false;
  };
  readonly xAxis: object | readonly object[] | undefined;
  readonly yAxis: object | readonly object[] | undefined;
  readonly series: readonly SeriesPlace[];
}

/** Returns the option of a chart but for its legend. */
export function optionOf(layout: CartesianLayout, parts: OptionParts): AxesOption {
  const { series, space, points } = parts;
  const { isHorizontal, grid } = layout;
  const values = layout.axes.map((axis) => valueAxis(axis, layout, parts));
  const names = categoryAxis(layout, parts);
  const labels = valueLabels(layout, parts);
  return {
    ...axesBase(space, points),
    color: series.map(({ color }) => color),
    grid: { ...grid, outerBoundsMode: "none", containLabel: false },
    xAxis: isHorizontal ? values[0] : names,
    yAxis: isHorizontal ? names : values,
    series: series.map((one, at) => ({
      ...seriesOption(one, at, { layout, parts }),
      data: one.drawn.map((value, place) => {
        const label = labels(at, place);
        const isAlone =
          one.mark !== "bar" && one.drawn[place - 1] == null && one.drawn[place + 1] == null;
        if (value === null || (label === undefined && !isAlone)) return value;
        return { value, ...(label && { label }), ...(isAlone && { symbol: "circle" }) };
      }),
    })),
  };
}

const symbols = ["circle", "rect", "triangle", "diamond"] as const;
const dashes = ["solid", "dashed", "dotted"] as const;

/** The members of an ECharts series that name its axis and what it is put on. */
interface SeriesPlace {
  readonly stack?: string;
  readonly yAxisIndex?: number;
  readonly [member: string]: unknown;
}

function seriesOption(
  { name, mark, side, color }: DrawnSeries,
  at: number,
  { layout, parts }: { layout: CartesianLayout; parts: OptionParts },
): SeriesPlace {
  const { stacking, space } = parts;
  const { isHorizontal, axes, labels } = layout;
  const stack = stacking === "none" ? {} : { stack: `${mark === "line" ? "line" : "all"} ${side}` };
  const axis = axes.length > 1 && side === "right" ? { yAxisIndex: 1 } : {};
  if (mark === "bar") {
    const radius = isHorizontal ? [0, 3, 3, 0] : [3, 3, 0, 0];
    return {
      ...stack,
      ...axis,
      name,
      type: "bar",
      barMaxWidth: 48,
      barCategoryGap: "24%",
      itemStyle: {
        color,
        ...(stacking === "none"
          ? { borderRadius: radius }
          : { borderColor: surfaceColors(space).surface, borderWidth: 0.5 }),
      },
    };
  }
  const isDense = labels.texts.length > 40;
  return {
    ...(mark === "area" && stack),
    ...axis,
    name,
    type: "line",
    z: 3,
    symbol: isDense ? "none" : symbols[at % symbols.length],
    symbolSize: 6,
    showAllSymbol: true,
    lineStyle: { width: 2, color, type: dashes[Math.floor(at / symbols.length) % dashes.length] },
    itemStyle: { color },
    ...(mark === "area" && { areaStyle: { color, opacity: stacking === "none" ? 0.18 : 0.5 } }),
  };
}

function valueAxis(
  { scale, texts, title, side }: CartesianLayout["axes"][number],
  { isHorizontal, hasTitles }: CartesianLayout,
  { space }: OptionParts,
): object {
  const { line } = surfaceColors(space);
  const style = textStyle(space);
  const byTick = new Map(scale.ticks.map((tick, at) => [tick.toPrecision(9), texts[at] ?? ""]));
  return {
    type: "value",
    position: isHorizontal ? "bottom" : side,
    min: scale.min,
    max: scale.max,
    interval: scale.interval,
    name: hasTitles ? title : "",
    nameLocation: isHorizontal ? "middle" : "end",
    nameGap: isHorizontal ? 26 : 10,
    nameTextStyle: { ...style, align: isHorizontal ? "center" : side },
    axisLabel: {
      ...style,
      margin: 8,
      formatter: (value: number) => byTick.get(value.toPrecision(9)) ?? "",
    },
    splitLine: { show: side === "left", lineStyle: { color: line } },
    axisLine: { show: false },
    axisTick: { show: false },
  };
}

function categoryAxis(
  { labels, isHorizontal, hasGaps, hasTitles, categoryTitle, categories }: CartesianLayout,
  { space }: OptionParts,
): object {
  const style = textStyle(space);
  return {
    type: "category",
    data: categories.map(({ text }) => text),
    inverse: isHorizontal,
    boundaryGap: hasGaps,
    name: hasTitles ? categoryTitle : "",
    nameLocation: "middle",
    nameGap: labels.lines * 15 + 12,
    nameTextStyle: style,
    axisLabel: {
      ...style,
      lineHeight: 15,
      margin: 8,
      hideOverlap: false,
      interval: (index: number) => (labels.texts[index] ?? "") !== "",
      formatter: (_: string, index: number) => labels.texts[index] ?? "",
    },
    axisLine: { lineStyle: { color: surfaceColors(space).line } },
    axisTick: { show: false },
  };
}
