// Box plots: five measures of a distribution, or the distribution of the rows of each category.
import type { ChartConfig } from "../config/config.ts";
import { type MeasurePlace, measuresOf, type Place, placesOf, refusal } from "../data/columns.ts";
import { baseOption, degrade, summaryOf } from "../data/echarts.ts";
import { formatValue, numberOf } from "../formats/format-value.ts";
import type { ChartModel, ChartPoint, ChartSpace, ResultTable } from "../model/model.ts";
import { note } from "../model/notes.ts";
import { nameLabels } from "../scales/category-labels.ts";
import { colorAt, paletteOf, surfaceColors } from "../scales/colors.ts";
import { isolated } from "../scales/text-width.ts";
import { extent } from "../scales/ticks.ts";
import { roles } from "../data/series.ts";
import { cutNotes, tableOf } from "./table.ts";
import { nameAxisOption, valueAxisOption, valueScale } from "./value-grid.ts";

/** Most boxes. */
const mostBoxes = 60;

interface BoxOf {
  readonly name: string;
  readonly values: readonly number[];
  readonly row?: number;
}

/** Returns a box plot. */
export function describeBoxplot(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const places = placesOf(result, config);
  const measures = measuresOf(places, config);
  const [measure] = measures;
  if (measure === undefined) throw refusal("chart.refused.measures", "boxplot", { count: 1 });
  const { category } = roles(places, config);
  const all =
    measures.length >= 5
      ? boxesOfMeasures(result, { measures: measures.slice(0, 5), category, space })
      : boxesOfRows(result, { measure, category, space });
  if (all.length === 0) return { kind: "empty" };
  const boxes = all.slice(0, mostBoxes);
  const points = boxes.map(({ name, values, row }, dataIndex): ChartPoint => ({
    seriesIndex: 0,
    dataIndex,
    label: `${isolated(name)}: ${values.map((value) => formatValue(value, measure.column, space)).join(", ")}`,
    ...(row !== undefined && { row }),
  }));
  const notes = [...cutNotes(result)];
  if (all.length > boxes.length) {
    notes.push(note("chart.cutCategories", { shown: boxes.length, total: all.length }));
  }
  const { option, hidden } = optionOf(boxes, { measure, config, space, points });
  if (hidden > 0) {
    notes.push(note("chart.someLabels", { shown: boxes.length - hidden, total: boxes.length }));
  }
  const range = extent(boxes.flatMap(({ values }) => values)) ?? [0, 0];
  const texts = range.map((value) => formatValue(value, measure.column, space));
  return {
    kind: "echarts",
    chart: "boxplot",
    option,
    table: tableOf(result, config, space),
    summary: summaryOf("boxplot", { result, values: texts, space }),
    notes,
    points,
  };
}

interface BoxInput {
  readonly category: Place | undefined;
  readonly space: ChartSpace;
}

function nameOf(row: ResultTable["rows"][number], { category, space }: BoxInput): string {
  return category === undefined ? "" : formatValue(row[category.index], category.column, space);
}

/** Returns a box for each row: its five measures in order of size. */
function boxesOfMeasures(
  { rows }: ResultTable,
  { measures, ...at }: BoxInput & { measures: readonly MeasurePlace[] },
): readonly BoxOf[] {
  return rows.flatMap((row, index) => {
    const values = measures.flatMap((place) => numberOf(row[place.index]) ?? []);
    if (values.length < 5) return [];
    return [{ name: nameOf(row, at), values: values.toSorted((a, b) => a - b), row: index }];
  });
}

/** Returns a box for each category: the distribution of its rows. */
function boxesOfRows(
  { rows }: ResultTable,
  { measure, ...at }: BoxInput & { measure: MeasurePlace },
): readonly BoxOf[] {
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const value = numberOf(row[measure.index]);
    if (value === null) continue;
    const name = nameOf(row, at);
    const values = groups.get(name) ?? [];
    groups.set(name, values);
    values.push(value);
  }
  return [...groups].map(([name, values]) => {
    const sorted = values.toSorted((a, b) => a - b);
    return { name, values: [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(sorted, share)) };
  });
}

function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [low = 0, high = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

interface OptionInput {
  readonly measure: MeasurePlace;
  readonly config: ChartConfig;
  readonly space: ChartSpace;
  readonly points: readonly ChartPoint[];
}

function optionOf(boxes: readonly BoxOf[], { measure, config, space, points }: OptionInput) {
  const title = degrade(space).hasAxisTitles ? (config.axes.left.title ?? "") : "";
  const top = title === "" ? 10 : 28;
  const vertical = valueScale(
    boxes.flatMap(({ values }) => values),
    {
      style: measure.column,
      config: config.axes.left,
      space,
      length: space.height - top - 40,
      isHorizontal: false,
    },
  );
  const left = vertical.width + 12;
  const names = boxes.map(({ name }) => name);
  const labels = nameLabels(names, Math.max(1, space.width - left - 8));
  const color = measure.config.color ?? config.colors?.[0] ?? paletteOf(space)[0] ?? "";
  const { surface } = surfaceColors(space);
  const option = {
    ...baseOption(space, points),
    grid: { left, right: 8, top, bottom: labels.lines * 15 + 12, outerBoundsMode: "none" },
    xAxis: nameAxisOption(names, labels.texts, { space }),
    yAxis: valueAxisOption(vertical, { title, space, isHorizontal: false }),
    series: [
      {
        type: "boxplot",
        boxWidth: [6, 48],
        itemStyle: {
          color: /^#[\da-f]{6}$/iu.test(color) ? colorAt([surface, color], 0.25) : surface,
          borderColor: color,
          borderWidth: 1.5,
        },
        data: boxes.map(({ values }) => [...values]),
      },
    ],
  };
  return { option, hidden: labels.hidden };
}
