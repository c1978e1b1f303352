// Measures alternatives in turns and uses the median of all rounds, so that other load on the machine affects all of them
// alike.

/** Times of each contestant, in milliseconds, one for each round. */
export type Timings<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Runs every contestant once a round, in turn, after one round that warms up and is not counted. A contestant that
 * measures its own time returns the milliseconds; otherwise the whole run is timed.
 */
export async function interleavedRounds<Name extends string>(
  count: number,
  contestants: Readonly<Record<Name, () => Promise<number | void>>>,
): Promise<Timings<Name>> {
  const names = Object.keys(contestants) as Name[];
  const took = {} as Record<Name, number[]>;
  for (const name of names) took[name] = [];
  for (let round = 0; round <= count; round++) {
    for (const name of names) {
      const from = performance.now();
      const own = await contestants[name]();
      if (round > 0) took[name].push(own ?? performance.now() - from);
    }
  }
  return took;
}

/** Returns the processor time that this process spends on `work`, in milliseconds: other processes change it little. */
export async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The middle one; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** Returns the median of the ratios of each round: disturbances that affect both cancel out. */
export function medianRatio(these: readonly number[], those: readonly number[]): number {
  return median(these.map((one, round) => one / (those[round] ?? NaN)));
}
