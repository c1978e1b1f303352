// Heatmaps: a measure by two dimensions as colors, with values where they fit.
import type { ChartConfig } from "../config/config.ts";
import { refusal } from "../data/columns.ts";
import { baseOption, degrade, fontSize, summaryOf, textStyle } from "../data/echarts.ts";
import { formatValue } from "../formats/format-value.ts";
import { shortNumber } from "../formats/number-format.ts";
import type { ChartModel, ChartPoint, ChartSpace, ResultTable } from "../model/model.ts";
import { note } from "../model/notes.ts";
import { labelWidth, nameLabels, sideLabels, timeLabels } from "../scales/category-labels.ts";
import { colorAt, readableOn, surfaceColors } from "../scales/colors.ts";
import { isolated, textWidth } from "../scales/text-width.ts";
import { extent } from "../scales/ticks.ts";
import { type ChartData, chartData, type Series } from "../data/series.ts";
import { cutNotes, tableOf } from "./table.ts";
import { nameAxisOption } from "./value-grid.ts";

/** Most rows of cells. */
const mostRows = 60;

/** Returns a heatmap of one measure by two dimensions. */
export function describeHeatmap(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const data = chartData(result, config, { ...space, hasAllSeries: true });
  const [first] = data.series;
  if (data.category === undefined || first?.group === undefined) {
    throw refusal("chart.refused.dimensions", "heatmap", { count: 2 });
  }
  const own = data.series.filter(({ measure }) => measure.index === first.measure.index);
  const rows = own.slice(0, mostRows);
  const cells = cellsOf(rows);
  const range = extent(cells.map(({ value }) => value));
  if (range === undefined) return { kind: "empty" };
  const points = pointsOf(data, rows, space);
  const layout = layOut(data, rows, space);
  const notes = [...data.notes, ...cutNotes(result)];
  if (config.legend !== false && !degrade(space).hasLegend) notes.push(note("chart.hiddenLegend"));
  if (own.length > rows.length) {
    notes.push(note("chart.cutCategories", { shown: rows.length, total: own.length }));
  }
  const { hidden } = layout;
  if (hidden.shown < hidden.total) notes.push(note("chart.someLabels", hidden));
  return {
    kind: "echarts",
    chart: "heatmap",
    option: optionOf({ data, rows, range, layout, config, space, points }),
    table: tableOf(result, config, space),
    summary: summaryOf("heatmap", {
      result,
      values: range.map((value) => formatValue(value, first.measure.column, space)),
      space,
    }),
    notes,
    points,
  };
}

function cellsOf(rows: readonly Series[]) {
  return rows.flatMap(({ values }, y) =>
    values.flatMap((value, x) => (value === null ? [] : [{ x, y, value }])),
  );
}

function pointsOf(data: ChartData, rows: readonly Series[], space: ChartSpace): ChartPoint[] {
  let dataIndex = 0;
  return rows.flatMap(({ name, values, rows: own, measure }) =>
    values.flatMap((value, at): ChartPoint[] => {
      if (value === null) return [];
      const row = own[at];
      const text = formatValue(value, measure.column, space);
      const what = isolated(`${data.categories[at]?.text ?? ""}, ${name}`);
      const label = `${what}: ${text}`;
      return [{ seriesIndex: 0, dataIndex: dataIndex++, label, ...(row !== undefined && { row }) }];
    }),
  );
}

function layOut(data: ChartData, rows: readonly Series[], space: ChartSpace) {
  const top = degrade(space).hasLegend ? 30 : 4;
  const names = rows.map(({ name }) => name);
  const most = space.width * 0.35;
  // With two lines below, the names at the side have the least room, in which they are widest.
  const guess = sideLabels(names, { width: most, height: space.height - top - 2 * 15 - 12 });
  const left = Math.min(most, Math.max(...guess.texts.map(labelWidth))) + 12;
  const width = Math.max(1, space.width - left - 8);
  const { category, categories, isTime } = data;
  const below =
    isTime && category !== undefined
      ? timeLabels(categories, { column: category.column, width, space })
      : nameLabels(
          categories.map(({ text }) => text),
          width,
        );
  const bottom = below.lines * 15 + 12;
  const height = Math.max(1, space.height - top - bottom);
  const side = sideLabels(names, { width: most, height });
  const total = categories.length + names.length;
  const hidden = { shown: total - below.hidden - side.hidden, total };
  return { top, left, right: 8, bottom, width, height, below, side, names, hidden };
}

interface OptionInput {
  readonly data: ChartData;
  readonly rows: readonly Series[];
  readonly range: readonly [number, number];
  readonly layout: ReturnType<typeof layOut>;
  readonly config: ChartConfig;
  readonly space: ChartSpace;
  readonly points: readonly ChartPoint[];
}

function optionOf({ data, rows, range, layout, config, space, points }: OptionInput): object {
  const column = rows[0]?.measure.column ?? {};
  const [least, most] = range;
  const isDiverging = least < 0 && most > 0;
  const end = Math.max(-least, most);
  const [low, high] = isDiverging
    ? [-end, end]
    : least === most
      ? [Math.min(0, least), most || 1]
      : range;
  const { sequential, diverging, surface } = surfaceColors(space);
  const colors = isDiverging ? diverging : sequential;
  const fits = (text: string) =>
    textWidth(text, fontSize) + 4 <= layout.width / data.categories.length &&
    layout.height / rows.length >= 16;
  const hasLegend = degrade(space).hasLegend && config.legend !== false;
  const write = (value: number) => shortNumber(value, column, space.locale);
  return {
    ...baseOption(space, points),
    grid: { ...gridOf(layout), outerBoundsMode: "none" },
    xAxis: nameAxisOption(
      data.categories.map(({ text }) => text),
      layout.below.texts,
      { space },
    ),
    yAxis: nameAxisOption(layout.names, layout.side.texts, { space, isInverse: true }),
    visualMap: {
      show: hasLegend,
      type: "continuous",
      min: low,
      max: high,
      calculable: false,
      orient: "horizontal",
      right: 8,
      top: 0,
      itemWidth: 10,
      itemHeight: Math.min(140, space.width * 0.3),
      text: [write(high), write(low)],
      textStyle: textStyle(space),
      inRange: { color: [...colors] },
    },
    series: [
      {
        type: "heatmap",
        itemStyle: { borderColor: surface, borderWidth: 1 },
        data: cellsOf(rows).map(({ x, y, value }) => {
          const text = write(value);
          const color = readableOn(colorAt(colors, (value - low) / (high - low)));
          const show = config.dataLabels !== false && fits(text);
          return {
            value: [x, y, value],
            label: { show, formatter: () => text, ...textStyle(space), color },
          };
        }),
      },
    ],
  };
}

function gridOf({ top, left, right, bottom }: ReturnType<typeof layOut>) {
  return { top, left, right, bottom };
}
