// Axes of values for scatter charts and box plots.
import type { AxisConfig } from "../config/config.ts";
import { fontSize, textStyle } from "../data/echarts.ts";
import { formatTicks, type NumberStyle } from "../formats/number-format.ts";
import type { ChartSpace } from "../model/model.ts";
import { surfaceColors } from "../scales/colors.ts";
import { mostTicks, type Scale, scaleOf } from "../scales/ticks.ts";
import { fitText, textWidth } from "../scales/text-width.ts";

/** An axis of values with its texts. */
export interface ValueScale {
  readonly scale: Scale;
  readonly texts: readonly string[];
  /** Width of the widest text. */
  readonly width: number;
}

interface ScaleInput {
  readonly style: NumberStyle;
  readonly config: AxisConfig;
  readonly space: ChartSpace;
  /** Length of the axis. */
  readonly length: number;
  readonly isHorizontal: boolean;
}

/** Returns an axis of values whose texts fit its length. */
export function valueScale(
  values: readonly number[],
  { style, config, space, length, isHorizontal }: ScaleInput,
): ValueScale {
  const { format = style.format, min, max } = config;
  const most = isHorizontal ? mostTicks - 1 : Math.min(mostTicks - 1, Math.floor(length / 28));
  for (let intervals = Math.max(1, most); ; intervals--) {
    const scale = scaleOf(values, { hasZero: false, min, max, intervals });
    const texts = formatTicks(scale.ticks, { ...style, format }, space.locale);
    const width = Math.max(...texts.map((text) => textWidth(text, fontSize)));
    const fits = !isHorizontal || width + 10 <= length / Math.max(1, texts.length - 1);
    if (fits || intervals <= 1) return { scale, texts, width };
  }
}

/** Returns the option of an axis of values. */
export function valueAxisOption(
  { scale, texts }: ValueScale,
  { title, space, isHorizontal }: { title: string; space: ChartSpace; isHorizontal: boolean },
): object {
  const style = textStyle(space);
  const { line } = surfaceColors(space);
  const byTick = new Map(scale.ticks.map((tick, at) => [tick.toPrecision(9), texts[at] ?? ""]));
  return {
    type: "value",
    min: scale.min,
    max: scale.max,
    interval: scale.interval,
    name: fitText(title, fontSize, space.width * 0.8),
    nameLocation: isHorizontal ? "middle" : "end",
    nameGap: isHorizontal ? 28 : 10,
    nameTextStyle: { ...style, align: isHorizontal ? "center" : "left" },
    axisLabel: {
      ...style,
      margin: 8,
      formatter: (value: number) => byTick.get(value.toPrecision(9)) ?? "",
    },
    splitLine: { lineStyle: { color: line } },
    axisLine: { show: false },
    axisTick: { show: false },
  };
}

/** Returns the option of an axis of names. */
export function nameAxisOption(
  names: readonly string[],
  texts: readonly string[],
  { space, isInverse = false }: { space: ChartSpace; isInverse?: boolean },
): object {
  return {
    type: "category",
    data: [...names],
    inverse: isInverse,
    axisLabel: {
      ...textStyle(space),
      lineHeight: 15,
      margin: 8,
      interval: (index: number) => (texts[index] ?? "") !== "",
      formatter: (_: string, index: number) => texts[index] ?? "",
    },
    axisLine: { lineStyle: { color: surfaceColors(space).line } },
    axisTick: { show: false },
    splitLine: { show: false },
  };
}
