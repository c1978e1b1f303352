// Lays out the axes of bars, lines and areas: ranges, labels and margins, so that every label has its room.
import type { ChartConfig } from "../config/config.ts";
import { degrade, fontSize, type Legend, lineHeight } from "../data/echarts.ts";
import { formatTicks } from "../formats/number-format.ts";
import type { ChartSpace } from "../model/model.ts";
import {
  type CategoryLabels,
  labelWidth,
  nameLabels,
  sideLabels,
  timeLabels,
} from "../scales/category-labels.ts";
import { fitText, textWidth } from "../scales/text-width.ts";
import { mostTicks, type Scale, scaleOf } from "../scales/ticks.ts";
import type { ChartData } from "../data/series.ts";
import type { Category } from "../model/model.ts";
import type { DrawnSeries, Stacking } from "./cartesian-series.ts";

/** An axis of values. */
export interface ValueAxis {
  readonly side: "left" | "right";
  readonly scale: Scale;
  readonly texts: readonly string[];
  readonly title: string;
}

/** The layout of a chart with axes. */
export interface CartesianLayout {
  readonly isHorizontal: boolean;
  /** Whether the first and the last category have room at the sides. */
  readonly hasGaps: boolean;
  readonly hasTitles: boolean;
  readonly categories: readonly Category[];
  readonly categoryTitle: string;
  readonly labels: CategoryLabels;
  readonly axes: readonly ValueAxis[];
  readonly grid: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  };
  /** Size of the area between the axes. */
  readonly plot: { readonly width: number; readonly height: number };
}

/** What is laid out. */
export interface LayoutInput {
  readonly data: ChartData;
  readonly series: readonly DrawnSeries[];
  /** The series of all charts that have the same ranges, if there are several. */
  readonly peers?: readonly (readonly DrawnSeries[])[];
  readonly stacking: Stacking;
  readonly config: ChartConfig;
  readonly space: ChartSpace;
  readonly legend: Legend;
}

/** Returns the layout: horizontal if the configuration says so, or where long names do not fit below bars. */
export function layOut(input: LayoutInput): CartesianLayout {
  const { config, data, series } = input;
  if (config.orientation === "horizontal") return layOutHorizontally(input);
  const vertical = layOutVertically(input);
  const canTurn =
    config.orientation === undefined &&
    !data.isTime &&
    vertical.axes.length === 1 &&
    series.every(({ mark }) => mark === "bar");
  if (vertical.labels.isWhole || !canTurn) return vertical;
  const turned = layOutHorizontally(input);
  // Short names, such as hours, are understood with some of them left out.
  const isLong = vertical.labels.texts.some((text) => text.endsWith("…"));
  const most = isLong ? vertical.labels.hidden : 0;
  return turned.labels.hidden <= most ? turned : vertical;
}

function layOutVertically(input: LayoutInput): CartesianLayout {
  const { data, series, config, space, legend } = input;
  const hasTwo = series.some(({ side }) => side === "right");
  const { hasAxisTitles } = degrade(space);
  const isTitled = hasTwo || config.axes.left.title !== undefined;
  const top = legend.height + (hasAxisTitles && isTitled ? 24 : 8) + (config.dataLabels ? 12 : 0);
  const xTitle = hasAxisTitles ? (config.axes.x.title ?? "") : "";
  const titleHeight = xTitle === "" ? 0 : 18;
  const assumed = space.height - top - lineHeight - 12 - titleHeight;
  const intervals = Math.min(mostTicks - 1, Math.max(1, Math.floor(assumed / 28)));
  const axes = valueAxes(input, { intervals, hasTwo });
  const marginOf = (side: "left" | "right") => {
    const own = axes.find((axis) => axis.side === side);
    if (own === undefined) return 8;
    return Math.max(...own.texts.map((text) => textWidth(text, fontSize))) + 10;
  };
  const [axisLeft, axisRight] = [marginOf("left"), marginOf("right")];
  const labels = labelsBelow(input, space.width - axisLeft - axisRight);
  const isLine = series.every(({ mark }) => mark !== "bar");
  const hasGaps = !isLine || data.categories.length < 2;
  const edge = hasGaps ? 0 : halfLabels(labels);
  const [left, right] = [Math.max(axisLeft, edge), Math.max(axisRight, edge)];
  const bottom = labels.texts.every((text) => text === "")
    ? 8
    : labels.lines * lineHeight + 12 + titleHeight;
  const width = Math.max(1, space.width - left - right);
  return {
    isHorizontal: false,
    hasGaps,
    hasTitles: hasAxisTitles,
    categories: data.categories,
    categoryTitle: xTitle,
    labels: edge > 0 ? labelsBelow(input, width) : labels,
    axes: axes.map((axis) => ({
      ...axis,
      title: fitText(axis.title, fontSize, space.width * 0.45),
    })),
    grid: { left, right, top, bottom },
    plot: { width, height: Math.max(1, space.height - top - bottom) },
  };
}

/** Returns half the width of the first or the last label, which stand below the ends of a line. */
function halfLabels({ texts }: CategoryLabels): number {
  const shown = texts.filter((text) => text !== "");
  const last = texts.at(-1) === "" ? "" : (shown.at(-1) ?? "");
  return Math.ceil(Math.max(labelWidth(shown[0] ?? ""), labelWidth(last)) / 2);
}

function labelsBelow({ data, config, space }: LayoutInput, width: number): CategoryLabels {
  const { category, categories, isTime } = data;
  if (isTime && category !== undefined) {
    const { format = category.column.format } = config.axes.x;
    const column = { ...category.column, ...(format !== undefined && { format }) };
    return timeLabels(categories, { column, width, space });
  }
  return nameLabels(
    categories.map(({ text }) => text),
    width,
  );
}

function layOutHorizontally(input: LayoutInput): CartesianLayout {
  const { data, config, space, legend } = input;
  const { hasAxisTitles } = degrade(space);
  const top = legend.height + 4;
  const title = hasAxisTitles ? (config.axes.left.title ?? "") : "";
  const bottom = lineHeight + 12 + (title === "" ? 0 : 18);
  const height = Math.max(1, space.height - top - bottom);
  const names = data.categories.map(({ text }) => text);
  const most = Math.max(30, space.width * 0.4);
  const labels = sideLabels(names, { width: most, height });
  const left = Math.min(most, Math.max(0, ...labels.texts.map(labelWidth))) + 12;
  const room = Math.max(1, space.width - left - 16);
  let axes = valueAxes(input, { intervals: mostTicks - 1, hasTwo: false });
  for (let intervals = mostTicks - 1; intervals > 0; intervals--) {
    axes = valueAxes(input, { intervals, hasTwo: false });
    const texts = axes[0]?.texts ?? [];
    const widest = Math.max(...texts.map((text) => textWidth(text, fontSize)));
    if (widest + 10 <= room / Math.max(1, texts.length - 1)) break;
  }
  const last = textWidth(axes[0]?.texts.at(-1) ?? "", fontSize) / 2;
  const right = Math.max(last + 4, config.dataLabels ? 48 : 8);
  return {
    isHorizontal: true,
    hasGaps: true,
    hasTitles: hasAxisTitles,
    categories: data.categories,
    categoryTitle: "",
    labels,
    axes,
    grid: { left, right, top, bottom },
    plot: { width: Math.max(1, space.width - left - right), height },
  };
}

/** Returns the axes of values; the ticks of a second one are at the height of those of the first. */
function valueAxes(
  input: LayoutInput,
  { intervals, hasTwo }: { intervals: number; hasTwo: boolean },
): readonly ValueAxis[] {
  const left = valueAxis(input, "left", intervals);
  if (!hasTwo) return [left];
  const count = left.scale.ticks.length - 1;
  const right = valueAxis(input, "right", count);
  if (left.scale.min < 0 || right.scale.min !== 0 || left.scale.min !== 0) return [left, right];
  const { interval } = right.scale;
  const ticks = Array.from({ length: count + 1 }, (_, at) =>
    Number((at * interval).toPrecision(12)),
  );
  const scale = { ...right.scale, max: ticks.at(-1) ?? 1, ticks };
  return [left, { ...right, scale, texts: tickTexts(input, "right", ticks) }];
}

function valueAxis(input: LayoutInput, side: "left" | "right", intervals: number): ValueAxis {
  const { series, peers = [series], stacking, config } = input;
  const own = series.filter((one) => one.side === side);
  const values = peers.flatMap((all) => {
    const drawn = all.filter((one) => one.side === side);
    return stacking === "none" ? drawn.flatMap((one) => numbers(one.drawn)) : sums(drawn);
  });
  const hasZero = stacking !== "none" || own.some(({ mark }) => mark !== "line");
  const { min, max } = config.axes[side];
  const scale =
    stacking === "percent"
      ? scaleOf([0, 0.5, 1], { hasZero: true, intervals, max: 1 })
      : scaleOf(values, {
          hasZero,
          intervals,
          min: hasZero ? Math.min(0, min ?? 0) || undefined : min,
          max: hasZero && max !== undefined ? Math.max(0, max) : max,
        });
  const names = new Set(own.map(({ measure }) => measure.column.title));
  const isTwo = series.some((one) => one.side !== side);
  const title = config.axes[side].title ?? (isTwo ? [...names].join(", ") : "");
  return { side, scale, texts: tickTexts(input, side, scale.ticks), title };
}

function numbers(values: readonly (number | null)[]): readonly number[] {
  return values.flatMap((value) => value ?? []);
}

/** Returns the sums of stacked values, above and below zero. */
function sums(series: readonly DrawnSeries[]): readonly number[] {
  const count = series[0]?.drawn.length ?? 0;
  const alone = series.filter(({ mark }) => mark === "line").flatMap(({ drawn }) => numbers(drawn));
  const stacked = series.filter(({ mark }) => mark !== "line");
  return Array.from({ length: count }, (_, at) => {
    let [above, below] = [0, 0];
    for (const { drawn } of stacked) {
      const value = drawn[at] ?? 0;
      if (value > 0) above += value;
      else below += value;
    }
    return [above, below];
  })
    .flat()
    .concat(alone);
}

function tickTexts(
  { series, stacking, config, space }: LayoutInput,
  side: "left" | "right",
  ticks: readonly number[],
): readonly string[] {
  if (stacking === "percent") return formatTicks(ticks, { format: ".0%" }, space.locale);
  const column = series.find((one) => one.side === side)?.measure.column;
  const { format = column?.format } = config.axes[side];
  return formatTicks(ticks, { format, currency: column?.currency }, space.locale);
}
