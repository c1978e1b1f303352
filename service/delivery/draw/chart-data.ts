// The categories and series of a chart. Pure.
import { limits } from "../../../core/limits/limits.ts";
import { formatValue, numberOf } from "./format-value.ts";
import type { ResultValue } from "../../engine/engine.ts";
import type { ResultColumn, ResultTable } from "./picture-input.ts";

/** A series with a value for each category; null if there is none. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** The measure that it shows. */
  readonly column: ResultColumn;
}

/** The data of a chart. */
export interface ChartData {
  readonly categories: readonly string[];
  readonly series: readonly Series[];
  /** Whether categories or series were left out. */
  readonly isCut: boolean;
}

interface Place {
  readonly column: ResultColumn;
  readonly index: number;
}

/**
 * Returns the data of a chart: categories of the time dimension, otherwise of the first dimension; series of measures
 * and of the other dimensions.
 */
export function chartData({ columns, rows }: ResultTable): ChartData {
  const places = columns.map((column, index) => ({ column, index }));
  const measures = places.filter(({ column }) => column.kind === "measure");
  const dimensions = places.filter(({ column }) => column.kind !== "measure");
  const category =
    dimensions.find(({ column }) => column.kind === "timeDimension") ?? dimensions[0];
  const others = dimensions.filter((place) => place !== category);
  const categories = new Map<string, number>();
  const series = new Map<string, { column: ResultColumn; values: Map<number, number | null> }>();
  let isCut = false;
  for (const row of rows) {
    const label = category === undefined ? "" : shown(row, category);
    if (!categories.has(label)) {
      if (categories.size >= limits.drawPoints) {
        isCut = true;
        continue;
      }
      categories.set(label, categories.size);
    }
    const at = categories.get(label) ?? 0;
    const group = others.map((place) => shown(row, place)).join(" · ");
    for (const { column, index } of measures) {
      const name = seriesName(column, { group, isOnly: measures.length === 1 });
      const known = series.get(name);
      if (known === undefined && series.size >= limits.drawSeries) {
        isCut = true;
        continue;
      }
      const one = known ?? { column, values: new Map<number, number | null>() };
      series.set(name, one);
      one.values.set(at, numberOf(row[index]));
    }
  }
  return {
    categories: [...categories.keys()],
    series: [...series].map(([name, { column, values }]) => ({
      name,
      column,
      values: Array.from({ length: categories.size }, (_, at) => values.get(at) ?? null),
    })),
    isCut,
  };
}

function shown(row: readonly ResultValue[], { column, index }: Place): string {
  return formatValue(row[index], column);
}

function seriesName(
  { title }: ResultColumn,
  { group, isOnly }: { group: string; isOnly: boolean },
): string {
  if (group === "") return title;
  return isOnly ? group : `${title} · ${group}`;
}
