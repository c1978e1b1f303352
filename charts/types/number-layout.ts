// Lays large numbers out: in the rows and sizes in which most of what belongs to them has room.
import type { ChartSpace, NumberModel } from "../model/model.ts";
import { textWidth } from "../scales/text-width.ts";

/** A number before its place is known. */
export interface NumberDraft extends Omit<NumberModel, "hasLabel" | "text" | "size" | "box"> {
  /** The number in short. */
  readonly short: string;
}

/** Heights of what is around a number, the most important first. */
const parts = { label: 18, comparison: 18, sparkline: 32 } as const;

/** Sizes of numbers; a number is as small as the smallest only for its label, or in the smallest of tiles. */
const sizes = { smallest: 14, largest: 40 } as const;
const lineHeight = 1.2;
/** Space between numbers, at most. */
const gap = { x: 16, y: 8 } as const;

/** Returns the numbers with their places, without what has no room. */
export function layOutNumbers(
  drafts: readonly NumberDraft[],
  space: Pick<ChartSpace, "width" | "height">,
): readonly NumberModel[] {
  const [first, ...more] = drafts.map((_, at) => arranged(drafts, at + 1, space));
  if (first === undefined) return [];
  return more.reduce((best, one) => (isBetter(one, best) ? one : best), first).numbers;
}

/** Returns the line of a sparkline in a box of a size, as `x,y` texts. */
export function sparklinePoints(
  values: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  return values
    .map((value, index) => {
      const x = (index / (values.length - 1)) * width;
      const y = height - 2 - ((value - least) / span) * (height - 4);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
}

/** Size of a sparkline. */
export const sparklineSize = { width: 120, height: 28 } as const;

interface Arrangement {
  readonly numbers: readonly NumberModel[];
  readonly partCount: number;
  readonly size: number;
}

function isBetter(a: Arrangement, b: Arrangement): boolean {
  return a.partCount === b.partCount ? a.size > b.size : a.partCount > b.partCount;
}

/** Returns the numbers in a number of columns. */
function arranged(
  drafts: readonly NumberDraft[],
  columns: number,
  space: Pick<ChartSpace, "width" | "height">,
): Arrangement {
  const rows = Math.ceil(drafts.length / columns);
  const across = Math.min(gap.x, space.width / columns / 4);
  const down = Math.min(gap.y, space.height / rows / 4);
  const width = (space.width - across * (columns - 1)) / columns;
  const height = (space.height - down * (rows - 1)) / rows;
  const texts = drafts.map(({ title, short, unit = "" }) =>
    textWidth(title + unit, sizes.largest * 0.7) <= width ? title : short,
  );
  const widest = drafts.reduce(
    (most, { unit = "" }, at) => Math.max(most, textWidth(`${texts[at] ?? ""}${unit}`, 1)),
    0.1,
  );
  const wanted = Math.min(sizes.largest, space.width * 0.04 + 12, width / widest);
  const { shown, rest } = shownParts(drafts, { height, wanted });
  const size = Math.min(wanted, rest / lineHeight);
  const numbers = drafts.map(({ short: _, comparison, sparkline, ...draft }, at): NumberModel => ({
    ...draft,
    hasLabel: shown.has("label"),
    text: texts[at] ?? "",
    size,
    box: {
      x: (at % columns) * (width + across),
      y: Math.floor(at / columns) * (height + down),
      width,
      height,
    },
    ...(shown.has("comparison") && comparison && { comparison }),
    sparkline: shown.has("sparkline") ? sparkline : [],
  }));
  return { numbers, partCount: shown.size, size };
}

/** Returns what has room around numbers, and the height that it leaves to them. */
function shownParts(
  drafts: readonly NumberDraft[],
  { height, wanted }: { height: number; wanted: number },
) {
  const shown = new Set<keyof typeof parts>();
  let rest = height;
  const take = (part: keyof typeof parts, least: number): void => {
    if (rest - parts[part] < least * lineHeight) return;
    shown.add(part);
    rest -= parts[part];
  };
  if (drafts.some(({ label }) => label !== "")) take("label", Math.min(wanted, sizes.smallest));
  if (drafts.some(({ comparison }) => comparison !== undefined)) take("comparison", wanted);
  if (drafts.some(({ sparkline }) => sparkline.length > 1)) take("sparkline", wanted);
  return { shown, rest };
}
