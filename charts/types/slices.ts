// The parts of pies and funnels: one measure by one dimension, or several measures side by side.
import type { ChartConfig } from "../config/config.ts";
import { isAdditive, measuresOf, placesOf, refusal } from "../data/columns.ts";
import { formatValue } from "../formats/format-value.ts";
import { formatNumber } from "../formats/number-format.ts";
import type { ChartPoint, ChartSpace, ResultColumn, ResultTable } from "../model/model.ts";
import { type ChartNote, note, textIn } from "../model/notes.ts";
import { categoryColors, surfaceColors } from "../scales/colors.ts";
import { isolated } from "../scales/text-width.ts";
import { chartData, roles } from "../data/series.ts";

/** A part. */
export interface Slice {
  readonly name: string;
  readonly value: number;
  readonly text: string;
  readonly row?: number;
}

/** A part with its color among those that are shown. */
export interface ColoredSlice extends Slice {
  readonly color: string;
}

/** Returns the parts of a result in its order, without empty ones; refuses negative values. */
export function slicesOf(result: ResultTable, config: ChartConfig, space: ChartSpace) {
  const places = placesOf(result, config);
  const measures = measuresOf(places, config);
  const { category, others } = roles(places, config);
  // Without a dimension, each measure is a part.
  const hasOne = category !== undefined;
  const { breakdown: _, ...rest } = config;
  const shown: ChartConfig = {
    ...rest,
    ...(hasOne && { breakdown: [] }),
    y: measureConfig(measures, hasOne),
  };
  const data = chartData(result, shown, space);
  const found = hasOne ? ofCategories(data) : ofSeries(data);
  const parts = found.filter(({ value }) => value !== null && value !== 0);
  if (parts.some(({ value }) => (value ?? 0) < 0)) {
    throw refusal("chart.refused.negative", config.chart ?? "pie");
  }
  const slices = parts.map(({ name, value, column, row }): Slice => ({
    name,
    value: value ?? 0,
    text: formatValue(value, column, space),
    ...(row !== undefined && { row }),
  }));
  const notes =
    others.length > 0 ? data.notes : data.notes.filter(({ key }) => key !== "chart.firstValues");
  const column = found[0]?.column;
  // The values of different measures have no sum.
  const isSum = hasOne && column !== undefined && isAdditive(column);
  return { slices, column, isSum, notes };
}

function measureConfig(measures: ReturnType<typeof measuresOf>, hasOne: boolean) {
  const used = hasOne ? measures.slice(0, 1) : measures;
  return used.map(({ column, config }) => ({ ...config, member: config.member ?? column.name }));
}

interface Part {
  readonly name: string;
  readonly value: number | null;
  readonly column: ResultColumn;
  readonly row?: number | undefined;
}

function ofCategories({ categories, series }: ReturnType<typeof chartData>): readonly Part[] {
  const [first] = series;
  if (first === undefined) return [];
  const taken = new Map<string, number>();
  return categories.map(({ text }, at) => {
    const times = (taken.get(text) ?? 0) + 1;
    taken.set(text, times);
    const name = times === 1 ? text : `${text} (${times})`;
    return {
      name,
      value: first.values[at] ?? null,
      column: first.measure.column,
      row: first.rows[at],
    };
  });
}

function ofSeries({ series }: ReturnType<typeof chartData>): readonly Part[] {
  return series.map(({ name, values, rows, measure }) => ({
    name,
    value: values[0] ?? null,
    column: measure.column,
    row: rows[0],
  }));
}

/** Keeps and colors the largest parts. The others become one if they can be added up, and are left out otherwise. */
export function largestSlices(
  { slices, column, isSum }: ReturnType<typeof slicesOf>,
  most: number,
  { config, space }: { readonly config: ChartConfig; readonly space: ChartSpace },
): { readonly slices: readonly ColoredSlice[]; readonly notes: readonly ChartNote[] } {
  const total = slices.length;
  const colored = (shown: readonly Slice[]): readonly ColoredSlice[] => {
    const colors = categoryColors(
      shown.map(({ name }) => name),
      space,
    );
    return shown.map((one, at) => ({ ...one, color: config.colors?.[at] ?? colors[at] ?? "" }));
  };
  if (column === undefined || total <= most) return { slices: colored(slices), notes: [] };
  const largest = new Set(
    slices.toSorted((a, b) => b.value - a.value).slice(0, isSum ? most - 1 : most),
  );
  const kept = slices.filter((one) => largest.has(one));
  if (!isSum) {
    return {
      slices: colored(kept),
      notes: [note("chart.cutSmallest", { shown: most, total })],
    };
  }
  const value = slices.reduce((sum, one) => sum + (largest.has(one) ? 0 : one.value), 0);
  const other = {
    name: textIn(space, note("chart.other")),
    value,
    text: formatValue(value, column, space),
    color: surfaceColors(space).other,
  };
  return { slices: [...colored(kept), other], notes: [] };
}

/** Returns the share of a part, such as `12%`. */
export function percentText(value: number, total: number, { locale }: ChartSpace): string {
  const share = total === 0 ? 0 : value / total;
  const format = share > 0 && share < 0.01 ? ".1%" : ".0%";
  return formatNumber(share.toFixed(6), { format }, locale);
}

/** Returns the parts in words. */
export function slicePoints(slices: readonly Slice[], space: ChartSpace): readonly ChartPoint[] {
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  return slices.map(({ name, text, value, row }, dataIndex) => ({
    seriesIndex: 0,
    dataIndex,
    label: `${isolated(name)}: ${text} (${percentText(value, total, space)})`,
    ...(row !== undefined && { row }),
  }));
}
