// Pies and donuts: names and shares in the legend, shares inside where they fit.
import type { ChartConfig } from "../config/config.ts";
import { baseOption, degrade, fontSize, summaryOf, textStyle } from "../data/echarts.ts";
import type { ChartModel, ChartSpace, ResultTable } from "../model/model.ts";
import { note } from "../model/notes.ts";
import { readableOn, surfaceColors } from "../scales/colors.ts";
import { extent } from "../scales/ticks.ts";
import { fitText, isolated, textWidth } from "../scales/text-width.ts";
import { mostSeries } from "../data/series.ts";
import { percentText, type ColoredSlice, slicePoints, largestSlices, slicesOf } from "./slices.ts";
import { cutNotes, tableOf } from "./table.ts";

const rowHeight = 20;

/** Returns a pie; refuses negative values. */
export function describePie(
  result: ResultTable,
  config: ChartConfig,
  space: ChartSpace,
): ChartModel {
  const parts = slicesOf(result, config, space);
  const { slices: all } = parts;
  if (all.length === 0) return { kind: "empty" };
  const isWanted = config.legend !== false;
  const isBeside = space.width > space.height * 1.25;
  // Beside the pie, a legend has the whole height; above it, it takes some.
  const hasLegend = isWanted && (isBeside ? space.width >= 180 : degrade(space).hasLegend);
  const room = Math.floor((isBeside ? space.height : space.height * 0.4) / rowHeight);
  const most = hasLegend ? Math.max(2, Math.min(mostSeries + 1, room)) : mostSeries + 1;
  const { slices, notes } = largestSlices(parts, most, { config, space });
  const points = slicePoints(slices, space);
  const range = extent(all.map(({ value }) => value)) ?? [0, 0];
  const texts = range.map((value) => all.find((one) => one.value === value)?.text ?? "");
  return {
    kind: "echarts",
    chart: "pie",
    option: {
      ...baseOption(space, points),
      ...drawing(slices, { isBeside, hasLegend }, { config, space }),
    },
    table: tableOf(result, config, space),
    summary: summaryOf("pie", { result, values: texts, space }),
    notes: [
      ...parts.notes,
      ...notes,
      ...(isWanted && !hasLegend ? [note("chart.hiddenLegend")] : []),
      ...cutNotes(result),
    ],
    points,
  };
}

interface Input {
  readonly config: ChartConfig;
  readonly space: ChartSpace;
}

function drawing(
  slices: readonly ColoredSlice[],
  { isBeside, hasLegend }: { isBeside: boolean; hasLegend: boolean },
  { config, space }: Input,
): object {
  const { width, height } = space;
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  const entries = slices.map(({ name, value }) => ({
    name,
    share: percentText(value, total, space),
  }));
  const widest =
    Math.max(...entries.map(({ name, share }) => textWidth(`${name}  ${share}`, fontSize))) + 26;
  const legendWidth = hasLegend ? Math.min(widest, isBeside ? width * 0.5 : width) : 0;
  const legendHeight = slices.length * rowHeight;
  const pieWidth = hasLegend && isBeside ? width - legendWidth - 16 : width;
  const top = hasLegend && !isBeside ? legendHeight + 8 : 0;
  const radius = Math.max(4, Math.min(pieWidth, height - top) / 2 - 4);
  const center = [pieWidth / 2, top + (height - top) / 2];
  const shown = new Map(
    entries.map(({ name, share }) => [name, entryText(name, share, legendWidth - 26)]),
  );
  return {
    legend: {
      show: hasLegend,
      type: "plain",
      orient: "vertical",
      left: isBeside ? pieWidth + 16 : 0,
      top: isBeside ? Math.max(0, (height - legendHeight) / 2) : 0,
      padding: 0,
      itemGap: rowHeight - 14,
      itemWidth: 14,
      itemHeight: 8,
      textStyle: { ...textStyle(space), lineHeight: 14 },
      formatter: (name: string) => shown.get(name) ?? name,
    },
    series: [
      {
        type: "pie",
        radius: config.hole ? [radius * 0.58, radius] : [0, radius],
        center,
        startAngle: 90,
        labelLine: { show: false },
        itemStyle: { borderColor: surfaceColors(space).surface, borderWidth: 2 },
        data: slices.map((one) => sliceItem(one, { total, radius }, { config, space })),
      },
    ],
  };
}

/** Returns the text of an entry of the legend: cuts the name, and keeps the share. */
function entryText(name: string, share: string, width: number): string {
  const own = fitText(name, fontSize, width - textWidth(`  ${share}`, fontSize));
  return `${isolated(own)}  ${share}`;
}

function sliceItem(
  { name, value, color }: ColoredSlice,
  { total, radius }: { total: number; radius: number },
  { config, space }: Input,
): object {
  const share = percentText(value, total, space);
  const middle = radius * (config.hole ? 0.79 : 0.62);
  const arc = total === 0 ? 0 : (value / total) * 2 * Math.PI * middle;
  const width = textWidth(share, fontSize);
  const fits = arc >= width + 6 && radius * (config.hole ? 0.42 : 0.8) >= width + 4;
  return {
    name,
    value,
    itemStyle: { color },
    label: {
      show: config.dataLabels !== false && fits,
      position: "inside",
      formatter: () => share,
      ...textStyle(space),
      color: readableOn(color),
    },
  };
}
