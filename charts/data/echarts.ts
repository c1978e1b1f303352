// What the options of all ECharts charts share: texts, tooltips, legends and the sentence for screen readers.
import { escapeHtml } from "../../core/text/escape-html.ts";
import type { ChartSpace, ChartPoint, ResultTable } from "../model/model.ts";
import { type ChartNote, nameOf, note, textIn } from "../model/notes.ts";
import { surfaceColors } from "../scales/colors.ts";
import { fitText, textWidth } from "../scales/text-width.ts";

/** Size of the texts of charts. */
export const fontSize = 12;
/** Height of a line of text. */
export const lineHeight = 15;

/** Returns what a tile has no room for. */
export function degrade({ width, height }: Pick<ChartSpace, "width" | "height">) {
  return {
    /** Only one value is shown. */
    isTiny: width < 110 || height < 70,
    hasLegend: width >= 180 && height >= 130,
    hasAxisTitles: width >= 280 && height >= 180,
  };
}

/** Returns the style of texts. */
export function textStyle(space: ChartSpace) {
  const { muted } = surfaceColors(space);
  return { fontSize, color: muted, ...(space.fontFamily && { fontFamily: space.fontFamily }) };
}

/** Returns the members that all options have. A tooltip has a line for each point, with its color. */
export function baseOption(space: ChartSpace, points: readonly ChartPoint[]) {
  const { text, line, surface } = surfaceColors(space);
  const places = new Map(points.map((point) => [`${point.seriesIndex} ${point.dataIndex}`, point]));
  return {
    animation: false,
    textStyle: { ...textStyle(space) },
    tooltip: {
      trigger: "item",
      confine: true,
      backgroundColor: surface,
      borderColor: line,
      textStyle: { ...textStyle(space), color: text },
      formatter: (hovered: TooltipItem | readonly TooltipItem[]) => {
        const shown = [hovered].flat().flatMap(({ seriesIndex, dataIndex, color }) => {
          const point = places.get(`${seriesIndex} ${dataIndex}`);
          return point === undefined ? [] : [{ ...point, color }];
        });
        const heading = shown[0]?.heading ?? "";
        return [
          ...(heading === "" ? [] : [`<b>${escapeHtml(heading)}</b>`]),
          ...shown.map(({ label, entry = label, color }) => colorMark(color) + escapeHtml(entry)),
        ].join("<br>");
      },
    },
  };
}

interface TooltipItem {
  readonly seriesIndex: number;
  readonly dataIndex: number;
  /** A gradient is no text. */
  readonly color?: unknown;
}

/** Returns a mark of a color as an attribute, because pages refuse styles in HTML. */
function colorMark(color: unknown): string {
  return typeof color === "string"
    ? `<svg width="14" height="8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="${escapeHtml(color)}"/></svg>`
    : "";
}

/** A legend and the height that it takes above the chart. */
export interface Legend {
  readonly option: object;
  readonly height: number;
  /** What is left out. */
  readonly notes: readonly ChartNote[];
}

const hidden: Legend = { option: { show: false }, height: 0, notes: [] };
const itemGap = 12;
const itemLine = 14;

/** Returns the legend of series: up to two fifths of the height, with names as long as fit; none for one series, or without room. */
export function legendOf(
  names: readonly string[],
  space: ChartSpace,
  wanted: boolean | undefined,
): Legend {
  const isShown = wanted ?? names.length > 1;
  if (!isShown || names.length === 0) return hidden;
  for (const most of degrade(space).hasLegend ? [220, 140, 90, 60] : []) {
    const widths = names.map((name) => Math.min(most, textWidth(name, fontSize)) + 34);
    const height = rowsOf(widths, space.width) * (itemLine + itemGap);
    if (height > space.height * 0.4 || widths.some((width) => width > space.width)) continue;
    return {
      height,
      notes: [],
      option: {
        show: true,
        type: "plain",
        top: 0,
        left: 0,
        padding: 0,
        itemGap,
        itemWidth: 14,
        itemHeight: 8,
        data: [...names],
        inactiveColor: surfaceColors(space).line,
        textStyle: { ...textStyle(space), lineHeight: itemLine },
        formatter: (name: string) => fitText(name, fontSize, most),
      },
    };
  }
  return { ...hidden, notes: [note("chart.hiddenLegend")] };
}

function rowsOf(widths: readonly number[], width: number): number {
  let [rows, used] = [1, 0];
  for (const one of widths) {
    if (used > 0 && used + one > width) [rows, used] = [rows + 1, 0];
    used += one;
  }
  return rows;
}

/** Returns one sentence that describes a chart. */
export function summaryOf(
  chart: string,
  { result, values, space }: { result: ResultTable; values: readonly string[]; space: ChartSpace },
): string {
  const titles = (isMeasure: boolean) =>
    result.columns
      .filter(({ kind }) => (kind === "measure") === isMeasure)
      .map(({ title }) => title)
      .join(", ");
  const [least = "", most = ""] = values;
  const dimensions = titles(false);
  return textIn(
    space,
    note(dimensions === "" ? "chart.summaryAlone" : "chart.summary", {
      chart: nameOf(chart, space),
      measures: titles(true),
      dimensions,
      count: result.rows.length,
      least,
      most,
    }),
  );
}
