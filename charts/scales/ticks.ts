// Chooses the range and the ticks of value axes: round numbers, at most six.

/** The range of an axis and its ticks. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly interval: number;
  readonly ticks: readonly number[];
}

/** Most ticks of an axis. */
export const mostTicks = 6;

/** Returns the smallest number of the form 1, 2, 2.5 or 5 times a power of ten that is not below a step. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Options of a scale. */
export interface ScaleOptions {
  /** Whether zero is part of the axis. */
  readonly hasZero: boolean;
  /** Ends that the configuration sets. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Most intervals. */
  readonly intervals?: number | undefined;
}

/** Returns the scale of an axis with values. Steps are whole if all values are. */
export function scaleOf(
  values: readonly number[],
  { hasZero, min, max, intervals = mostTicks - 1 }: ScaleOptions,
): Scale {
  let low = hasZero ? 0 : Infinity;
  let high = hasZero ? 0 : -Infinity;
  let isWhole = true;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
    isWhole &&= Number.isInteger(value);
  }
  if (low > high) [low, high] = [0, 1];
  // Far from zero, an axis without zero shows more.
  if (low > 0 && low < high / 2) low = 0;
  if (high < 0 && high > low / 2) high = 0;
  [low, high] = [min ?? low, max ?? high];
  if (low > high) [low, high] = [high, low];
  if (low === high) {
    const room = low === 0 ? 1 : Math.abs(low) * 0.5;
    if (hasZero && low >= 0) high = low + room;
    else if (hasZero) low = high - room;
    else [low, high] = [low - room, high + room];
  }
  return roundScale([low, high], { intervals: Math.max(1, intervals), isWhole });
}

function roundScale(
  [low, high]: readonly [number, number],
  { intervals, isWhole }: { intervals: number; isWhole: boolean },
): Scale {
  // Below, the digits of doubles end.
  const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-12;
  let step = roundStep(Math.max((high - low) / intervals, least, 1e-290));
  if (isWhole) step = Math.max(1, step === 2.5 ? 5 : step);
  let [from, to] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  while (to - from > intervals) {
    const next = roundStep(step * 1.01);
    step = isWhole && next === 2.5 ? 5 : next;
    [from, to] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  }
  const tickAt = (at: number) => Number((at * step).toPrecision(12));
  const ticks = Array.from({ length: to - from + 1 }, (_, at) => tickAt(from + at));
  return { min: tickAt(from), max: tickAt(to), interval: step, ticks };
}

/** Returns the least and the largest number, in one pass over however many values. */
export function extent(values: Iterable<number | null>): readonly [number, number] | undefined {
  let range: [number, number] | undefined;
  for (const value of values) {
    if (value === null) continue;
    range =
      range === undefined ? [value, value] : [Math.min(range[0], value), Math.max(range[1], value)];
  }
  return range;
}
