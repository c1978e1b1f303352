// Measures how the processor time of steps grows with the size of their input.
import { appendTo } from "../core/append-to.ts";

/** A step of a scene; steps of one scene run in order, each on what the one before left. */
export interface GrowthStep {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

/** Steps over an input of one size. */
export interface OpenedScene {
  readonly steps: readonly GrowthStep[];
  readonly close: () => Promise<void>;
}

/** A scene at a small size and at a large one. */
export interface GrowthScene {
  readonly title: string;
  /** The small size. */
  readonly size: number;
  /**
   * How many times larger the large input is; {@link growthFactor} if undefined. Short steps need a larger factor, so
   * that the growth exceeds the noise.
   */
  readonly factor?: number;
  open(size: number): Promise<OpenedScene>;
}

/** The growth of one step in the round of its median growth: its processor time at each size, in milliseconds. */
export interface StepGrowth {
  readonly name: string;
  readonly small: number;
  readonly large: number;
  /** 1 is linear, 2 quadratic. */
  readonly exponent: number;
}

/** The default ratio between the large and the small input of a scene. */
export const growthFactor = 4;

/**
 * The largest exponent that counts as linear: sorting, caches and the garbage collector take a little more than linear
 * time.
 */
export const maxExponent = 1.2;

/** Maximum number of rounds. More than one is needed when other processes on the machine disturb some of them. */
const maxRounds = 5;

/** Measures every step of a scene. Stops after the round by which the median growth of each step is linear. */
export async function measureGrowth(scene: GrowthScene): Promise<readonly StepGrowth[]> {
  const { size, factor = growthFactor } = scene;
  // The first runs compile the code. If the small run included that time, the growth would look too small.
  await runScene(scene, size);
  const measured = new Map<string, StepGrowth[]>();
  for (let round = 1; ; round++) {
    // Both sizes of a round run one after the other: a machine that slows down for a minute slows both.
    const large = await runScene(scene, size * factor);
    for (const [name, small] of await runScene(scene, size)) {
      appendTo(measured, name, growthOf(name, { small, large: large.get(name) ?? NaN, factor }));
    }
    const all = [...measured.values()].flatMap(medianOf);
    if (round === maxRounds || all.every(({ exponent }) => exponent <= maxExponent)) return all;
  }
}

/** Returns the median by exponent, and of two the larger one. */
function medianOf(rounds: readonly StepGrowth[]): readonly StepGrowth[] {
  const sorted = rounds.toSorted((left, right) => left.exponent - right.exponent);
  const at = Math.floor(rounds.length / 2);
  return sorted.slice(at, at + 1);
}

function growthOf(
  name: string,
  { small, large, factor }: Readonly<Record<"small" | "large" | "factor", number>>,
): StepGrowth {
  const exponent = Math.log(large / small) / Math.log(factor);
  return { name, small, large, exponent };
}

/** Returns the processor time of each step in milliseconds. */
async function runScene(scene: GrowthScene, size: number): Promise<ReadonlyMap<string, number>> {
  const { steps, close } = await scene.open(size);
  const took = new Map<string, number>();
  try {
    for (const { name, run } of steps) {
      globalThis.gc?.();
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      took.set(name, (user + system) / 1000);
    }
  } finally {
    await close();
  }
  return took;
}
