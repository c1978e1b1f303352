// Arranges the rows of a result as categories and series. A missing value is a gap.
import type { ChartConfig } from "../config/config.ts";
import {
  dimensionsOf,
  isAdditive,
  type MeasurePlace,
  measuresOf,
  neededPlace,
  type Place,
  placesOf,
  refusal,
} from "./columns.ts";
import { type Key, rowKey, sortedByKey } from "./order.ts";
import { formatValue, numberOf } from "../formats/format-value.ts";
import { nextPeriod, parseTime, printTime } from "../formats/time-format.ts";
import type { Category, ChartSpace, ChartValue, ResultTable } from "../model/model.ts";
import { type ChartNote, note, textIn } from "../model/notes.ts";

/** Most series with a color of their own. */
export const mostSeries = 8;
/** Most categories of a chart. */
export const mostCategories = 500;

/** A series with a value for each category; null if there is none. */
export interface Series {
  readonly name: string;
  /** The values of its dimensions as text, by which it has its color; undefined if the measure alone names it. */
  readonly group?: string;
  readonly isOther: boolean;
  readonly measure: MeasurePlace;
  readonly values: readonly (number | null)[];
  /** The rows of the values. */
  readonly rows: readonly (number | undefined)[];
}

/** The data of a chart with categories. */
export interface ChartData {
  /** The dimension of the categories; undefined for one category without a name. */
  readonly category: Place | undefined;
  readonly isTime: boolean;
  readonly categories: readonly Category[];
  readonly series: readonly Series[];
  readonly notes: readonly ChartNote[];
}

interface Draft extends Key {
  readonly measure: MeasurePlace;
  readonly values: Map<string, number | null>;
  readonly rows: Map<string, number>;
}

/** Returns the dimensions of a chart: of its categories, and of its series. */
export function roles(places: readonly Place[], { x, breakdown }: ChartConfig) {
  const dimensions = dimensionsOf(places);
  const others = breakdown?.map((member) => neededPlace(places, member));
  const free = dimensions.filter(
    (place) => others?.some(({ index }) => index === place.index) !== true,
  );
  const category =
    x === undefined
      ? (free.find(({ column }) => column.type === "time") ?? free[0])
      : neededPlace(places, x);
  return {
    category,
    others: others ?? dimensions.filter(({ index }) => index !== category?.index),
  };
}

/**
 * Reads the data of a chart; refuses a result without a measure. `hasAllSeries` keeps every series, for charts that do
 * not tell them apart by color.
 */
export function chartData(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace & { readonly hasAllSeries?: boolean },
): ChartData {
  const places = placesOf(result, config);
  const measures = measuresOf(places, config);
  if (measures.length === 0) {
    throw refusal("chart.refused.measures", config.chart ?? "bar", { count: 1 });
  }
  const { category, others } = roles(places, config);
  const isTime = category?.column.type === "time";
  const notes: ChartNote[] = [];
  const categories = categoriesOf(result, { category, isTime, space, notes });
  const drafts = draftSeries(result, { category, others, measures, categories, space, notes });
  const named = nameSeries(drafts, measures);
  const filled =
    isTime && category !== undefined ? fillTimes(categories, category, space) : categories;
  const list = [...filled].map(([, one]) => one);
  const kept = [...filled.keys()];
  const series = named.map(({ draft, group, name }) => ({
    name,
    ...(group !== undefined && { group }),
    isOther: false,
    measure: draft.measure,
    values: kept.map((key) => draft.values.get(key) ?? null),
    rows: kept.map((key) => draft.rows.get(key)),
  }));
  return {
    category,
    isTime,
    categories: list,
    series:
      space.hasAllSeries === true
        ? series
        : largestSeries(series, { isSum: isStacked(config), space, notes }),
    notes,
  };
}

interface CategoryOptions {
  readonly category: Place | undefined;
  readonly isTime: boolean;
  readonly space: ChartSpace;
  readonly notes: ChartNote[];
}

/** Returns the categories by their keys: the last times in order, others as they come. */
function categoriesOf(
  { rows }: ResultTable,
  { category, isTime, space, notes }: CategoryOptions,
): ReadonlyMap<string, Category> {
  const found = new Map<string, Category>();
  if (category === undefined) return new Map([["", { text: "", value: null }]]);
  let without = 0;
  for (const row of rows) {
    const value = row[category.index] ?? null;
    if (isTime && (typeof value !== "string" || parseTime(value) === undefined)) {
      without++;
      continue;
    }
    const key = keyOf(value);
    if (!found.has(key))
      found.set(key, { text: formatValue(value, category.column, space), value });
  }
  if (without > 0) notes.push(note("chart.withoutTime", { count: without }));
  const order = [...found];
  if (isTime) order.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  if (order.length <= mostCategories) return new Map(order);
  const cut = { shown: mostCategories, total: order.length };
  notes.push(note(isTime ? "chart.cutTimes" : "chart.cutCategories", cut));
  return new Map(isTime ? order.slice(-mostCategories) : order.slice(0, mostCategories));
}

function keyOf(value: ChartValue | undefined): string {
  return value === null || value === undefined ? "null" : JSON.stringify(value);
}

interface DraftOptions {
  readonly category: Place | undefined;
  readonly others: readonly Place[];
  readonly measures: readonly MeasurePlace[];
  readonly categories: ReadonlyMap<string, Category>;
  readonly space: ChartSpace;
  readonly notes: ChartNote[];
}

/** Returns the series in the order of their keys; those of several measures as the configuration has them. */
function draftSeries(
  result: ResultTable,
  { category, others, measures, categories, space, notes }: DraftOptions,
): readonly Draft[] {
  const drafts = new Map<string, Draft>();
  let isRepeated = false;
  for (const [at, row] of result.rows.entries()) {
    const key = category === undefined ? "" : keyOf(row[category.index]);
    if (!categories.has(key)) continue;
    const groupKey = others.map(({ index }) => keyOf(row[index])).join("\u0000");
    for (const [order, measure] of measures.entries()) {
      const id = `${order}\u0000${groupKey}`;
      const draft = drafts.get(id) ?? {
        ...rowKey(row, others, space),
        measure,
        values: new Map<string, number | null>(),
        rows: new Map<string, number>(),
      };
      drafts.set(id, draft);
      const value = numberOf(row[measure.index]);
      if (!draft.rows.has(key)) {
        draft.values.set(key, value);
        draft.rows.set(key, at);
      } else if (isAdditive(measure.column)) {
        const before = draft.values.get(key) ?? null;
        draft.values.set(
          key,
          before === null && value === null ? null : (before ?? 0) + (value ?? 0),
        );
      } else isRepeated = true;
    }
  }
  if (isRepeated) notes.push(note("chart.firstValues"));
  return sortedByKey([...drafts.values()], others, result);
}

/** Names series uniquely: by measure, by group, or by both. */
function nameSeries(drafts: readonly Draft[], measures: readonly MeasurePlace[]) {
  const taken = new Map<string, number>();
  return drafts.map((draft) => {
    const { title } = draft.measure.column;
    const group = draft.texts.length === 0 ? undefined : draft.texts.join(" · ");
    const own = group === undefined ? title : measures.length === 1 ? group : `${title} · ${group}`;
    const times = (taken.get(own) ?? 0) + 1;
    taken.set(own, times);
    return { draft, group, name: times === 1 ? own : `${own} (${times})` };
  });
}

/** Adds the periods between the first and the last for which there is no row, so that a line has a gap there. */
function fillTimes(
  categories: ReadonlyMap<string, Category>,
  { column }: Place,
  space: ChartSpace,
): ReadonlyMap<string, Category> {
  const filled = new Map<string, Category>();
  let before: Category | undefined;
  for (const [key, category] of categories) {
    for (const missed of periodsBetween(before, category, column.granularity)) {
      filled.set(keyOf(missed), { text: formatValue(missed, column, space), value: missed });
      if (filled.size > mostCategories) return categories;
    }
    filled.set(key, category);
    before = category;
  }
  return filled.size > mostCategories ? categories : filled;
}

function* periodsBetween(
  from: Category | undefined,
  to: Category,
  granularity: string | undefined,
): Generator<string> {
  const [first, last] = [from, to].map((one) => parseTime(String(one?.value)));
  if (first === undefined || last === undefined) return;
  let at = nextPeriod(first, granularity);
  while (at !== undefined && at < last.at) {
    const text = printTime(at);
    yield text;
    const time = parseTime(text);
    at = time && nextPeriod(time, granularity);
  }
}

/** Returns whether series are put on each other. */
function isStacked({ chart, stacking = chart === "area" ? "stacked" : "none" }: ChartConfig) {
  return stacking !== "none";
}

interface CutOptions {
  /** Whether the sum of series is as comparable as they are: beside them, it would flatten them. */
  readonly isSum: boolean;
  readonly space: ChartSpace;
  readonly notes: ChartNote[];
}

/**
 * Keeps the largest series in their order. The others become one if they are put on each other and their measure can be
 * added up, and are left out otherwise.
 */
function largestSeries(
  series: readonly Series[],
  { isSum, space, notes }: CutOptions,
): readonly Series[] {
  const total = series.length;
  if (total <= mostSeries) return series;
  const size = new Map(
    series.map((one) => [
      one,
      one.values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0),
    ]),
  );
  const largest = series.toSorted((a, b) => (size.get(b) ?? 0) - (size.get(a) ?? 0));
  const kept = new Set(largest.slice(0, mostSeries));
  const shown = series.filter((one) => kept.has(one));
  const left = series.filter((one) => !kept.has(one));
  const [first] = left;
  const isOne = left.every(({ measure }) => measure.index === first?.measure.index);
  if (!isSum || first === undefined || !isOne || !isAdditive(first.measure.column)) {
    notes.push(note("chart.cutSeries", { shown: mostSeries, total }));
    return shown;
  }
  notes.push(note("chart.otherHolds", { count: left.length, total }));
  const values = first.values.map((_, at) => {
    const own = left.flatMap((one) => one.values[at] ?? []);
    return own.length === 0 ? null : own.reduce((sum, value) => sum + value, 0);
  });
  const name = textIn(space, note("chart.other"));
  const rows = values.map(() => undefined);
  return [...shown, { name, group: name, isOther: true, measure: first.measure, values, rows }];
}
