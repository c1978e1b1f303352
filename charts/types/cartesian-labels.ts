// Decides which values of bars and lines are written beside their marks: those that fit.
import type { ChartConfig } from "../config/config.ts";
import { fontSize, textStyle } from "../data/echarts.ts";
import { formatNumber, shortNumber } from "../formats/number-format.ts";
import type { ChartSpace } from "../model/model.ts";
import { readableOn, surfaceColors } from "../scales/colors.ts";
import { textWidth } from "../scales/text-width.ts";
import type { DrawnSeries, Stacking } from "./cartesian-series.ts";
import type { CartesianLayout } from "./cartesian-layout.ts";

interface LabelInput {
  readonly series: readonly DrawnSeries[];
  readonly stacking: Stacking;
  readonly config: ChartConfig;
  readonly space: ChartSpace;
}

/** Returns a function that returns the label of a value; undefined if it has none. */
export function valueLabels(
  layout: CartesianLayout,
  { series, stacking, config, space }: LabelInput,
): (seriesIndex: number, dataIndex: number) => object | undefined {
  if (config.dataLabels !== true) return () => undefined;
  const bars = series.filter(({ mark }) => mark === "bar").length;
  return (seriesIndex, dataIndex) => {
    const one = series[seriesIndex];
    const value = one?.drawn[dataIndex];
    if (one === undefined || value == null) return undefined;
    const text =
      stacking === "percent"
        ? shareText(value, space)
        : shortNumber(value, one.measure.column, space.locale);
    const width = textWidth(text, fontSize);
    const isInside = stacking !== "none" && one.mark === "bar";
    const room = roomOf(layout, { one, value, share: isInside ? 1 : Math.max(1, bars) });
    const fits = layout.isHorizontal
      ? room.across >= 13 && (!isInside || room.along >= width + 6)
      : room.across >= width + 2 && (!isInside || room.along >= 15);
    if (!fits) return undefined;
    return {
      show: true,
      formatter: () => text,
      ...textStyle(space),
      color: isInside ? readableOn(one.color) : surfaceColors(space).text,
      position: isInside ? "inside" : outside(layout.isHorizontal, value),
      distance: 4,
    };
  };
}

function outside(isHorizontal: boolean, value: number): string {
  if (isHorizontal) return value < 0 ? "left" : "right";
  return value < 0 ? "bottom" : "top";
}

/** Returns the size of a bar, along its direction and across. */
function roomOf(
  { isHorizontal, plot, axes, categories }: CartesianLayout,
  { one, value, share }: { one: DrawnSeries; value: number; share: number },
) {
  const scale = (axes.find(({ side }) => side === one.side) ?? axes[0])?.scale;
  const length = scale === undefined ? 1 : scale.max - scale.min;
  const [width, height] = isHorizontal ? [plot.height, plot.width] : [plot.width, plot.height];
  return {
    across: (width / Math.max(1, categories.length) / share) * 0.95,
    along: (Math.abs(value) / length) * height,
  };
}

/** Returns a share as text. */
function shareText(share: number, { locale }: ChartSpace): string {
  return formatNumber(share.toFixed(6), { format: ".0%" }, locale);
}
