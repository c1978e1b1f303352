// Funnels: the steps of a process, each with its value and its share of the first.
import type { ChartConfig } from "../config/config.ts";
import { baseOption, fontSize, summaryOf, textStyle } from "../data/echarts.ts";
import type { ChartModel, ChartSpace, ResultTable } from "../model/model.ts";
import { note } from "../model/notes.ts";
import { paletteOf, surfaceColors } from "../scales/colors.ts";
import { fitText, isolated, textWidth } from "../scales/text-width.ts";
import { extent } from "../scales/ticks.ts";
import { percentText, type Slice, slicesOf } from "./slices.ts";
import { cutNotes, tableOf } from "./table.ts";

/** Returns a funnel of the rows, or of the measures of one row, in their order; refuses negative values. */
export function describeFunnel(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const { slices: all, notes } = slicesOf(result, config, space);
  if (all.length === 0) return { kind: "empty" };
  const most = Math.max(1, Math.floor(space.height / 20));
  const slices = all.slice(0, most);
  const cut =
    all.length > most ? [note("chart.cutCategories", { shown: most, total: all.length })] : [];
  const first = slices[0]?.value ?? 0;
  const texts = slices.map(({ text, value }, at) =>
    at === 0 ? text : `${text} (${percentText(value, first, space)})`,
  );
  const points = slices.map(({ name, row }, dataIndex) => ({
    seriesIndex: 0,
    dataIndex,
    label: `${isolated(name)}: ${texts[dataIndex] ?? ""}`,
    ...(row !== undefined && { row }),
  }));
  const range = extent(all.map(({ value }) => value)) ?? [0, 0];
  return {
    kind: "echarts",
    chart: "funnel",
    option: {
      ...baseOption(space, points),
      series: [funnel(slices, texts, { config, space })],
    },
    table: tableOf(result, config, space),
    summary: summaryOf("funnel", {
      result,
      values: range.map((value) => all.find((one) => one.value === value)?.text ?? ""),
      space,
    }),
    notes: [...notes, ...cut, ...cutNotes(result)],
    points,
  };
}

/** Width of an empty step, as a share of the widest one. */
const leastShare = 0.02;

function funnel(
  slices: readonly Slice[],
  texts: readonly string[],
  { config, space }: { config: ChartConfig; space: ChartSpace },
): object {
  const room = space.width * 0.55;
  const labels = slices.map(({ name }, at) => {
    const value = texts[at] ?? "";
    const own = fitText(name, fontSize, room - textWidth(`  ${value}`, fontSize));
    return config.dataLabels === false ? own : `${isolated(own)}  ${value}`;
  });
  const widest = Math.max(...labels.map((label) => textWidth(label, fontSize))) + 16;
  const width = Math.max(20, space.width - Math.min(widest, room + 16));
  const largest = Math.max(...slices.map(({ value }) => value));
  const widthOf = (value = 0) => width * (leastShare + (1 - leastShare) * (value / largest));
  const color = space.accent ?? paletteOf(space)[0] ?? "";
  return {
    type: "funnel",
    left: 0,
    top: 4,
    bottom: 4,
    width,
    sort: "none",
    gap: 3,
    minSize: `${leastShare * 100}%`,
    funnelAlign: "left",
    label: {
      position: "right",
      ...textStyle(space),
      color: surfaceColors(space).text,
      formatter: ({ dataIndex }: { dataIndex: number }) => labels[dataIndex] ?? "",
    },
    labelLine: { show: true, lineStyle: { color: surfaceColors(space).line } },
    itemStyle: { borderWidth: 0 },
    data: slices.map(({ name, value }, at) => ({
      name,
      value,
      itemStyle: { color: config.colors?.[at] ?? color },
      // A line begins in the middle of the edge, and its label is beyond the wider end of the edge.
      labelLine: { length: 8 + Math.abs(widthOf(value) - widthOf(slices[at + 1]?.value)) / 2 },
    })),
  };
}
