// The order of values: the same on every machine and in every language.
import { formatValue } from "../formats/format-value.ts";
import type { ChartSpace, ChartValue, ResultTable } from "../model/model.ts";
import type { ChartConfig } from "../config/config.ts";
import { type Place, placeOf } from "./columns.ts";

/** Made when texts are compared first: browsers take a while for it. */
let collator: Intl.Collator | undefined;

/** Compares texts: "Bike 2" is before "Bike 10". */
export function compareTexts(a: string, b: string): number {
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(a, b);
}

/** Compares two values of a column: numbers exactly, others as text. Missing values are last in both directions. */
export function compareCells(
  [x, y]: readonly [ChartValue, ChartValue],
  { isNumeric, isDescending }: { readonly isNumeric: boolean; readonly isDescending: boolean },
): number {
  if (x === y) return 0;
  if (x === null) return 1;
  if (y === null) return -1;
  const order = isNumeric ? compareNumbers(x, y) : compareTexts(String(x), String(y));
  return isDescending ? -order : order;
}

/** Compares numbers; those that are equal as doubles by their digits. */
function compareNumbers(a: ChartValue, b: ChartValue): number {
  const order = Number(a) - Number(b);
  if (order !== 0 && !Number.isNaN(order)) return order;
  const [x, y] = [String(a), String(b)];
  if (x === y) return 0;
  if (!/^-?\d+$/u.test(x) || !/^-?\d+$/u.test(y)) return x < y ? -1 : 1;
  const difference = BigInt(x) - BigInt(y);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** A column by which rows are sorted. */
export interface Sort extends Place {
  readonly direction: "asc" | "desc";
}

/** Returns the order that a configuration asks for. */
export function sortsOf(
  places: readonly Place[],
  { sort }: Pick<ChartConfig, "sort">,
): readonly Sort[] {
  return sort.flatMap(({ member, direction }) => {
    const place = placeOf(places, member);
    return place === undefined ? [] : [{ ...place, direction }];
  });
}

/** Compares rows by columns; missing values are last. */
export function compareRows(
  a: readonly ChartValue[],
  b: readonly ChartValue[],
  sorts: readonly Sort[],
): number {
  for (const { index, column, direction } of sorts) {
    const order = compareCells([a[index] ?? null, b[index] ?? null], {
      isNumeric: column.type === "number",
      isDescending: direction === "desc",
    });
    if (order !== 0) return order;
  }
  return 0;
}

/** What a series, a chart beside others, or a row or a column of a pivot stands for. */
export interface Key {
  /** The value of each of its dimensions. */
  readonly dimensionValues: readonly ChartValue[];
  /** The values as they are shown. */
  readonly texts: readonly string[];
}

/** Returns the key of a row. */
export function rowKey(
  row: readonly ChartValue[],
  places: readonly Place[],
  space: ChartSpace,
): Key {
  return {
    dimensionValues: places.map(({ index }) => row[index] ?? null),
    texts: places.map(({ index, column }) => formatValue(row[index], column, space)),
  };
}

/**
 * Sorts keys so that equal beginnings are next to each other, and the dimensions by the order of the result. An order by
 * time says nothing about the other dimensions, of which the first period may lack some: these are in the order of their
 * values.
 */
export function sortedByKey<Item extends Key>(
  items: readonly Item[],
  places: readonly Place[],
  result: ResultTable,
): readonly Item[] {
  const isByTime = isInOrderOfTime(result);
  const ranks = places.map(({ column }, level) => {
    const shown = new Map(
      items.map(({ texts, dimensionValues }) => [texts[level], dimensionValues[level] ?? null]),
    );
    const order = [...shown];
    if (isByTime && column.type !== "time") {
      const isNumeric = column.type === "number";
      order.sort(([, x], [, y]) => compareCells([x, y], { isNumeric, isDescending: false }));
    }
    return new Map(order.map(([text], rank) => [text, rank]));
  });
  return items.toSorted((a, b) => {
    for (const [level, rank] of ranks.entries()) {
      const order = (rank.get(a.texts[level]) ?? 0) - (rank.get(b.texts[level]) ?? 0);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** Returns whether the rows of several periods follow in time, forwards or backwards. */
function isInOrderOfTime({ columns, rows }: ResultTable): boolean {
  const index = columns.findIndex(({ kind, type }) => kind !== "measure" && type === "time");
  const times = rows.map((row) => String(row[index] ?? ""));
  const isSorted = (isBackwards: boolean): boolean =>
    times.every((time, at) => {
      const before = times[at - 1] ?? time;
      return isBackwards ? before >= time : before <= time;
    });
  return index >= 0 && times.at(-1) !== times[0] && (isSorted(false) || isSorted(true));
}
