// Decides which names of categories an axis shows, and in how many lines, so that they neither overlap nor vanish silently.
import type { Category, ChartSpace, ResultColumn } from "../model/model.ts";
import { formatTimeTicks } from "../formats/time-format.ts";
import { mostTicks } from "./ticks.ts";
import { fitText, textWidth, twoLines, wrapText } from "./text-width.ts";

/** The labels of an axis. */
export interface CategoryLabels {
  /** The text of each category; empty where there is none. */
  readonly texts: readonly string[];
  readonly lines: number;
  /** Whether every name is whole. */
  readonly isWhole: boolean;
  /** Categories whose names are left out although readers expect them. */
  readonly hidden: number;
}

const size = 12;
const gap = 10;
/** The least width of a label that is cut. */
const leastLabel = 30;

/** Returns the width of the widest line of a label. */
export function labelWidth(text: string): number {
  return text.split("\n").reduce((most, line) => Math.max(most, textWidth(line, size)), 0);
}

/** Steps between the labels of times, by granularity. */
const steps: Readonly<Record<string, readonly number[]>> = {
  month: [1, 2, 3, 6, 12, 24, 60, 120],
  quarter: [1, 2, 4, 8, 20, 40, 80],
  day: [1, 2, 7, 14, 28, 56, 91, 182],
  hour: [1, 2, 3, 6, 12, 24, 48, 96],
  minute: [1, 5, 10, 15, 30, 60, 120],
};
const otherSteps = [1, 2, 5, 10, 20, 50, 100, 200];

/** Returns the labels of a time axis: at most six. */
export function timeLabels(
  categories: readonly Category[],
  { column, width, space }: { column: ResultColumn; width: number; space: ChartSpace },
): CategoryLabels {
  const count = categories.length;
  const band = width / Math.max(1, count);
  const own = steps[column.granularity ?? ""] ?? otherSteps;
  let last = count;
  for (const step of [...own, Math.ceil(count / 2), count]) {
    last = step;
    const texts = timeTexts(categories, { step, column, space });
    const shown = texts.filter((text) => text !== "");
    const widest = Math.max(0, ...shown.map(labelWidth));
    if (shown.length <= mostTicks && (widest + gap <= band * step || shown.length === 1)) break;
  }
  const texts = timeTexts(categories, { step: Math.max(1, last), column, space });
  return { texts, lines: linesOf(texts), isWhole: true, hidden: 0 };
}

function timeTexts(
  categories: readonly Category[],
  { step, column, space }: { step: number; column: ResultColumn; space: ChartSpace },
): readonly string[] {
  const shown = categories.filter((_, at) => at % step === 0);
  const texts = formatTimeTicks(
    shown.map(({ value }) => String(value)),
    column,
    space.locale,
  );
  return categories.map((_, at) => (at % step === 0 ? (texts[at / step] ?? "") : ""));
}

function linesOf(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, text.split("\n").length), 1);
}

/** Returns the labels of names below bars: whole in one line or two, otherwise cut, otherwise every second and so on. */
export function nameLabels(names: readonly string[], width: number): CategoryLabels {
  const band = width / Math.max(1, names.length);
  const room = band - gap;
  const wrapped = names.map((name) => {
    const lines = wrapText(name.slice(0, 200), size, Math.max(room, 1));
    const isWhole =
      lines.length <= 2 &&
      lines.join(" ") === name.trim().replace(/\s+/gu, " ") &&
      lines.every((line) => textWidth(line, size) <= room);
    return isWhole ? lines.join("\n") : undefined;
  });
  if (wrapped.every((text) => text !== undefined)) {
    return { texts: wrapped, lines: linesOf(wrapped), isWhole: true, hidden: 0 };
  }
  const step = room >= 40 ? 1 : Math.max(1, Math.ceil(60 / band));
  const texts = names.map((name, at) => {
    if (at % step !== 0) return "";
    // The last label ends with the axis.
    const end = 2 * band * (names.length - at - 0.5);
    const own = Math.min(band * step - gap, end);
    return own < leastLabel ? "" : twoLines(name, size, own);
  });
  const hidden = texts.filter((text, at) => text === "" && names[at] !== "").length;
  return { texts, lines: linesOf(texts), isWhole: false, hidden };
}

/** Returns the labels of names beside horizontal bars. */
export function sideLabels(
  names: readonly string[],
  { width, height }: { width: number; height: number },
): CategoryLabels {
  const band = height / Math.max(1, names.length);
  const step = Math.max(1, Math.ceil(14 / band));
  const texts = names.map((name, at) => {
    if (at % step !== 0) return "";
    return band >= 34 ? twoLines(name, size, width) : fitText(name, size, width);
  });
  const hidden = texts.filter((text, at) => text === "" && names[at] !== "").length;
  return { texts, lines: 1, isWhole: false, hidden };
}
