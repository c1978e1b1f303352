// Scatter charts: a point for each row, by two measures.
import type { ChartConfig } from "../config/config.ts";
import {
  dimensionsOf,
  measuresOf,
  neededPlace,
  type Place,
  placesOf,
  refusal,
} from "../data/columns.ts";
import { baseOption, degrade, type Legend, legendOf, summaryOf } from "../data/echarts.ts";
import { formatValue, numberOf } from "../formats/format-value.ts";
import type { ChartModel, ChartPoint, ChartSpace, ResultTable } from "../model/model.ts";
import { type ChartNote, note } from "../model/notes.ts";
import { categoryColors, surfaceColors } from "../scales/colors.ts";
import { isolated } from "../scales/text-width.ts";
import { extent } from "../scales/ticks.ts";
import { mostSeries } from "../data/series.ts";
import { cutNotes, tableOf } from "./table.ts";
import { valueAxisOption, valueScale } from "./value-grid.ts";

/** Most points. */
const mostPoints = 2000;

interface Dot {
  readonly x: number;
  readonly y: number;
  readonly size: number | null;
  readonly group: string;
  readonly row: number;
}

/** Returns a scatter chart of two measures. */
export function describeScatter(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const places = placesOf(result, config);
  const { x: xName, ...rest } = config;
  const free = measuresOf(places, rest);
  const x = xName === undefined ? free[0] : neededPlace(places, xName);
  const y = free.find(({ index }) => index !== x?.index);
  if (x === undefined || y === undefined || x.column.type !== "number") {
    throw refusal("chart.refused.measures", "scatter", { count: 2 });
  }
  const size = config.size === undefined ? undefined : neededPlace(places, config.size);
  const groups = config.breakdown?.map((member) => neededPlace(places, member)) ?? [];
  const notes: ChartNote[] = [...cutNotes(result)];
  const dots = dotsOf(result, { x, y, size, groups, space, notes });
  if (dots.length === 0) return { kind: "empty" };
  const names = [...new Set(dots.map(({ group }) => group))];
  const legend = legendOf(names, space, names.length > 1 ? config.legend : false);
  notes.push(...legend.notes);
  const points = pointsOf(result, { names, dots, places, space });
  const range = extent(dots.map((dot) => dot.y)) ?? [0, 0];
  return {
    kind: "echarts",
    chart: "scatter",
    option: optionOf(dots, names, { x, y, legend, config, space, points }),
    table: tableOf(result, config, space),
    summary: summaryOf("scatter", {
      result,
      values: range.map((value) => formatValue(value, y.column, space)),
      space,
    }),
    notes,
    points,
  };
}

interface DotInput {
  readonly x: Place;
  readonly y: Place;
  readonly size: Place | undefined;
  readonly groups: readonly Place[];
  readonly space: ChartSpace;
  readonly notes: ChartNote[];
}

function dotsOf(
  { rows }: ResultTable,
  { x, y, size, groups, space, notes }: DotInput,
): readonly Dot[] {
  const all = rows.flatMap((row, at): Dot[] => {
    const [left, top] = [numberOf(row[x.index]), numberOf(row[y.index])];
    if (left === null || top === null) return [];
    const group = groups.map(({ index, column }) => formatValue(row[index], column, space));
    return [
      {
        x: left,
        y: top,
        size: size ? numberOf(row[size.index]) : null,
        group: group.join(" · "),
        row: at,
      },
    ];
  });
  const counts = new Map<string, number>();
  for (const { group } of all) counts.set(group, (counts.get(group) ?? 0) + 1);
  const kept = new Set(
    [...counts]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, mostSeries)
      .map(([group]) => group),
  );
  if (counts.size > mostSeries) {
    notes.push(note("chart.cutSeries", { shown: mostSeries, total: counts.size }));
  }
  const own = all.filter(({ group }) => kept.has(group));
  if (own.length > mostPoints) {
    notes.push(note("chart.cutPoints", { shown: mostPoints, total: own.length }));
  }
  return own.slice(0, mostPoints);
}

function pointsOf(
  { rows }: ResultTable,
  {
    names,
    dots,
    places,
    space,
  }: {
    names: readonly string[];
    dots: readonly Dot[];
    places: readonly Place[];
    space: ChartSpace;
  },
): readonly ChartPoint[] {
  const dimensions = dimensionsOf(places);
  const measures = places.filter(({ column }) => column.kind === "measure");
  return names.flatMap((name, seriesIndex) =>
    dots
      .filter(({ group }) => group === name)
      .map(({ row }, dataIndex) => {
        const text = ({ index, column }: Place) => formatValue(rows[row]?.[index], column, space);
        const what = dimensions.map(text).join(", ");
        const values = measures.map((place) => `${place.column.title} ${text(place)}`).join(", ");
        return {
          seriesIndex,
          dataIndex,
          row,
          label: what === "" ? values : `${isolated(what)}: ${values}`,
        };
      }),
  );
}

interface OptionInput {
  readonly x: Place;
  readonly y: Place;
  readonly legend: Legend;
  readonly config: ChartConfig;
  readonly space: ChartSpace;
  readonly points: readonly ChartPoint[];
}

const symbols = ["circle", "rect", "triangle", "diamond"] as const;

function optionOf(
  dots: readonly Dot[],
  names: readonly string[],
  { x, y, legend, config, space, points }: OptionInput,
): object {
  const { hasAxisTitles } = degrade(space);
  const [top, bottom] = [legend.height + (hasAxisTitles ? 28 : 10), hasAxisTitles ? 46 : 28];
  const vertical = valueScale(
    dots.map((dot) => dot.y),
    {
      style: y.column,
      config: config.axes.left,
      space,
      length: space.height - top - bottom,
      isHorizontal: false,
    },
  );
  const left = vertical.width + 12;
  const horizontal = valueScale(
    dots.map((dot) => dot.x),
    {
      style: x.column,
      config: config.axes.x,
      space,
      length: space.width - left - 30,
      isHorizontal: true,
    },
  );
  const title = (place: Place, own: string | undefined) =>
    hasAxisTitles ? (own ?? place.column.title) : "";
  return {
    ...baseOption(space, points),
    legend: legend.option,
    grid: {
      left: Math.max(left, horizontal.width / 2),
      right: Math.max(16, horizontal.width / 2),
      top,
      bottom,
      outerBoundsMode: "none",
    },
    xAxis: valueAxisOption(horizontal, {
      title: title(x, config.axes.x.title),
      space,
      isHorizontal: true,
    }),
    yAxis: valueAxisOption(vertical, {
      title: title(y, config.axes.left.title),
      space,
      isHorizontal: false,
    }),
    series: scatterSeries(dots, names, { config, space }),
  };
}

function scatterSeries(
  dots: readonly Dot[],
  names: readonly string[],
  { config, space }: Pick<OptionInput, "config" | "space">,
) {
  const colors = categoryColors(names, space);
  const sizes = extent(dots.map(({ size }) => size));
  return names.map((name, at) => ({
    name,
    type: "scatter",
    symbol: symbols[at % symbols.length],
    itemStyle: {
      color: config.colors?.[at] ?? colors[at],
      opacity: 0.75,
      borderColor: surfaceColors(space).surface,
    },
    data: dots
      .filter(({ group }) => group === name)
      .map((dot) => ({ value: [dot.x, dot.y], symbolSize: symbolSize(dot.size, sizes) })),
  }));
}

/** Returns the diameter of a point, so that its area is in proportion. */
function symbolSize(size: number | null, range: readonly [number, number] | undefined): number {
  if (size === null || range === undefined) return 9;
  const share = Math.max(0, size) / Math.max(1e-290, range[1]);
  return 6 + 30 * Math.sqrt(Math.min(1, share));
}
